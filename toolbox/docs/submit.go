package docs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/corpus"
	"github.com/quarry-sdk/quarry/evidence"
	"github.com/quarry-sdk/quarry/toolbox/internal/reading"
)

// The limits of submit_answer.
const (
	maxTries     = 3
	maxCitations = 20
	// maxQuoteChars is the length of a quote in characters: a quote is a few
	// sentences, not a page.
	maxQuoteChars = 2000
)

var submitSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"answer": {"type": "string", "description": "the answer, in the language of the question"},
		"citations": {
			"type": "array",
			"description": "what the answer rests on; at least one, except where not_in_corpus is true",
			"items": {
				"type": "object",
				"properties": {
					"doc_id": {"type": "string", "description": "a document that search_docs or fetch_doc showed in this session"},
					"quote": {"type": "string", "description": "words copied exactly from the text of that document: a sentence or a few that follow each other"}
				},
				"required": ["doc_id", "quote"],
				"additionalProperties": false
			}
		},
		"not_in_corpus": {"type": "boolean", "description": "true where the corpus does not answer the question; the answer then says so"}
	},
	"required": ["answer", "citations", "not_in_corpus"],
	"additionalProperties": false
}`)

type submitIn struct {
	Answer      string `json:"answer"`
	Citations   []cite `json:"citations"`
	NotInCorpus bool   `json:"not_in_corpus"`
}

type cite struct {
	DocID string `json:"doc_id"`
	Quote string `json:"quote"`
}

func submitTool(ix *corpus.Index) *quarry.Tool {
	return quarry.NewTool(quarry.ToolSpec{
		Name: SubmitName,
		Description: "Hands in the answer and ends the work. Each citation is checked: the document must have been shown in this session and must hold the quote word for word. " +
			"Use it once, when you have the answer or know that the corpus has none; a refusal says what to mend.",
		Effect:      quarry.Exclusive,
		EndsRun:     true,
		Idempotent:  true, // it only checks
		InputSchema: submitSchema,
		MaxTries:    maxTries,
	}, func(ctx context.Context, in submitIn) (*Answer, error) {
		return submit(ctx, ix, in)
	})
}

// submit checks an answer. Its error names everything that is to be mended.
func submit(ctx context.Context, ix *corpus.Index, in submitIn) (*Answer, error) {
	call, ok := quarry.CallFrom(ctx)
	if !ok {
		return nil, errors.New("there is no run")
	}
	answer := &Answer{Answer: strings.TrimSpace(in.Answer), NotInCorpus: in.NotInCorpus, Citations: []Citation{}}
	var faults []string
	if answer.Answer == "" {
		faults = append(faults, "The answer is empty. Say what the corpus says; where it does not answer, say that and set not_in_corpus to true.")
	}
	switch {
	case len(in.Citations) == 0 && !in.NotInCorpus:
		faults = append(faults, "An answer needs at least one citation: the doc_id of a document that you have read and a quote copied from it. Where the corpus does not answer, set not_in_corpus to true and say so.")
	case len(in.Citations) > maxCitations:
		return nil, fmt.Errorf("there are %d citations and the limit is %d; keep those that the answer rests on", len(in.Citations), maxCitations)
	}
	shown := seenIn(call.Earlier())
	texts := make(map[string]*evidence.Text)
	for i, c := range in.Citations {
		found, fault, err := verify(ctx, ix, shown, texts, c)
		switch {
		case err != nil:
			return nil, err
		case fault != "":
			faults = append(faults, fmt.Sprintf("Citation %d (%s): %s", i+1, reading.OneLine(c.DocID, 100), fault))
		case !holds(answer.Citations, found):
			answer.Citations = append(answer.Citations, *found)
		}
	}
	if len(faults) > 0 {
		return nil, errors.New("the answer was not taken:\n" + strings.Join(faults, "\n"))
	}
	return answer, nil
}

// verify finds the quote of a citation in its document. The fault says why the
// citation is not taken.
func verify(ctx context.Context, ix *corpus.Index, shown seen, texts map[string]*evidence.Text, c cite) (found *Citation, fault string, err error) {
	if strings.TrimSpace(c.Quote) == "" {
		return nil, "the quote is empty; copy a sentence of the document.", nil
	}
	if n := utf8.RuneCountInString(c.Quote); n > maxQuoteChars {
		return nil, fmt.Sprintf("the quote has %d characters and the limit is %d; quote the sentence that matters.", n, maxQuoteChars), nil
	}
	doc, err := ix.Document(ctx, c.DocID)
	if errors.Is(err, corpus.ErrNoDocument) {
		_, err := document(ctx, ix, c.DocID)
		return nil, err.Error() + ".", nil
	}
	if err != nil {
		return nil, "", err
	}
	if !shown.docs[doc.ID] {
		return nil, fmt.Sprintf("this document was not shown in this session. Read it with %s first, or cite one that you have seen.", FetchName), nil
	}
	text := texts[doc.ID]
	if text == nil {
		text = evidence.NewText(doc.Text)
		texts[doc.ID] = text
	}
	spans := text.Locate(c.Quote)
	if len(spans) == 0 {
		return nil, text.Explain(c.Quote).String(), nil
	}
	at, page, fault := placed(doc, spans)
	if fault != "" {
		return nil, fault, nil
	}
	return &Citation{DocID: doc.ID, Title: doc.Title, Path: doc.Path, Page: page, Quote: doc.Text[at.Start:at.End], Start: at.Start, End: at.End}, "", nil
}

// placed chooses the first place of a quote that can be quoted, and tells its page.
// The fault says why none can.
func placed(doc *corpus.Document, spans []evidence.Span) (at evidence.Span, number *int, fault string) {
	for _, at := range spans {
		page, ok := doc.PageAt(at.Start)
		if !ok {
			return at, nil, ""
		}
		if page.Unquotable == "" {
			return at, &page.Number, ""
		}
		fault = fmt.Sprintf("page %d of this document cannot be quoted: %s Cite another page.", page.Number, reading.OneLine(page.Unquotable, 200))
	}
	return at, nil, fault
}

// holds tells whether the same stretch is cited already.
func holds(list []Citation, c *Citation) bool {
	for _, have := range list {
		if have.DocID == c.DocID && have.Start == c.Start && have.End == c.End {
			return true
		}
	}
	return false
}
