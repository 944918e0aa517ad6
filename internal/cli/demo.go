package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	manual "github.com/quarry-sdk/quarry/docs"
	"github.com/quarry-sdk/quarry/model/extractive"
)

// demoQuestion is answered by the manual.
const demoQuestion = "How do I resume a session that was interrupted?"

func (a *app) demoCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See it work: index the built-in manual and answer a question from it",
		Long: `Demo needs no key and no network. It writes the built-in manual to a folder,
indexes it, and asks it a question with the built-in model: the trace, the answer
and its citations are what any corpus and any model would give.`,
		Example: "  quarry demo --out ./demo",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.demo(cmd.Context(), out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "folder to write to (default: demo below the home folder)")
	return cmd
}

func (a *app) demo(ctx context.Context, out string) error {
	if out == "" {
		out = filepath.Join(a.home(), "demo")
	}
	a.flags.home = out
	folder := filepath.Join(out, "manual")
	pages, err := writeManual(folder)
	if err != nil {
		return fmt.Errorf("write the manual: %w; choose another folder with --out", err)
	}
	a.note("1. The manual, %s, is in %s", plural(pages, "page"), folder)
	index, report, err := a.updateCorpus(ctx, "manual", folder)
	if err != nil {
		return err
	}
	defer index.Close()
	a.note("2. Indexed: %d documents in %s", report.Documents, a.corpusDir("manual"))
	a.note("3. Asking, without a key, with the built-in model:\n")
	store, err := a.store(ctx)
	if err != nil {
		return err
	}
	defer store.Close()
	agent, err := a.newAsker(ctx, index, extractive.New(), store, &runFlags{})
	if err != nil {
		return err
	}
	in := askInput(demoQuestion, "manual")
	in.Title = "demo"
	if err := a.converse(ctx, agent, in, nil); err != nil {
		return err
	}
	a.note("\nThe journal of this run is %s. See it again, or ask yourself:", filepath.Join(out, "quarry.db"))
	a.note("  quarry sessions list --home %s", out)
	a.note("  quarry ask \"What does the extractive model do?\" --corpus manual --home %s", out)
	return nil
}

// writeManual writes the embedded manual to a folder of its own.
func writeManual(folder string) (pages int, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return 0, err
	}
	entries, err := fs.ReadDir(manual.Files, ".")
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		data, err := fs.ReadFile(manual.Files, e.Name())
		if err != nil {
			return 0, err
		}
		path := filepath.Join(folder, e.Name())
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return 0, err
		}
		pages++
	}
	if pages == 0 {
		return 0, errors.New("the binary has no manual")
	}
	return pages, nil
}
