package plugins

import "runtime"

// diesWithParent says whether the kernel ends the children of a killed process.
const diesWithParent = runtime.GOOS == "linux"
