package webtools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/extract"
	"github.com/quarry-sdk/quarry/web"
	"github.com/quarry-sdk/quarry/web/search"
)

var fetchSchema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"url": {"type": "string", "description": "the address of the page, with https://"},
		"find": {"type": "string", "description": "what you look for on the page: of a long page, the passages that fit it best are shown"},
		"offset": {"type": "integer", "minimum": 0, "description": "the byte of the page's text to read on from"}
	},
	"required": ["url"],
	"additionalProperties": false
}`)

type fetchIn struct {
	URL    string `json:"url"`
	Find   string `json:"find"`
	Offset *int   `json:"offset"`
}

// Fetched is the typed output of web_fetch. The texts are not part of it: the
// snapshot has them.
type Fetched struct {
	URL      string      `json:"url"`
	FinalURL string      `json:"final_url,omitempty"`
	Outcome  web.Outcome `json:"outcome"`
	// Reason says why, where the page could not be read.
	Reason string `json:"reason,omitempty"`
	Status int    `json:"status,omitempty"`
	// FetchedAt is when the page was fetched.
	FetchedAt time.Time `json:"fetched_at"`
	// Snapshot is what web.Open takes; empty if nothing was kept.
	Snapshot string `json:"snapshot,omitempty"`
	// Extractor names what read the text, Bytes is its length, and Hidden how much
	// was left out that a reader does not see.
	Extractor string `json:"extractor,omitempty"`
	Bytes     int    `json:"bytes,omitempty"`
	Hidden    int    `json:"hidden,omitempty"`

	Title    string         `json:"title,omitempty"`
	Byline   string         `json:"byline,omitempty"`
	Language string         `json:"language,omitempty"`
	Dates    []extract.Date `json:"dates,omitempty"`
	// Parts are the stretches of the text that were shown.
	Parts []Part `json:"parts,omitempty"`
	// Links are those of the parts that were shown to the model.
	Links []Link `json:"links,omitempty"`

	doc     *extract.Document
	head    string // what is shown and why
	outline string
	foot    string // how to go on
}

// Part is a stretch of a page's text, in bytes.
type Part struct {
	Start int `json:"start"`
	End   int `json:"end"`
	// Page is the number of the page of a paged document that it begins on; else 0.
	Page int `json:"page,omitempty"`
}

// Link is a link of a page.
type Link struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

func fetchTool(cfg *Config) *quarry.Tool {
	return quarry.NewTool(quarry.ToolSpec{
		Counts: quarry.CountFetch,
		Name:   FetchName,
		Description: "Reads a page of the web, or a document such as a PDF: a short one whole; of a long one the outline and the passages that fit find best. " +
			"Give offset (a byte) to read another part. Use it for what " + SearchName + " found, for a link of a page, or for an address that you were given.",
		Effect:         quarry.ReadOnly,
		InputSchema:    fetchSchema,
		MaxResultBytes: 64 << 10,
		Scope:          quarry.Scope{Kind: quarry.ScopeURL, Field: "url"},
		Timeout:        3 * time.Minute,
	}, func(ctx context.Context, in fetchIn) (*Fetched, error) {
		return cfg.fetch(ctx, in)
	})
}

func (cfg *Config) fetch(ctx context.Context, in fetchIn) (*Fetched, error) {
	address := strings.TrimSpace(in.URL)
	if address == "" {
		return nil, errors.New("the url is empty; give the address of a page")
	}
	if err := cfg.admit(ctx, address); err != nil {
		return nil, err
	}
	s, err := cfg.Fetcher.Fetch(ctx, web.Request{URL: address})
	if err != nil {
		return nil, err
	}
	out := &Fetched{URL: s.URL, Outcome: s.Outcome, Status: s.Status, FetchedAt: s.FetchedAt(), Snapshot: s.Ref}
	if s.FinalURL != s.URL {
		out.FinalURL = s.FinalURL
	}
	if s.Outcome != web.OK {
		out.Reason = s.Reason
		cfg.tell(ctx, s, nil)
		return out, nil
	}
	doc, err := cfg.Read(ctx, s)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		out.Outcome, out.Reason = unreadable(err)
		cfg.tell(ctx, s, nil)
		return out, nil
	}
	cfg.tell(ctx, s, doc)
	out.describe(doc)
	if err := out.choose(in); err != nil {
		return nil, err
	}
	out.link()
	if call, ok := quarry.CallFrom(ctx); ok {
		call.Read(s.URL, markOf(doc.Text))
	}
	return out, nil
}

// tell tells the rest of the program what was read.
func (cfg *Config) tell(ctx context.Context, s *web.Snapshot, doc *extract.Document) {
	if cfg.Index != nil && doc != nil {
		page := search.Page{URL: s.URL, Title: doc.Title, Text: doc.Text}
		for _, d := range doc.Dates {
			if d.Kind == extract.Published {
				page.Published = d.Value
				break
			}
		}
		cfg.Index.Add(page)
	}
	if cfg.OnFetch != nil {
		cfg.OnFetch(ctx, s, doc)
	}
}

// unreadable is the outcome of a page whose bytes came and whose text cannot be had.
func unreadable(err error) (web.Outcome, string) {
	for _, u := range []struct {
		err     error
		outcome web.Outcome
	}{{extract.ErrEmpty, web.Empty}, {extract.ErrTooLarge, web.TooLarge}} {
		if errors.Is(err, u.err) {
			return u.outcome, fmt.Sprintf("its text cannot be read: %v", err)
		}
	}
	return web.UnsupportedType, fmt.Sprintf("its text cannot be read: %v", err)
}

func (o *Fetched) describe(doc *extract.Document) {
	o.doc, o.Extractor, o.Bytes, o.Hidden = doc, doc.Extractor, len(doc.Text), doc.Hidden
	o.Title, o.Byline, o.Language, o.Dates = doc.Title, doc.Byline, doc.Language, doc.Dates
}
