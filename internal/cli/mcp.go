package cli

import (
	"context"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
)

func (a *app) mcpCommand() *cobra.Command {
	var (
		corpora []string
		web     mcpWeb
		run     runFlags
	)
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve search and questions to programs that speak MCP",
		Long: `Mcp is a server of the Model Context Protocol. It gives a program the tools
"search", "ask" and "fetch_doc" over the corpora that --corpus names. A corpus that
is a folder is indexed when it is first used, and brought up to date at each call.

It speaks on stdin and stdout until stdin is closed, or with --http over HTTP until
it is interrupted. Where QUARRY_MCP_TOKEN is set, clients over HTTP must send it as
a bearer token.

The limits hold for each question. Questions are sessions like those of quarry ask:
one that a client has given up is gone on with by quarry sessions resume ID`,
		Example: `  quarry mcp --corpus ./docs
  quarry mcp --corpus manual --corpus ./notes --http 127.0.0.1:8080`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("quarry mcp takes no arguments; name each corpus with --corpus, such as --corpus %s", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.flags.machine() {
				return usagef("quarry mcp speaks its protocol on stdout; leave --json and --jsonl out")
			}
			if err := run.check(); err != nil {
				return err
			}
			return a.serveMCP(cmd.Context(), corpora, &web, &run)
		},
	}
	cmd.Flags().StringArrayVarP(&corpora, "corpus", "c", nil, "folder, or name of a corpus; may be given several times (required)")
	web.register(cmd.Flags())
	run.register(cmd.Flags(), askTurns)
	return cmd
}

// serveMCP serves until stdin is closed or ctx ends.
func (a *app) serveMCP(ctx context.Context, corpora []string, web *mcpWeb, run *runFlags) error {
	var port *mcpPort
	if web.addr != "" {
		var err error
		if port, err = web.open(ctx); err != nil {
			return err
		}
		defer port.Close()
	}
	server, err := a.newMCPServer(ctx, corpora, run)
	if err != nil {
		return err
	}
	defer server.close()
	if port != nil {
		return server.serveHTTP(ctx, port)
	}
	return server.serveStdio(ctx)
}

// serveStdio serves one client on stdin and stdout, until stdin is closed or ctx
// ends.
func (s *mcpServer) serveStdio(ctx context.Context) error {
	session, err := s.newSDK(ctx).Connect(ctx, &mcp.IOTransport{Reader: io.NopCloser(s.app.stdin), Writer: unclosed{s.app.stdout}}, nil)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		session.Close() // after the calls under way, which ctx has ended too
	})
	err = session.Wait()
	if !stop() {
		<-ended
		return nil
	}
	return err
}

// unclosed is a stdout that others may still write to.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
