// Command mcp is an agent with the tools of an MCP server: by default a small library
// in this program, and with -stdio any server that is a command.
//
//	go run ./examples/mcp
//	go run ./examples/mcp -stdio "npx -y @modelcontextprotocol/server-everything" "Which tools do you have?"
//
// With -serve it is such a server itself:
//
//	go build -o /tmp/library ./examples/mcp && go run ./examples/mcp -stdio "/tmp/library -serve"
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/examples/internal/play"
	"github.com/quarry-sdk/quarry/toolbox/mcp"
)

// serverName is what the tools begin with: mcp__library__find_book.
const serverName = "library"

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mcp:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("mcp", flag.ContinueOnError)
	stdio := flags.String("stdio", "", "the command of a server that speaks over stdin and stdout")
	serve := flags.Bool("serve", false, "be the library's server on stdin and stdout")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *serve {
		return newLibrary().Run(ctx, &sdk.StdioTransport{})
	}
	prompt := strings.Join(flags.Args(), " ")
	if prompt == "" {
		prompt = `Lend me "Invisible Cities" and "If on a winter's night a traveler". I am Ada.`
	}

	// Connect waits until every server is ready. A process is given few variables of
	// the environment and no keys; Server.Env adds what it needs.
	var cfg mcp.Config
	if command := strings.Fields(*stdio); len(command) > 0 {
		cfg.Servers = map[string]mcp.Server{serverName: {Command: command[0], Args: command[1:], Required: true}}
	}
	servers, err := mcp.Connect(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, servers.Close()) }()
	if len(cfg.Servers) == 0 {
		if err := servers.Attach(ctx, serverName, newLibrary()); err != nil {
			return err
		}
	}
	for _, t := range servers.Tools() {
		fmt.Fprintf(out, "%s (%s): %s\n", t.Spec().Name, t.Spec().Effect, t.Spec().Description)
	}

	m, err := play.Model(os.Stderr, script)
	if err != nil {
		return err
	}
	agent, err := quarry.New(quarry.Config{Model: m, Tools: servers.Tools()})
	if err != nil {
		return err
	}
	result, err := agent.Run(ctx, quarry.Input{Prompt: prompt})
	if err != nil {
		return err
	}
	if !result.OK() {
		return fmt.Errorf("the run ended as %s: %s", result.Subtype, result.Detail)
	}
	fmt.Fprintf(out, "The agent says: %s\n", result.Text)
	return nil
}
