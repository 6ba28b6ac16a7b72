package spawner

// Gateway and spawner speak JSON lines over a socket pair, which is the
// spawner's [ControlFD]. Strings that the kernel does not require to be UTF-8
// travel as bytes.

// Order is what the gateway tells the spawner. A start comes with three file
// descriptors: the child's stdin, stdout and stderr.
type Order struct {
	Op     string   `json:"op"`  // "start" or "signal"
	Key    int      `json:"key"` // the gateway's name for the child
	Path   []byte   `json:"path,omitempty"`
	Args   [][]byte `json:"args,omitempty"`
	Env    [][]byte `json:"env,omitempty"`
	Dir    []byte   `json:"dir,omitempty"`
	Signal int      `json:"signal,omitempty"`
}

// Event is what the spawner tells the gateway.
type Event struct {
	Op    string `json:"op"` // "started", "failed" or "exited"
	Key   int    `json:"key"`
	PID   int    `json:"pid,omitempty"`
	What  string `json:"what,omitempty"`  // the error of "failed"; "exit status 1" or "signal: killed" of "exited"
	Errno int    `json:"errno,omitempty"` // of "failed", when the system gave one
}

func toStrings(b [][]byte) []string {
	s := make([]string, len(b))
	for i := range b {
		s[i] = string(b[i])
	}
	return s
}
