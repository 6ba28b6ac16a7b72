package surface

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/cmdutil"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/hosts"
	"github.com/ctx-sidecar/ctx/cmd/ctx/internal/iostreams"
	"github.com/ctx-sidecar/ctx/core/file"
	"github.com/ctx-sidecar/ctx/core/state"
	"github.com/ctx-sidecar/ctx/core/surface"
	"github.com/ctx-sidecar/ctx/core/wiring"
	"github.com/ctx-sidecar/ctx/plugins"
)

func newGateway(f *cmdutil.Factory) *cobra.Command {
	var host, workspace, http string
	cmd := &cobra.Command{
		Use:     "gateway",
		Short:   "Run the gateway by hand, on stdin and stdout",
		Example: "  ctx surface gateway --host claude",
		Args:    cmdutil.Args(0, 0),
		RunE: func(*cobra.Command, []string) error {
			program, err := f.Program("ctx-gateway")
			if err != nil {
				return err
			}
			argv := []string{program}
			for _, fl := range [][2]string{{"--host", host}, {"--workspace", workspace}, {"--http", http}} {
				if fl[1] != "" {
					argv = append(argv, fl[0], fl[1])
				}
			}
			return fmt.Errorf("run %s: %w", program, syscall.Exec(program, argv, f.Env))
		},
	}
	cmd.Flags().StringVar(&host, "host", "", "whose servers (default: the only host that is wired here)")
	cmd.Flags().StringVar(&workspace, "workspace", "", "workspace (default: the one that the current folder is in)")
	cmd.Flags().StringVar(&http, "http", "", "serve streamable HTTP on this loopback address in place of stdio")
	// Only a flag that does not exist fails here.
	_ = cmd.RegisterFlagCompletionFunc("host", hosts.Complete(f))
	return cmd
}

// Compiled is what ctx surface install-gateway --json prints.
type Compiled struct {
	Host    string   `json:"host"`
	Applied bool     `json:"applied"`
	Files   []string `json:"files"` // that are, or would be, written
	Diff    string   `json:"diff"`
	Launch  []string `json:"launch"` // starts the host with these files
}

func newInstallGateway(f *cmdutil.Factory) *cobra.Command {
	var names []string
	apply := false
	cmd := &cobra.Command{
		Use:   "install-gateway",
		Short: "Write a configuration that loads the gateway, without touching the user's own",
		Long: `Write a configuration with which a host, started by the command line that is
printed, loads the gateway in place of its MCP servers. The user's own files stay
as they are. Without --apply the difference is printed and nothing is written.`,
		Example: "  ctx surface install-gateway --host claude --apply",
		Args:    cmdutil.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(names) != 1 {
				return cmdutil.BadUsage("hosts: "+strings.Join(hosts.Names(f), ", "), "name one host: --host HOST")
			}
			set, err := hosts.Open(cmd.Context(), f, names)
			if err != nil {
				return err
			}
			defer set.Close()
			return compile(cmd, f, set.Hosts[0], apply)
		},
	}
	hosts.Flag(cmd, f, &names, "host to write for")
	cmd.Flags().BoolVar(&apply, "apply", false, "write the files")
	return cmd
}

func compile(cmd *cobra.Command, f *cmdutil.Factory, h *hosts.Host, apply bool) error {
	l, ws := f.Layout(), f.Workspace()
	src, err := h.Sources(cmd.Context(), ws, wiring.Open(l.Wraps()).Fronted(ws, h.Name()))
	if err != nil {
		return err
	}
	program, err := f.Program("ctx-gateway")
	if err != nil {
		return err
	}
	dir := state.FindDir(l, ws)
	if apply {
		// The folder is made, or one of the user's own is taken in its place.
		dir, _ = state.SafeDir(l, ws)
	}
	var servers []surface.Server
	for _, s := range src.Servers {
		if !s.Own && !s.Disabled {
			servers = append(servers, s)
		}
	}
	made, err := h.Compile(cmd.Context(), plugins.CompileRequest{
		Machine: h.Machine(), Workspace: ws, Servers: servers, Gateway: true, GatewayBin: program, Dir: dir,
	})
	if err != nil {
		return err
	}
	c := Compiled{Host: h.Name(), Applied: apply, Files: []string{}, Launch: made.Launch}
	var diff strings.Builder
	for _, m := range made.Files {
		path := filepath.Join(dir, m.Name)
		old, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		if string(old) == string(m.Content) {
			continue
		}
		c.Files = append(c.Files, path)
		from := path
		if err != nil {
			from = "/dev/null"
		}
		diff.WriteString(udiff.Unified(from, path, string(old), string(m.Content)))
		if apply {
			if err := file.Write(path, m.Content, 0o600); err != nil {
				return err
			}
		}
	}
	c.Diff = diff.String()
	return f.Print("install-gateway", c, c.print)
}

func (c Compiled) print(s *iostreams.Streams) {
	switch {
	case len(c.Files) == 0:
		fmt.Fprintln(s.Out, "Nothing to write.")
	case c.Applied:
		fmt.Fprintf(s.Out, "wrote: %s\n", strings.Join(c.Files, ", "))
	default:
		fmt.Fprintf(s.Out, "%s\nNothing was written: add --apply.\n", iostreams.CleanLines(c.Diff))
	}
	if len(c.Launch) > 0 {
		fmt.Fprintf(s.Out, "Then start the host with: %s\n", cmdutil.Start(surface.Server{Transport: surface.Stdio, Command: c.Launch[0], Args: c.Launch[1:]}))
	}
}
