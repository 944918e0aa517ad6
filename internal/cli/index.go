package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-sdk/quarry/corpus"
)

func (a *app) indexCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "index DIR",
		Short: "Build or update the index of a folder of documents",
		Long: `Index reads the Markdown, HTML, text and reStructuredText files below DIR into a
corpus that can be searched and asked. Run it again after changes: only files
whose content has changed are read. Every file that is skipped is listed with
its reason.`,
		Example: `  quarry index ./docs --name manual`,
		Args:    exactly(1, "one folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			began := time.Now()
			if name == "" {
				var err error
				if name, err = a.corpusNameFor(args[0]); err != nil {
					return err
				}
			}
			index, report, err := a.updateCorpus(cmd.Context(), name, args[0])
			if err != nil {
				a.reportSkips(report)
				return err
			}
			defer index.Close()
			return a.printReport(name, report, time.Since(began))
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "name of the corpus (default: made of the folder's)")
	return cmd
}

// skipJSON is a skipped file in JSON output.
type skipJSON struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// reportJSON is the result of index --json.
type reportJSON struct {
	Corpus     string     `json:"corpus"`
	Documents  int        `json:"documents"`
	Passages   int        `json:"passages"`
	Indexed    int        `json:"indexed"`
	Unchanged  int        `json:"unchanged"`
	Removed    int        `json:"removed"`
	Skipped    []skipJSON `json:"skipped"`
	DurationMS int64      `json:"duration_ms"`
}

func (a *app) printReport(name string, r *corpus.Report, took time.Duration) error {
	if a.flags.machine() {
		out := reportJSON{name, r.Documents, r.Passages, r.Indexed, r.Unchanged, r.Removed, []skipJSON{}, took.Milliseconds()}
		for _, s := range r.Skipped {
			out.Skipped = append(out.Skipped, skipJSON{s.Path, s.Reason})
		}
		return a.printJSON(out)
	}
	a.reportSkips(r)
	_, err := fmt.Fprintf(a.stdout, "corpus %q: %s in %s: %d indexed, %d unchanged, %d removed, %d skipped (%v)\n",
		name, plural(r.Documents, "document"), plural(r.Passages, "passage"), r.Indexed, r.Unchanged, r.Removed, len(r.Skipped), took.Round(time.Millisecond))
	return err
}

// reportSkips lists what was not indexed, and why.
func (a *app) reportSkips(r *corpus.Report) {
	if r == nil || a.flags.machine() {
		return
	}
	for _, s := range r.Skipped {
		a.note("skipped %s: %s", clean(s.Path), s.Reason)
	}
}
