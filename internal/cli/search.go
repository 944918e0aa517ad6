package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quarry-sdk/quarry/corpus"
)

func (a *app) searchCommand() *cobra.Command {
	var (
		corpusArg, doc string
		limit          int
		text           bool
	)
	cmd := &cobra.Command{
		Use:   "search QUERY",
		Short: "Search a corpus, without a model",
		Long: `Search prints the documents that best fit the query, each with the beginning of
its best passage. With --doc ID --text it prints a document's canonical text
instead: the offsets of citations count the bytes of that text.`,
		Example: `  quarry search "vacuum full" --corpus manual
  quarry search --doc sql-vacuum --text --corpus manual`,
		Args: func(cmd *cobra.Command, args []string) error {
			if doc != "" {
				return exactly(0, "no query beside --doc")(cmd, args)
			}
			return exactly(1, "one query")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if text != (doc != "") {
				return usagef("--doc ID and --text go together")
			}
			if limit < 1 || limit > 1000 {
				return usagef("--limit is %d; it must be from 1 to 1000", limit)
			}
			if doc == "" && strings.TrimSpace(args[0]) == "" {
				return usagef("the query is empty; say what to search for")
			}
			index, _, err := a.openCorpus(cmd.Context(), corpusArg)
			if err != nil {
				return err
			}
			defer index.Close()
			if doc != "" {
				return a.printDocument(cmd, index, doc)
			}
			hits, err := index.Search(cmd.Context(), args[0], limit)
			if err != nil {
				return err
			}
			return a.printHits(args[0], hits)
		},
	}
	cmd.Flags().StringVarP(&corpusArg, "corpus", "c", "", "folder, or name of a corpus (required)")
	cmd.Flags().IntVar(&limit, "limit", 10, "number of documents")
	cmd.Flags().StringVar(&doc, "doc", "", "id of a document to print")
	cmd.Flags().BoolVar(&text, "text", false, "with --doc: print the canonical text")
	return cmd
}

func (a *app) printDocument(cmd *cobra.Command, index *corpus.Index, id string) error {
	d, err := index.Document(cmd.Context(), id)
	if errors.Is(err, corpus.ErrNoDocument) {
		return usagef("%w", err)
	}
	if err != nil {
		return err
	}
	if a.flags.machine() {
		return a.printJSON(map[string]string{"doc_id": d.ID, "title": d.Title, "path": d.Path, "text": d.Text})
	}
	_, err = fmt.Fprint(a.stdout, d.Text)
	return err
}

// hitJSON is a hit of search --json.
type hitJSON struct {
	Rank    int     `json:"rank"`
	DocID   string  `json:"doc_id"`
	Title   string  `json:"title"`
	Path    string  `json:"path"`
	Score   float64 `json:"score"`
	Snippet string  `json:"snippet"`
	Start   int     `json:"start"`
	End     int     `json:"end"`
}

// searchJSON is the result of search --json.
type searchJSON struct {
	Query string    `json:"query"`
	Hits  []hitJSON `json:"hits"`
}

func newSearchJSON(query string, hits []corpus.Hit) searchJSON {
	out := searchJSON{query, []hitJSON{}}
	for _, h := range hits {
		out.Hits = append(out.Hits, hitJSON{h.Rank, h.DocID, h.Title, h.Path, h.Score, h.Snippet, h.Start, h.End})
	}
	return out
}

func (a *app) printHits(query string, hits []corpus.Hit) error {
	if len(hits) == 0 {
		a.exit = exitNoAnswer
	}
	if a.flags.machine() {
		return a.printJSON(newSearchJSON(query, hits))
	}
	if len(hits) == 0 {
		a.note(nothingFound)
	}
	writeHits(a.stdout, hits)
	return nil
}

// nothingFound says that a search has no hits.
const nothingFound = "nothing found; try other or fewer words"

func writeHits(w io.Writer, hits []corpus.Hit) {
	for _, h := range hits {
		fmt.Fprintf(w, "%2d. %s  (%s, bytes %d–%d)\n", h.Rank, clean(h.Title), clean(h.DocID), h.Start, h.End)
		for _, line := range wrap(clean(h.Snippet), 76) {
			fmt.Fprintf(w, "    %s\n", line)
		}
	}
}
