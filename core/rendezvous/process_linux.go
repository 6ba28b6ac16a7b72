package rendezvous

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// inspect reads /proc/PID/stat (proc_pid_stat(5)): the parent is field 4, the
// start time in clock ticks since boot field 22.
func inspect(pid int) (process, error) {
	path := fmt.Sprintf("/proc/%d/stat", pid)
	b, err := os.ReadFile(path)
	if err != nil {
		return process{}, err
	}
	// The program's name stands in parentheses and may hold any byte, these too.
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || end < open {
		return process{}, fmt.Errorf("%s: unknown format", path)
	}
	fields := bytes.Fields(b[end+1:]) // from field 3 on
	if len(fields) < 20 {
		return process{}, fmt.Errorf("%s: unknown format", path)
	}
	if state := fields[0][0]; state == 'Z' || state == 'X' {
		return process{}, os.ErrProcessDone
	}
	parent, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return process{}, fmt.Errorf("%s: parent: %w", path, err)
	}
	start, err := strconv.ParseUint(string(fields[19]), 10, 64)
	if err != nil {
		return process{}, fmt.Errorf("%s: start time: %w", path, err)
	}
	return process{pid, parent, start, string(b[open+1 : end])}, nil
}
