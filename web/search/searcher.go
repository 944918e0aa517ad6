package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Config says who is asked, and how.
type Config struct {
	// Logger is told of each attempt at its end. Defaults to none.
	Logger *slog.Logger
	// MaxWait is how long a search waits for its turn at a provider; one whose turn
	// would come later is passed over. Defaults to 5 s.
	MaxWait time.Duration
	// Providers are asked in this order, until one has an answer. Required.
	Providers []Provider
}

// Answer is what a search came to.
type Answer struct {
	// Results are the pages, best first, each once.
	Results []Result `json:"results"`
	// Provider is who found them; empty if nobody found anything.
	Provider string `json:"provider,omitempty"`
	// Attempts are the providers that were asked or passed over, in order.
	Attempts []Attempt `json:"attempts"`
}

// Attempt is one provider's part in a search.
type Attempt struct {
	Provider string `json:"provider"`
	// Query is the text as it was sent; empty if the provider was passed over.
	Query string `json:"query,omitempty"`
	// Found is how many results came, and Kept how many of them are other pages and
	// fit the query.
	Found int `json:"found"`
	Kept  int `json:"kept"`
	// Kind and Error are what went wrong; empty if nothing did.
	Kind  Kind   `json:"kind,omitempty"`
	Error string `json:"error,omitempty"`
	// Note says what a person should know, such as a query that was shortened.
	Note string `json:"note,omitempty"`
}

// Searcher asks one provider after the other until one has an answer. All agents of
// a program should share one: it keeps to what the providers allow. It may be used
// by many goroutines at once.
type Searcher struct {
	cfg   Config
	turns []*turns
}

// New returns a searcher.
func New(c Config) (*Searcher, error) {
	if len(c.Providers) == 0 {
		return nil, errors.New("new searcher: there is no provider: set Config.Providers")
	}
	if c.MaxWait == 0 {
		c.MaxWait = 5 * time.Second
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Providers = slices.Clone(c.Providers)
	s := &Searcher{cfg: c}
	for i, p := range c.Providers {
		if p == nil {
			return nil, fmt.Errorf("new searcher: provider %d is nil", i)
		}
		s.turns = append(s.turns, &turns{interval: p.Limits().Interval})
	}
	return s, nil
}

// Search looks for pages. A provider that fails, has nothing, or wants to be asked
// later is passed over for the next; the answer says what each did. It returns an
// error if ctx has ended, if the query cannot be meant, or if no provider could be
// asked; the answer then has the attempts.
func (s *Searcher) Search(ctx context.Context, q Query) (*Answer, error) {
	q.Text = strings.Join(strings.Fields(q.Text), " ")
	switch {
	case q.Text == "":
		return nil, errors.New("search: the query has no words")
	case q.Max < 0:
		return nil, fmt.Errorf("search: %d results are wanted; leave Max at 0 for %d", q.Max, DefaultMax)
	case !q.Since.IsZero() && !q.Until.IsZero() && q.Until.Before(q.Since):
		return nil, errors.New("search: Until is before Since")
	case q.Max == 0:
		q.Max = DefaultMax
	}
	q.Max = min(q.Max, MaxResults)
	a := &Answer{Results: []Result{}}
	asked := false
	for i, p := range s.cfg.Providers {
		results, attempt, err := s.ask(ctx, i, p, q)
		if err != nil {
			return a, err
		}
		a.Attempts = append(a.Attempts, attempt)
		s.cfg.Logger.LogAttrs(ctx, slog.LevelDebug, "search", slog.String("provider", attempt.Provider), slog.Int("found", attempt.Found),
			slog.Int("kept", attempt.Kept), slog.String("error", attempt.Error))
		asked = asked || attempt.Error == ""
		if len(results) > 0 {
			a.Results, a.Provider = results, p.Name()
			return a, nil
		}
	}
	if !asked {
		return a, &FailedError{Attempts: a.Attempts}
	}
	return a, nil
}

// FailedError is a search that no provider answered.
type FailedError struct {
	Attempts []Attempt
}

// Error implements error.
func (e *FailedError) Error() string {
	var each []string
	for _, a := range e.Attempts {
		each = append(each, strings.TrimPrefix(a.Error, "search "))
	}
	return "search: no provider answered: " + strings.Join(each, "; ")
}

// ask asks one provider. Its error is that of ctx.
func (s *Searcher) ask(ctx context.Context, i int, p Provider, q Query) ([]Result, Attempt, error) {
	attempt := Attempt{Provider: p.Name()}
	failed := func(e *Error) ([]Result, Attempt, error) {
		attempt.Kind, attempt.Error = e.Kind, e.Error()
		return nil, attempt, nil
	}
	limits := p.Limits()
	sent, note := fit(q, limits)
	if sent.Text == "" {
		return failed(&Error{Kind: KindInvalid, Provider: p.Name(), Message: "the query is too long for it; use fewer words or sites"})
	}
	wait, ok := s.turns[i].take(s.cfg.MaxWait)
	if !ok {
		return failed(&Error{Kind: KindRateLimited, Provider: p.Name(), RetryAfter: wait,
			Message: fmt.Sprintf("it was passed over, since its turn would come in %s", wait.Round(time.Millisecond))})
	}
	if err := sleep(ctx, wait); err != nil {
		return nil, attempt, err
	}
	attempt.Query, attempt.Note = sent.Text, note
	results, err := p.Search(ctx, sent)
	if ctx.Err() != nil {
		return nil, attempt, context.Cause(ctx)
	}
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			e = &Error{Kind: KindServer, Provider: p.Name(), Message: err.Error()}
		}
		s.turns[i].rest(e)
		return failed(e)
	}
	attempt.Found = len(results)
	kept := keep(results, q, p.Name())
	attempt.Kept = len(kept)
	return kept, attempt, nil
}

// keep leaves out what does not fit the query, and all but the first of the
// addresses of a page.
func keep(results []Result, q Query, provider string) []Result {
	var out []Result
	at := map[string]int{}
	for _, r := range results {
		u, err := url.Parse(r.URL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			continue
		}
		if host := strings.ToLower(u.Hostname()); len(q.Sites) > 0 && !below(host, q.Sites) || below(host, q.NotSites) {
			continue
		}
		if !within(r.Published, q.Since, q.Until) {
			continue
		}
		key := Key(r.URL)
		if i, seen := at[key]; seen {
			if out[i].URL != r.URL {
				out[i].Also = append(out[i].Also, r.URL)
			}
			continue
		}
		if len(out) == q.Max {
			continue
		}
		at[key] = len(out)
		r.Provider = provider
		out = append(out, r)
	}
	return out
}

// below tells whether a host is one of the sites or below one.
func below(host string, sites []string) bool {
	return slices.ContainsFunc(sites, func(site string) bool {
		site = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(site)), "www.")
		return host == site || strings.HasSuffix(host, "."+site)
	})
}

// within tells whether a date can be between the bounds: one that is not known can,
// and so can a month or a year that reaches into them.
func within(date string, since, until time.Time) bool {
	day := date
	if len(day) > len(time.DateOnly) {
		day = day[:len(time.DateOnly)]
	}
	cut := func(t time.Time) string { return t.Format(time.DateOnly)[:len(day)] }
	return day == "" || (since.IsZero() || day >= cut(since)) && (until.IsZero() || day <= cut(until))
}
