package inventory

import (
	"os"

	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/surface"
)

const mostText = 256 << 10 // bytes of a prose that are looked into

// ReadText is an [Input.Text] that reads the file of an item; of one that is
// larger than 256 KiB, what the host is sent of it.
func ReadText(it surface.Item) (string, bool) {
	info, err := os.Stat(it.Place.File)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostText {
		return it.Text, it.Text != ""
	}
	b, err := file.Read(it.Place.File)
	return string(b), err == nil
}
