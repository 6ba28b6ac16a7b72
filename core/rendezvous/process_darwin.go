package rendezvous

import "golang.org/x/sys/unix"

func inspect(pid int) (process, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return process{}, err
	}
	const zombie = 5 // SZOMB of sys/proc.h
	if k.Proc.P_stat == zombie {
		return process{}, unix.ESRCH
	}
	start := k.Proc.P_starttime
	return process{
		pid:    pid,
		parent: int(k.Eproc.Ppid),
		start:  uint64(start.Sec)*1e6 + uint64(start.Usec),
		name:   unix.ByteSliceToString(k.Proc.P_comm[:]),
	}, nil
}
