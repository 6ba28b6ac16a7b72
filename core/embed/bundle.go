// Package embed turns texts into vectors with a BERT-family sentence model in
// ONNX format, on the user's machine alone.
package embed

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ctx-sidecar/ctx/core/file"
)

// DefaultModel is the name of the bundle that ctx ships.
const DefaultModel = "ctx-minilm"

// BundleFile is the file that makes a folder a bundle.
const BundleFile = "bundle.json"

const bundleSchema = "ctx.model/v1"

// ErrNoModel is that no model is installed.
var ErrNoModel = errors.New("no sentence model is installed")

// Bundle is a model with all that belongs to it: one folder, replaced as a
// whole.
type Bundle struct {
	Dir        string   `json:"-"`
	Schema     string   `json:"schema"`
	Name       string   `json:"name"`
	Version    int      `json:"version"`
	Model      string   `json:"model"`           // the ONNX file's name
	Inputs     []string `json:"inputs"`          // names of the graph's inputs, in order; none: asked of the model
	Output     string   `json:"output"`          // name of the token vectors' output
	Joint      string   `json:"joint,omitempty"` // the ONNX file's name of the network that chooses, "" for none; see Model.Choose
	Pooling    string   `json:"pooling"`         // "mean" or "cls"
	MaxTokens  int      `json:"max_tokens"`
	Dimensions int      `json:"dimensions"`
	Prefix     string   `json:"prefix,omitempty"` // what the model wants before every text, "query: " for e5
	// Batch is how many texts go through the model at once. A graph that is
	// quantised at run time takes its scale from the whole batch: there, only 1
	// gives a text the same vector in any company.
	Batch int               `json:"batch"`
	Files map[string]string `json:"files"` // SHA-256 of every file, in hex
}

// FindBundle returns the bundle that configured names: a folder, a name below
// models/ in one of the shared folders, or "" for the default. The error is
// ErrNoModel when there is none.
func FindBundle(configured string, share []string) (Bundle, error) {
	dirs := []string{configured}
	if !filepath.IsAbs(configured) {
		name := configured
		if name == "" {
			name = DefaultModel
		}
		dirs = dirs[:0]
		for _, s := range share {
			dirs = append(dirs, filepath.Join(s, "models", name))
		}
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return ReadBundle(dir)
		}
	}
	if configured != "" {
		return Bundle{}, fmt.Errorf("%w under the name %q", ErrNoModel, configured)
	}
	return Bundle{}, ErrNoModel
}

// ReadBundle reads the bundle in dir. A folder without bundle.json is taken for
// what sentence-transformers exports.
func ReadBundle(dir string) (Bundle, error) {
	path := filepath.Join(dir, BundleFile)
	raw, err := file.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return exported(dir)
	}
	if err != nil {
		return Bundle{}, fmt.Errorf("read model: %w", err)
	}
	b := Bundle{Dir: dir, Output: "last_hidden_state", Pooling: "mean", Model: "model.onnx"}
	if err := json.Unmarshal(raw, &b); err != nil {
		return Bundle{}, fmt.Errorf("%s: %w", path, err)
	}
	if b.Schema != bundleSchema {
		return Bundle{}, fmt.Errorf("%s: its schema is %q; this version of ctx reads %q", path, b.Schema, bundleSchema)
	}
	return b, b.check(path)
}

func exported(dir string) (Bundle, error) {
	b := Bundle{Dir: dir, Name: filepath.Base(dir), Output: "last_hidden_state", Pooling: "mean", Model: "model.onnx", Batch: 1}
	for _, name := range []string{"model.onnx", "onnx/model_quantized.onnx", "onnx/model.onnx"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			b.Model = name
			break
		}
	}
	var pooling struct {
		CLS bool `json:"pooling_mode_cls_token"`
	}
	path := filepath.Join(dir, "1_Pooling", "config.json")
	switch raw, err := file.Read(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return Bundle{}, fmt.Errorf("read model: %w", err)
	default:
		if err := json.Unmarshal(raw, &pooling); err != nil {
			return Bundle{}, fmt.Errorf("%s: %w", path, err)
		}
	}
	if pooling.CLS {
		b.Pooling = "cls"
	}
	return b, b.check(dir)
}

func (b Bundle) check(path string) error {
	if b.Pooling != "mean" && b.Pooling != "cls" {
		return fmt.Errorf("%s: pooling %q is neither mean nor cls", path, b.Pooling)
	}
	// Both become a part of a path.
	if b.Name != filepath.Base(b.Name) || b.Name == "." || b.Name == ".." {
		return fmt.Errorf("%s: %q cannot be a model's name", path, b.Name)
	}
	names := []string{b.Model}
	if b.Joint != "" {
		names = append(names, b.Joint)
	}
	for _, name := range names {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("%s: its model %q is not in its folder", path, name)
		}
		info, err := os.Stat(filepath.Join(b.Dir, name))
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", path, err)
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s: its model: %w", path, file.ErrNotRegular)
		}
	}
	return nil
}

// ID tells vectors of different models apart. It changes with the model's file.
func (b Bundle) ID() string {
	if sum := b.Files[b.Model]; len(sum) >= 12 {
		return b.Name + "-" + sum[:12]
	}
	info, err := os.Stat(filepath.Join(b.Dir, b.Model))
	if err != nil {
		return b.Name
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", b.Dir, info.Size(), info.ModTime().UnixNano()))
	return b.Name + "-" + hex.EncodeToString(sum[:6])
}

// Verify compares every file of the bundle with its SHA-256.
func (b Bundle) Verify() error {
	names := make([]string, 0, len(b.Files))
	for name := range b.Files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		path := filepath.Join(b.Dir, name)
		sum, err := hashFile(path)
		if err != nil {
			return fmt.Errorf("verify model %s: %w", b.Name, err)
		}
		if sum != b.Files[name] {
			return fmt.Errorf("verify model %s: %s is not the file that was installed (SHA-256 %s)", b.Name, path, sum)
		}
	}
	return nil
}

func hashFile(path string) (string, error) {
	f, _, err := file.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return hash(f)
}

func hash(f *os.File) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
