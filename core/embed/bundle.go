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
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/ctx-sidecar/ctx/core/file"
)

// DefaultModel is the name of the bundle that ctx ships.
const DefaultModel = "ctx-minilm"

// BundleFile is the file that makes a folder a bundle.
const BundleFile = "bundle.json"

// ScorerFile is the scorer's file in a bundle, which package activate reads.
const ScorerFile = "scorer.json"

const bundleSchema = "ctx.model/v1"

// ErrNoModel is that no model is installed.
var ErrNoModel = errors.New("no sentence model is installed")

// BundleError is a bundle that is not whole, or not what it says.
type BundleError struct{ Err error }

func (e *BundleError) Error() string { return e.Err.Error() }

// Unwrap gives the reason.
func (e *BundleError) Unwrap() error { return e.Err }

// Broken makes a *BundleError of a fault of a bundle's; of nil, nil.
func Broken(err error) error {
	if err == nil {
		return nil
	}
	return &BundleError{err}
}

// Bundle is a model with all that belongs to it: one folder, replaced as a
// whole.
type Bundle struct {
	Dir          string   `json:"-"`
	Schema       string   `json:"schema"`
	Name         string   `json:"name"`
	Version      int      `json:"version"`
	Model        string   `json:"model"`           // the ONNX file's name
	Inputs       []string `json:"inputs"`          // names of the graph's inputs, in order; none: asked of the model
	Output       string   `json:"output"`          // name of the token vectors' output
	Joint        string   `json:"joint,omitempty"` // the ONNX file's name of the network that chooses, "" for none; see Model.Choose
	JointRequest int      `json:"joint_request"`   // tokens that it reads of a request, 42 where nothing is said
	JointTail    int      `json:"joint_tail"`      // how many of these are the end of a longer one, 13 where nothing is said
	JointCard    int      `json:"joint_card"`      // tokens that it reads of a candidate's card, 16 where nothing is said
	JointTrigger int      `json:"joint_trigger"`   // and of its trigger, 10 where nothing is said
	Pooling      string   `json:"pooling"`         // "mean" or "cls"
	MaxTokens    int      `json:"max_tokens"`
	Dimensions   int      `json:"dimensions"`
	Prefix       string   `json:"prefix,omitempty"` // what the model wants before every text, "query: " for e5
	// Batch is how many texts go through the model at once. A graph that is
	// quantised at run time takes its scale from the whole batch: there, only 1
	// gives a text the same vector in any company.
	Batch int               `json:"batch"`
	Files map[string]string `json:"files"` // SHA-256 of every file, in hex
}

// FindBundle returns the bundle that configured names: a folder, a name below
// models/ in one of the shared folders, or "" for the default. The error is
// ErrNoModel when there is none, a *BundleError for one that cannot be used.
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
			b, err := ReadBundle(dir)
			return b, Broken(err)
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
	b := Bundle{
		Dir: dir, Output: "last_hidden_state", Pooling: "mean", Model: "model.onnx",
		JointRequest: jointRequest, JointTail: jointTail, JointCard: jointCard, JointTrigger: jointTrigger,
	}
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
	if b.Joint != "" && (b.JointRequest < 1 || b.JointRequest > mostOfRequest || b.JointTail < 0 || b.JointTail > b.JointRequest) {
		return fmt.Errorf("%s: joint_request is %d, and has to be from 1 to %d; joint_tail is %d, and has to be from 0 to that", path, b.JointRequest, mostOfRequest, b.JointTail)
	}
	if b.Joint != "" && (b.JointCard < 1 || b.JointCard > mostOfCandidate || b.JointTrigger < 1 || b.JointTrigger > mostOfCandidate) {
		return fmt.Errorf("%s: joint_card and joint_trigger are %d and %d, and have to be from 1 to %d", path, b.JointCard, b.JointTrigger, mostOfCandidate)
	}
	// Both become a part of a path.
	if b.Name != filepath.Base(b.Name) || b.Name == "." || b.Name == ".." {
		return fmt.Errorf("%s: %q cannot be a model's name", path, b.Name)
	}
	names := append(b.listed(), b.Model)
	if b.Joint != "" {
		names = append(names, b.Joint)
	}
	for _, name := range names {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("%s: its file %q is not in its folder", path, name)
		}
		info, err := os.Stat(filepath.Join(b.Dir, name))
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", path, err)
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s: its file %q: %w", path, name, file.ErrNotRegular)
		}
	}
	return nil
}

// listed are the names of the files with a SHA-256, sorted.
func (b Bundle) listed() []string { return slices.Sorted(maps.Keys(b.Files)) }

// ID tells vectors of different models apart. It changes with what makes
// vectors, and with what chooses.
func (b Bundle) ID() string {
	if b.Files[b.Model] != "" {
		h := sha256.New()
		for _, name := range b.listed() {
			if name != ScorerFile { // it has no part in either
				fmt.Fprintf(h, "%q %q\n", name, b.Files[name])
			}
		}
		// Not which of them chooses: its SHA-256 is among the files'.
		fmt.Fprintf(h, "%q %q %q %q %q %d\n", b.Model, b.Output, b.Inputs, b.Pooling, b.Prefix, b.MaxTokens)
		if b.Joint != "" && (b.JointCard != jointCard || b.JointTrigger != jointTrigger) {
			fmt.Fprintf(h, "%d %d\n", b.JointCard, b.JointTrigger)
		}
		if b.Joint != "" && (b.JointRequest != jointRequest || b.JointTail != jointTail) {
			fmt.Fprintf(h, "request %d %d\n", b.JointRequest, b.JointTail)
		}
		return b.Name + "-" + hex.EncodeToString(h.Sum(nil)[:6])
	}
	info, err := os.Stat(filepath.Join(b.Dir, b.Model))
	if err != nil {
		return b.Name
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", b.Dir, info.Size(), info.ModTime().UnixNano()))
	return b.Name + "-" + hex.EncodeToString(sum[:6])
}

// Verify compares every file of the bundle with its SHA-256, as sum gives it of
// an open file; nil: it is computed, which takes a while. A bundle without any is
// taken as it is. The error is a *BundleError.
func (b Bundle) Verify(sum func(path string, f *os.File) (string, error)) error {
	for _, name := range b.listed() {
		path := filepath.Join(b.Dir, name)
		got, err := hashFile(path, sum)
		if err == nil && got != b.Files[name] {
			err = fmt.Errorf("%s is not the file that was installed (SHA-256 %s)", path, got)
		}
		if err != nil {
			return Broken(fmt.Errorf("verify model %s: %w", b.Name, err))
		}
	}
	return nil
}

func hashFile(path string, sum func(string, *os.File) (string, error)) (string, error) {
	f, _, err := file.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if sum == nil {
		return hash(f)
	}
	return sum(path, f)
}

func hash(f *os.File) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
