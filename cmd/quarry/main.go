// Command quarry answers questions from documents, with a verbatim quote for
// every claim. Run it with --help.
package main

import (
	"os"

	"github.com/quarry-sdk/quarry/internal/cli"
)

func main() { os.Exit(cli.Main()) }
