module example.com/ctx-host-acme

go 1.26.0

require github.com/ctx-sidecar/ctx v0.0.0

replace github.com/ctx-sidecar/ctx => ../../..
