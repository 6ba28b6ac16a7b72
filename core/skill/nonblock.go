package skill

import "syscall"

// nonblock keeps a pipe that was put in a file's place meanwhile from holding
// up whoever opens it.
const nonblock = syscall.O_NONBLOCK
