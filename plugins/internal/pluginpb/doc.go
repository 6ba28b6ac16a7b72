// Package pluginpb is generated from host.proto. Its types stay inside package
// plugins.
package pluginpb

//go:generate protoc --proto_path=../../.. --go_out=../../.. --go_opt=module=github.com/ctx-sidecar/ctx --go-grpc_out=../../.. --go-grpc_opt=module=github.com/ctx-sidecar/ctx plugins/host.proto
