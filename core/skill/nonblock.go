package skill

import (
	"os"
	"syscall"
)

// What is opened may be a pipe that lies where a file or a folder is expected,
// or that was put there meanwhile. It must not hold up whoever opens it.
const (
	nonblock = syscall.O_NONBLOCK
	folder   = syscall.O_DIRECTORY | syscall.O_NONBLOCK
)

// openFolder opens a folder for reading; anything else is an error.
func openFolder(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|folder, 0) }
