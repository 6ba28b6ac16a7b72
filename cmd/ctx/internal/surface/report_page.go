package surface

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path/filepath"
	"time"

	"github.com/cli/browser"
	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/survey"
	"github.com/ctx-sidecar/ctx/core/file"
	page "github.com/ctx-sidecar/ctx/core/report"
	"github.com/ctx-sidecar/ctx/core/state"
)

// Drawn is what ctx surface report prints with --json.
type Drawn struct {
	Report
	Page *WrittenPage `json:"page,omitempty"`
}

// WrittenPage is the page that was written.
type WrittenPage struct {
	File   string `json:"file"`
	Opened bool   `json:"opened"`
	Why    string `json:"why_not_opened,omitempty"` // where that was asked for
	page.Size
}

func newReport(f *cmdutil.Factory) *cobra.Command {
	var o survey.Options
	var output string
	var open bool
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Draw what a host loads: as bars, or as a page with a map",
		Long: `Draw what a host loads in this workspace: as bars in the terminal, or with
--output as one HTML page with a map of the costs, coloured by authority and use,
a search and a table of every record. The page needs no network and sends nothing.

--open shows the page in a browser: that of --output, else report.html in the
folder of what ctx knows of the workspace. Nothing is opened where the output is
no terminal. A file that is there and is no page of ours is never written over.`,
		Example: "  ctx surface report\n  ctx surface report --output surface.html --open\n  ctx surface report --host claude --output - > claude.html",
		Args:    cmdutil.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output == "-" && (f.JSON || open) {
				return cmdutil.BadUsage("name a file: --output surface.html", "a page that goes to standard output leaves no room for --json, and is no file to --open")
			}
			s, err := survey.Take(cmd.Context(), f, o)
			if err != nil {
				return err
			}
			defer s.Close()
			d := Drawn{Report: report("report", s)}
			for i := range d.Hosts {
				d.Hosts[i].Findings = find(d.Hosts[i].Inventory, d.Budget)
			}
			switch {
			case output == "-":
				_, err := page.HTML(f.IO.Out, d.pageOf())
				return err
			case output != "":
				output = absolute(f, output)
			case open:
				dir, why := state.SafeDir(f.Layout(), s.Workspace)
				if why != "" {
					fmt.Fprintf(f.IO.Err, "warning: %s; the page is kept in %s\n", why, dir)
				}
				output = filepath.Join(dir, "report.html")
			}
			if output == "" {
				return f.Print(noun, d, d.printBars)
			}
			if d.Page, err = write(output, d.pageOf()); err != nil {
				return err
			}
			if open {
				d.Page.open(f.IO)
			}
			return f.Print(noun, d, d.printPage)
		},
	}
	o.Flags(cmd, f)
	cmd.Flags().StringVarP(&output, "output", "o", "", "write an HTML page to this file (\"-\": to standard output)")
	cmd.Flags().BoolVar(&open, "open", false, "show the page in a browser")
	// Only a flag that does not exist fails here.
	_ = cmd.MarkFlagFilename("output", "html")
	return cmd
}

func absolute(f *cmdutil.Factory, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(f.Dir, path)
}

// pageOf is what the page shows.
func (d Drawn) pageOf() page.Page {
	p := page.Page{Workspace: d.Workspace, Tokenizer: d.Tokenizer, Budget: d.Budget, Made: time.Now()}
	for _, h := range d.Hosts {
		host := page.Host{Title: h.Title, Inventory: h.Inventory}
		for _, x := range h.Findings {
			host.Findings = append(host.Findings, page.Finding(x))
		}
		p.Hosts = append(p.Hosts, host)
	}
	return p
}

// write writes a page whole, over nothing but an older one.
func write(path string, p page.Page) (*WrittenPage, error) {
	ours, err := isPage(path)
	switch {
	case err != nil:
		return nil, unwritable(err)
	case !ours:
		return nil, cmdutil.Fail("remove it, or name another file with --output", "%s is there and is no page of ours: it is left as it is", path)
	}
	var b bytes.Buffer
	size, err := page.HTML(&b, p)
	if err == nil {
		err = file.Write(path, b.Bytes(), 0o600)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cmdutil.NotThere("make it first: mkdir -p "+filepath.Dir(path), "write the page: there is no folder %s", filepath.Dir(path))
	}
	if err != nil {
		return nil, unwritable(err)
	}
	return &WrittenPage{File: path, Size: size}, nil
}

func unwritable(err error) error {
	return cmdutil.Fail("name another file with --output", "write the page: %w", err)
}

// isPage reports whether a page may be written to a path: nothing is there, or a
// page.
func isPage(path string) (bool, error) {
	f, _, err := file.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	const most = 4096 // the mark is in the head, before the style
	head, err := io.ReadAll(io.LimitReader(f, most))
	return len(head) == 0 || page.IsPage(head), err
}

// open shows the page in the user's browser, if a user is there.
func (p *WrittenPage) open(s *iostreams.Streams) {
	if !s.Terminal {
		p.Why = "the output is no terminal"
		return
	}
	browser.Stdout, browser.Stderr = s.Err, s.Err
	if err := browser.OpenURL((&url.URL{Scheme: "file", Path: p.File}).String()); err != nil {
		p.Why = err.Error()
		return
	}
	p.Opened = true
}

func (d Drawn) printPage(s *iostreams.Streams) {
	p := d.Page
	fmt.Fprintf(s.Out, "%s (%d KB, %s)\n", iostreams.Clean(p.File), (p.Bytes+1023)/1024, count(p.Rows, "record"))
	if left := p.Records - p.Rows; left > 0 {
		fmt.Fprintf(s.Out, "  %s: a page lists %d at most, the heaviest; the others are counted with where they come from\n", count(left, "record")+" not listed", page.MostRows)
	}
	if p.Why != "" {
		fmt.Fprintf(s.Out, "  not opened: %s\n", iostreams.Clean(p.Why))
	}
	for _, h := range d.Hosts {
		fmt.Fprintf(s.Out, "  %s: %d of %d tokens in every request, %s\n", h.Title, h.Total.Resident, d.Budget, count(len(h.Findings), "finding"))
	}
}
