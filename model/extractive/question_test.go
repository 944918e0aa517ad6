package extractive

import (
	"slices"
	"strings"
	"testing"
)

func TestSentences(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"One. Two! Three? Four", []string{"One.", "Two!", "Three?", "Four"}},
		{"Use a tool, e.g. pg_dump. pg_restore reads it.", []string{"Use a tool, e.g. pg_dump.", "pg_restore reads it."}},
		{"Dr. Smith and J. Doe met on Jan. 5. They left.", []string{"Dr. Smith and J. Doe met on Jan. 5.", "They left."}},
		{"The limit is 1.5 MB (see 2.3). It holds.", []string{"The limit is 1.5 MB (see 2.3).", "It holds."}},
		{"He said “no.” Then he left.", []string{"He said “no.”", "Then he left."}},
		{"Heading\n\nA sentence that a line break\ncuts somewhere.", []string{"Heading", "A sentence that a line break", "cuts somewhere."}},
		{"This is a line that was broken at seventy characters because it had to be\nfitted to a width.", []string{"This is a line that was broken at seventy characters because it had to be\nfitted to a width."}},
		{"a\tb\nc\td", []string{"a\tb", "c\td"}},
		{"- one\n- two", []string{"- one", "- two"}},
		{"第一句。第二句！“第三句？”第四", []string{"第一句。", "第二句！", "“第三句？”", "第四"}},
		{"", nil},
		{" \n\n ", nil},
	} {
		var got []string
		for _, s := range sentencesOf(tt.text) {
			got = append(got, tt.text[s.start:s.end])
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"Tables are indexed", "tabl are index"},
		{"set max_size in server.conf", "set max size max_size in server conf server.conf"},
		{"the % operator", "the % oper"},
		{`\watch repeats`, `\watch repeat`},
		{"数据库", "数据 据库"},
		{"用PG库", "用 pg 库"},
		{"a - b", "a b"},
	} {
		var got []string
		for _, w := range make(stemmer).words(tt.text) {
			got = append(got, w.stem)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, s, tt.want)
		}
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"What is the default port?", []string{"What is the default port?"}},
		{"I use a proxy. What is the port, and which file holds it?", []string{"What is the port", ", and which file holds it?"}},
		{"Where does it go, and at which size is it flushed?", []string{"Where does it go", ", and at which size is it flushed?"}},
		{"How do I read and write files?", []string{"How do I read and write files?"}},
		{"Is it fast? Why?", []string{"Is it fast?", "Why?"}},
		{"Tell me about ports", []string{"Tell me about ports"}},
	} {
		var got []string
		for _, s := range split(tt.text) {
			got = append(got, tt.text[s.start:s.end])
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text     string
		want     []string
		distinct string
	}{
		{"Can I use PgBouncer here?", []string{"PgBouncer"}, "PgBouncer"},
		{"What is max_size in Oracle’s engine?", []string{"max_size", "Oracle"}, "max_size"},
		{"Which RDS instance?", []string{"RDS"}, ""},
		{"Where is it?", nil, ""},
	} {
		got := names(tt.text)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q: got %q", tt.text, got)
		}
		for _, n := range got {
			if distinct(n) != (n == tt.distinct) {
				t.Errorf("%q: distinct is %v", n, distinct(n))
			}
		}
	}
}

func TestWants(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		question, good, bad string
	}{
		{"how long is the pause by default?", "The default is 5 seconds.", "It pauses for a while."},
		{"how many columns may a table have?", "At most 1600 columns.", "See Section 5.3 about columns."},
		{"which file must exist?", "Create standby.signal there.", "A file must be there."},
		{"which setting limits memory?", "It is work_mem that limits memory.", "Memory is limited."},
		{"why is it slow?", "It is slow because it reads all.", "It is slow."},
		{"最多多少个？", "最多五千个。", "有很多。"},
	} {
		w := wants(tt.question, tt.question)
		if good, bad := w.fit(tt.good, tt.question), w.fit(tt.bad, tt.question); good <= bad {
			t.Errorf("%q: %q fits %.2f, %q fits %.2f", tt.question, tt.good, good, tt.bad, bad)
		}
	}
}

func TestThesaurus(t *testing.T) {
	t.Parallel()
	find := func(text string) []string {
		var all []string
		for _, m := range expansions(make(stemmer), text) {
			all = append(all, m.words...)
		}
		return all
	}
	for text, want := range map[string]string{
		"does it wait for clients?":    "listen",
		"what holds out of the box?":   "default",
		"how do I switch on the cache": "enable",
	} {
		if !slices.Contains(find(text), want) {
			t.Errorf("%q gives %q, not %q", text, find(text), want)
		}
	}
	if got := find("the box is out"); slices.Contains(got, "default") {
		t.Errorf("a phrase was found in another order: %q", got)
	}
}
