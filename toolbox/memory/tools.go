package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/quarry-sdk/quarry"
)

// The names of the tools.
const (
	RememberName = "remember"
	RecallName   = "recall"
	ForgetName   = "forget"
)

// The limits of one answer of recall.
const (
	maxRecalled      = 50
	maxRecalledBytes = 24 << 10
	maxNear          = 10
)

// Tools returns remember, recall and forget.
func (s *Store) Tools() []*quarry.Tool {
	return []*quarry.Tool{
		quarry.NewTool(quarry.ToolSpec{
			Description: "Remembers a fact under a key, for later sessions too; a value that the key has already is replaced. " +
				"Use it for what will still hold and matter: decisions, preferences, results, boundaries. Not for secrets, and not for what stands in a file: remember the path.",
			Effect:     quarry.Keyed,
			Idempotent: true,
			KeyField:   "key",
			Name:       RememberName,
		}, s.remember),
		quarry.NewTool(quarry.ToolSpec{
			Description: "Looks up what was remembered: by a key, by the beginning of keys, or by words in keys and values. Without a query it lists the keys. " +
				"Use it before you search or ask for something that may be known.",
			Effect: quarry.ReadOnly,
			Name:   RecallName,
		}, s.recall),
		quarry.NewTool(quarry.ToolSpec{
			Description: "Forgets what is remembered under a key. Use it for what has turned out wrong or no longer holds; to correct it, use " + RememberName + ".",
			Effect:      quarry.Keyed,
			Idempotent:  true,
			KeyField:    "key",
			Name:        ForgetName,
		}, s.forget),
	}
}

type rememberIn struct {
	Key   string `json:"key" jsonschema:"a short name, such as report_language"`
	Value string `json:"value" jsonschema:"what is to be remembered, in a sentence or a few"`
}

func (s *Store) remember(ctx context.Context, in rememberIn) (string, error) {
	session := ""
	if call, ok := quarry.CallFrom(ctx); ok {
		session = call.Session
	}
	was, err := s.Remember(ctx, in.Key, in.Value, session)
	switch {
	case err != nil:
		return "", err
	case was == "" || was == in.Value:
		return fmt.Sprintf("Remembered %q (%d bytes).", strings.TrimSpace(in.Key), len(in.Value)), nil
	}
	return fmt.Sprintf("Remembered %q (%d bytes), in place of: %s", strings.TrimSpace(in.Key), len(in.Value), clip(oneLine(was), 300)), nil
}

type recallIn struct {
	Query string `json:"query,omitempty" jsonschema:"a key, the beginning of keys, or words; empty for the list of all keys"`
}

// recalled is the typed output of recall.
type recalled struct {
	Query   string  `json:"query"`
	Entries []Entry `json:"entries"`
	// All is how many entries the memory has, Found how many fit.
	All   int `json:"all"`
	Found int `json:"found"`

	by string // how they were found
}

func (s *Store) recall(ctx context.Context, in recallIn) (*recalled, error) {
	entries, err := s.Entries(ctx)
	if err != nil {
		return nil, err
	}
	out := &recalled{Query: norm.NFC.String(strings.TrimSpace(in.Query)), All: len(entries)}
	found, by := search(entries, out.Query)
	out.Found, out.by = len(found), by
	size := 0
	for _, e := range found {
		if out.Query == "" {
			e = Entry{Key: e.Key, Time: e.Time} // a list of the keys
		}
		if size += len(e.Key) + len(e.Value); size > maxRecalledBytes || e.Value != "" && len(out.Entries) == maxRecalled {
			break
		}
		out.Entries = append(out.Entries, e)
	}
	return out, nil
}

// search finds entries: that of the key, those whose keys begin with the query, or
// those that hold most of its words, best first.
func search(entries []Entry, query string) (found []Entry, by string) {
	if query == "" {
		return entries, "all"
	}
	if i, ok := find(entries, query); ok {
		return entries[i : i+1], "the key"
	}
	fold := strings.ToLower(query)
	for _, e := range entries {
		if strings.HasPrefix(strings.ToLower(e.Key), fold) {
			found = append(found, e)
		}
	}
	if found != nil {
		return found, "the beginning of the key"
	}
	words := strings.FieldsFunc(fold, func(r rune) bool { return strings.ContainsRune(" \t\r\n_-.,;:!?\"'()/", r) })
	score := func(e Entry) (n int) {
		text := strings.ToLower(e.Key + " " + e.Value)
		for _, w := range words {
			if strings.Contains(text, w) {
				n++
			}
		}
		return n
	}
	for _, e := range entries {
		if score(e) > 0 {
			found = append(found, e)
		}
	}
	slices.SortStableFunc(found, func(a, b Entry) int { return score(b) - score(a) })
	return found, "its words"
}

// ToolText is what the model reads.
func (r *recalled) ToolText() string {
	var b strings.Builder
	switch {
	case r.All == 0:
		return "Nothing is remembered yet."
	case r.Found == 0:
		return fmt.Sprintf("Nothing that is remembered fits %q; of %d entries none has this key or any of these words. Try other words, or no query for all keys.", r.Query, r.All)
	case r.Query == "":
		fmt.Fprintf(&b, "%d entries:\n", r.All)
		for _, e := range r.Entries {
			fmt.Fprintf(&b, "- %s\n", e.Key)
		}
	default:
		fmt.Fprintf(&b, "%d of %d entries, found by %s:\n", r.Found, r.All, r.by)
		for _, e := range r.Entries {
			fmt.Fprintf(&b, "- %s: %s (%s", e.Key, oneLine(e.Value), e.Time.Format("2006-01-02 15:04"))
			if e.Session != "" {
				fmt.Fprintf(&b, ", session %s", e.Session)
			}
			b.WriteString(")\n")
		}
	}
	if n := r.Found - len(r.Entries); n > 0 {
		fmt.Fprintf(&b, "[%d more are not shown; use a longer beginning of the key, or more words.]\n", n)
	}
	return b.String()
}

type forgetIn struct {
	Key string `json:"key" jsonschema:"the key, exactly as recall shows it"`
}

func (s *Store) forget(ctx context.Context, in forgetIn) (string, error) {
	found, err := s.Forget(ctx, in.Key)
	if err != nil {
		return "", err
	}
	if found {
		return fmt.Sprintf("Forgot %q.", strings.TrimSpace(in.Key)), nil
	}
	// This is no error: the call may have run before, and been cut off.
	entries, err := s.Entries(ctx)
	if err != nil {
		return "", err
	}
	near, _ := search(entries, norm.NFC.String(strings.TrimSpace(in.Key)))
	text := fmt.Sprintf("Nothing is remembered under %q.", strings.TrimSpace(in.Key))
	for i, e := range near[:min(len(near), maxNear)] {
		if i == 0 {
			text += " Keys that are near: "
		} else {
			text += ", "
		}
		text += e.Key
	}
	return text, nil
}

// clip shortens s to about n bytes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
