package profile_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/ctxtest"
)

func TestMain(m *testing.M) {
	ctxtest.Main(m, nil)
}

func TestScripts(t *testing.T) {
	testscript.Run(t, ctxtest.Params("testdata", nil))
}
