package docs

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/session"

	"github.com/quarry-sdk/quarry/toolbox/internal/reading"
)

// seen is what the session's model has been shown so far.
type seen struct {
	docs    map[string]bool
	queries []string // oldest first
}

// seenIn reads the journaled results of search_docs and fetch_doc.
func seenIn(earlier []*session.ToolAnswered) seen {
	s := seen{docs: make(map[string]bool)}
	for _, r := range earlier {
		if r.IsError || r.Output == nil {
			continue
		}
		switch r.Name {
		case SearchName:
			var out searchOut
			if json.Unmarshal(r.Output, &out) != nil {
				continue
			}
			s.queries = append(s.queries, out.Query)
			for _, h := range out.Hits {
				s.docs[h.DocID] = true
			}
		case FetchName:
			var out fetchOut
			if json.Unmarshal(r.Output, &out) == nil {
				s.docs[out.DocID] = true
			}
		}
	}
	return s
}

// The parts of the question by which the parts of a long document are chosen.
const (
	questionBytes   = 1500
	questionQueries = 2
)

// question is what the model is looking for: the prompt and its latest searches.
func question(call *quarry.Call) string {
	if call == nil {
		return ""
	}
	parts := []string{call.Prompt[:reading.RuneStart(call.Prompt, questionBytes)]}
	queries := seenIn(call.Earlier()).queries
	for _, q := range slices.Backward(queries) {
		if len(parts) > questionQueries {
			break
		}
		parts = append(parts, q)
	}
	return strings.Join(parts, "\n")
}
