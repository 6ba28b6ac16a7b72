package plugins

import (
	"io"

	"google.golang.org/grpc/grpclog"
)

// gRPC writes its own errors to stderr unless told otherwise, and a hook's
// stderr is read by its host. Whatever they are about reaches us as the error
// of a call. gRPC allows this in an init alone.
func init() {
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(io.Discard, io.Discard, io.Discard))
}
