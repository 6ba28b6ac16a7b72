package localtool

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
)

const (
	mostFile  = 1 << 20 // bytes of a tool
	mostFiles = 200     // of a folder that are looked at
)

var toolName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$`) })

// Read reads the tools of a workspace, by name. A file that is no tool costs no
// other one. Files that are neither executable nor have a @description, and
// folders, are somebody else's; they are passed over.
func Read(workspace string) ([]Tool, []Problem) {
	dir := Folder(workspace)
	root, err := open(workspace)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var entries []fs.DirEntry
	if err == nil {
		defer root.Close()
		entries, err = fs.ReadDir(root.FS(), ".")
	}
	if err != nil {
		return nil, []Problem{{File: dir, Text: plain(err), Hint: "it is a folder of the workspace's own"}}
	}
	var tools []Tool
	var problems []Problem
	if len(entries) > mostFiles {
		problems = append(problems, Problem{File: dir, Text: fmt.Sprintf("it has %d files, of which %d are looked at", len(entries), mostFiles)})
		entries = entries[:mostFiles]
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || e.IsDir() {
			continue
		}
		t, more := read(root, workspace, e.Name())
		for _, f := range more {
			problems = append(problems, Problem{filepath.Join(dir, e.Name()), f.line, f.text, f.hint})
		}
		if len(more) == 0 && t.Name != "" {
			tools = append(tools, t)
		}
	}
	return tools, problems
}

// open opens the folder of a workspace's tools. It may be a link, to somewhere
// in the workspace.
func open(workspace string) (*os.Root, error) {
	ws, err := os.OpenRoot(workspace)
	if err != nil {
		return nil, err
	}
	defer ws.Close()
	name := filepath.Join(".agents", "tools")
	// To open a pipe in the folder's place would wait for somebody.
	if info, err := ws.Stat(name); err == nil && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOTDIR}
	}
	return ws.OpenRoot(name)
}

// read reads one file. No faults and no name: it is not meant to be a tool.
func read(root *os.Root, workspace, name string) (Tool, []fault) {
	text, info, err := readFile(root, name)
	if err != nil {
		if errors.Is(err, errFolder) || errors.Is(err, fs.ErrNotExist) && !link(root, name) {
			return Tool{}, nil
		}
		return Tool{}, []fault{{text: plain(err), hint: "a tool is an executable file in the folder itself"}}
	}
	h, faults := parseHeader(string(text))
	executable := info.Mode().Perm()&0o111 != 0
	switch {
	case !executable && h.description == "":
		return Tool{}, nil
	case !executable:
		return Tool{}, []fault{{text: "it is not executable", hint: "chmod +x " + name}}
	case !toolName().MatchString(name):
		faults = append(faults, fault{text: fmt.Sprintf("%q cannot be a tool's name", name), hint: "letters, digits, dashes and underscores, without an ending such as .sh"})
	}
	return Tool{
		Name: name, Description: h.description, Params: h.params,
		Path: filepath.Join(Folder(workspace), name), SHA256: sum(text), workspace: workspace,
	}, faults
}

var (
	errFolder  = errors.New("it is a folder")
	errRegular = errors.New("it is no regular file")
	errLarge   = fmt.Errorf("it is larger than %d MiB", mostFile>>20)
)

// readFile reads a file of the folder, or one in it that a link leads to. A
// named pipe holds nobody up.
func readFile(root *os.Root, name string) ([]byte, fs.FileInfo, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, nil, err
	case info.IsDir():
		return nil, nil, errFolder
	case !info.Mode().IsRegular():
		return nil, nil, errRegular
	case info.Size() > mostFile:
		return nil, nil, errLarge
	}
	text, err := io.ReadAll(io.LimitReader(f, mostFile+1))
	if err == nil && len(text) > mostFile {
		err = errLarge
	}
	return text, info, err
}

func link(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// Bytes reads the tool again. Bytes of another hash are [ErrOther].
func (t Tool) Bytes() ([]byte, error) {
	root, err := open(t.workspace)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	text, _, err := readFile(root, t.Name)
	if err == nil && sum(text) != t.SHA256 {
		err = ErrOther
	}
	return text, err
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// plain is an error without the path, which is told beside it.
func plain(err error) string {
	var path *fs.PathError
	switch {
	case !errors.As(err, &path):
		return err.Error()
	case strings.Contains(path.Err.Error(), "escapes"):
		return "it is a link that leads out of the folder"
	}
	return path.Err.Error()
}
