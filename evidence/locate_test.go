package evidence

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Invisible characters, named so that the tables can be read.
const (
	nbsp, thin, nnbsp  = "\u00a0", "\u2009", "\u202f"
	shy, zwsp, wj, bom = "\u00ad", "\u200b", "\u2060", "\ufeff"
	lrm, rlo           = "\u200e", "\u202e"
	nj, j              = "\u200c", "\u200d"
)

func TestLocateAccepts(t *testing.T) {
	t.Parallel()
	// The quote must be found once, as the part of the text between ⟦ and ⟧.
	tests := []struct{ name, text, quote string }{
		{"itself", "a ⟦plain text⟧ here", "plain text"},
		{"whole text", "⟦plain text⟧", "plain text"},
		{"blanks at the quote's ends", "a ⟦plain text⟧ here", "\n plain text\t"},
		{"white space", "a ⟦plain \t\r\n text" + nbsp + "in\u2028lines⟧ here", "plain text in lines"},
		{"white space in the quote", "a ⟦plain text⟧ here", "plain" + nbsp + "\n text"},
		{"ideographic space", "⟦東京\u3000大阪⟧", "東京 大阪"},
		{"text in NFD", "le ⟦cafe\u0301 noir⟧.", "café noir"},
		{"quote in NFD", "le ⟦café noir⟧.", "cafe\u0301 noir"},
		{"Hangul in NFD", "⟦\u1112\u1161\u11ab\u1100\u116e\u11a8⟧ 2", "한국"},
		{"singleton", "⟦5 \u212b⟧", "5 Å"},
		{"marks in another order", "⟦a\u0323\u0302⟧ b", "a\u0302\u0323"},
		{"mark behind a soft hyphen", "un ⟦cafe" + shy + "\u0301⟧.", "café"},
		{"typographic quotes", "He said ⟦“it’s ‘fine’”⟧.", `"it's 'fine'"`},
		{"guillemets", "Il dit ⟦«non»⟧.", `"non"`},
		{"low quotes", "Er sagt ⟦„nein“⟧.", `"nein"`},
		{"plain in the text", `He said ⟦"it's fine"⟧.`, "“it’s fine”"},
		{"dashes", "⟦one – two — three ‑ four ― five⟧", "one - two - three - four - five"},
		{"minus sign", "at ⟦−5 °C⟧ outside", "-5 °C"},
		{"soft hyphen", "an ⟦ex" + shy + "am" + shy + "ple⟧.", "example"},
		{"zero width", bom + "⟦zero" + zwsp + "width" + wj + "text⟧", "zerowidthtext"},
		{"zero width in the quote", "⟦zerowidth⟧", "zero" + zwsp + "width"},
		{"directional marks", "⟦שלום" + lrm + " עולם⟧", "שלום עולם"},
		{"non-joiner in Latin", "⟦Auf" + nj + "lage⟧", "Auflage"},
		{"non-joiner in Persian, kept", "⟦می" + nj + "خواهم⟧", "می" + nj + "خواهم"},
		{"broken word, joined", "an ⟦exam-\nple⟧ here", "example"},
		{"broken word, hyphen kept", "a ⟦well-\nknown⟧ man", "well-known"},
		{"broken word, copied", "a ⟦well-\nknown⟧ man", "well-\nknown"},
		{"broken word, on one line", "a ⟦well-\nknown⟧ man", "well- known"},
		{"two broken words read differently", "a ⟦well-\nknown exam-\r\n  ple⟧ here", "well-known example"},
		{"broken word with other hyphens", "⟦a re-en-\ntry of x-rays⟧", "a re-entry of x-rays"},
		{"break beside a digit", "⟦COVID-\n19⟧ is", "COVID-19"},
		{"soft hyphen at the end of a line", "an ⟦exam" + shy + "\nple⟧ here", "example"},
		{"number whole", "it cost ⟦1,234.50⟧, he said", "1,234.50"},
		{"number at the end of a sentence", "it was ⟦12⟧. Then", "12"},
		{"number before a comma", "it was ⟦12⟧, then", "12"},
		{"grouped with a thin space", "⟦1" + thin + "234" + nnbsp + "567⟧ people", "1 234 567"},
		{"year before a number", "in ⟦2019⟧ 300 people", "2019"},
		{"cells are not groups", "12\t⟦500⟧\t7", "500"},
		{"lines are not groups", "Gold: 12\n⟦500 guests⟧", "500 guests"},
		{"percent whole", "rose ⟦1.5%⟧ in", "1.5%"},
		{"currency whole", "paid ⟦$5 million⟧ in", "$5 million"},
		{"price of another number", "5 € ⟦7 €⟧", "7 €"},
		{"list dash", "- ⟦5 apples⟧", "5 apples"},
		{"spaced dash", "the team – ⟦5 people⟧ – won", "5 people"},
		{"long dash between words", "the dog—⟦a poodle⟧—ran", "a poodle"},
		{"long dash before a number", "the team—⟦5 people⟧—won", "5 people"},
		{"ends with a long dash", "⟦the dog—⟧a poodle", "the dog—"},
		{"starts with a long dash", "the dog⟦—a poodle⟧ ran", "—a poodle"},
		{"two hyphens as a dash", "the dog--⟦a poodle⟧", "a poodle"},
		{"ellipsis of the text", "⟦one … two⟧", "one … two"},
		{"ellipsis before a number", "and...⟦5 people⟧", "5 people"},
		{"lost blank after a sentence", "the end.⟦Next one⟧", "Next one"},
		{"footnote in brackets", "⟦the word⟧[1] is", "the word"},
		{"single quotes around", "the '⟦word⟧' is", "word"},
		{"CJK by character", "今天⟦天气很好⟧我们走", "天气很好"},
		{"Latin beside CJK", "使用⟦iPhone⟧手机", "iPhone"},
		{"Thai by character", "ประเทศ⟦ไทย⟧มี", "ไทย"},
		{"invalid text around", "\xff ⟦plain text⟧ \xc3", "plain text"},
		{"invisible around", "a" + zwsp + " " + shy + "⟦word⟧" + zwsp + " " + bom + "next", "word"},
		{"unreadable byte and soft hyphen", "⟦a\xff⟧" + shy + " b", "a\ufffd"},
		{"replacement character", "a ⟦b\ufffdc⟧ d", "b\ufffdc"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before, rest, _ := strings.Cut(tt.text, "⟦")
			inner, after, ok := strings.Cut(rest, "⟧")
			if !ok {
				t.Fatal("table: no ⟦…⟧")
			}
			want := Span{len(before), len(before) + len(inner)}
			text := before + inner + after
			for _, got := range [][]Span{Locate(text, tt.quote), NewText(text).Locate(tt.quote)} {
				if len(got) != 1 || got[0] != want {
					t.Errorf("Locate(%q, %q) = %v, want %v", text, tt.quote, got, want)
				}
			}
			if e := Explain(text, tt.quote); e.Reason != ReasonFound {
				t.Errorf("Explain = %+v, want found", e)
			}
		})
	}
}

func TestLocateRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, quote string }{
		{"empty quote", "text", ""},
		{"blank quote", "a b", " \n"},
		{"punctuation only", "one – two. (three)", "-"},
		{"ellipsis only", "one … two", "…"},
		{"emoji only", "good 👍 work", "👍"},
		{"empty text", "", "word"},
		{"invalid quote", "caf\xc3\xa9 noir", "caf\xc3"},
		{"invalid quote, same bytes", "a \xff b", "a \xff b"},
		{"quote longer than text", "short", "short text"},

		{"letter case", "The board", "the board"},
		{"accent", "le café noir", "le cafe noir"},
		{"ligature", "the ﬁrm", "the firm"},
		{"full width", "全部１２件", "全部12件"},
		{"superscript", "10² m", "102 m"},
		{"homoglyph", "the bank", "the b\u0430nk"},
		{"prime", "5′ tall", "5' tall"},
		{"three dots", "one … two", "one ... two"},
		{"ellipsis join", "one two three four five", "one two … four five"},
		{"ellipsis at the end", "one two three", "one two..."},
		{"dropped word", "is not able to", "is able to"},
		{"swapped words", "man bites dog", "dog bites man"},
		{"wrapped in marks", "one two three", `"one two"`},
		{"blank inside a word", "together", "to gether"},
		{"blank lost", "to gether", "together"},
		{"punctuation", "one, two", "one two"},
		{"non-joiner in Persian", "می" + nj + "خواهم", "میخواهم"},
		{"joiner in an emoji", "a 👩" + j + "💻 b", "a 👩💻 b"},
		{"directional override", "pay " + rlo + "12 now", "pay 12 now"},

		{"word in a word", "unable to", "able to"},
		{"start of a word", "workers", "work"},
		{"contraction", "he can't go", "he can"},
		{"typographic contraction", "he isn’t here", "he isn"},
		{"elided negation", "il n’a jamais", "a jamais"},
		{"prefix with a hyphen", "a non-profit body", "profit body"},
		{"non-breaking hyphen", "a non‑profit body", "profit body"},
		{"rating", "rated BBB- by", "rated BBB"},
		{"suspended hyphen", "pre- and post-war", "pre"},
		{"name with an en dash", "the Paris–London train", "London train"},
		{"initials", "the U.S. army", "S. army"},
		{"host name", "see www.example.com now", "example.com"},
		{"mail address", "to ann@example.org", "example.org"},
		{"language", "in C++ and", "in C"},
		{"company", "at AT&T now", "at AT"},
		{"alternatives", "he/she said", "she said"},
		{"mark after the quote", "cafe\u0301 noir", "cafe"},
		{"mark that does not compose", "x\u0302 is", "x"},
		{"unreadable letter", "caf\ufffd noir", "caf"},
		{"unreadable byte", "caf\xe9 noir", "caf"},
		{"Korean particle", "서울에서 만나", "서울"},
		{"half a broken word", "an exam-\nple here", "ple here"},
		{"half a broken word, first", "an exam-\nple here", "an exam"},
		{"half a broken word with hyphen", "an exam-\nple here", "an exam-"},
		{"hyphen not at a line break", "a re-sign of", "a resign of"},
		{"hyphen and blank", "a re- sign of", "a resign of"},
		{"dash at a line break", "exam–\nple", "example"},
		{"quote broken, text not", "a resign of", "a re-\nsign of"},
		{"joined beside a digit", "COVID-\n19 is", "COVID19 is"},
		{"joined range", "2019-\n2020", "20192020"},
		{"sign at the start of a line", "about\n-5 degrees", "about 5 degrees"},
		{"soft hyphen between digits", "10" + shy + "\n15", "1015"},

		{"sign lost", "at −5 degrees", "5 degrees"},
		{"sign inside lost", "at −5 degrees", "at 5 degrees"},
		{"plus lost", "grew +5 points", "5 points"},
		{"sign added", "at 5 degrees", "at -5 degrees"},
		{"sign from a range", "from 10-5 to", "-5 to"},
		{"tail of a range", "10–15 people", "15 people"},
		{"head of a range", "10–15 people", "10"},
		{"long dash range", "10—15 people", "15 people"},
		{"sign before currency", "lost -$5 today", "$5 today"},
		{"sign before point", "lost -.5 today", ".5 today"},
		{"plus minus", "10 ±5 m", "5 m"},
		{"plus minus with blank", "10 ± 5 m", "5 m"},
		{"less than", "p <0.05 here", "0.05 here"},
		{"less than with blank", "p < 0.05 here", "0.05 here"},
		{"about", "~50 people", "50 people"},
		{"part of a number", "1,234 people", "234 people"},
		{"start of a number", "1,234 people", "1"},
		{"digits of a number", "120 people", "12"},
		{"magnitude", "15 million", "5 million"},
		{"decimals", "rose 1.55 points", "rose 1.5"},
		{"before the point", "rose 1.5 points", "rose 1"},
		{"after the point", "rose 1.5 points", "5 points"},
		{"leading point", "rose .5 points", "5 points"},
		{"decimal comma", "um 1,5 Punkte", "5 Punkte"},
		{"Swiss groups", "1’234 Leute", "234 Leute"},
		{"blank groups", "12 345 people", "345 people"},
		{"blank groups, head", "12" + thin + "345 people", "12"},
		{"Arabic decimal", "٣٫٥ متر", "٥ متر"},
		{"percent lost", "rose 1.5% in", "rose 1.5"},
		{"percent with blank lost", "rose 1.5 % in", "rose 1.5"},
		{"only the percent", "rose 1.5 % in", "% in"},
		{"percent sign first", "yüzde %50 arttı", "50 arttı"},
		{"degree lost", "at 5°C now", "at 5"},
		{"scale lost", "at 5 °C now", "at 5 °"},
		{"currency lost", "paid $5 million", "5 million"},
		{"currency behind lost", "paid 5 € now", "paid 5"},
		{"currency's country lost", "paid US$5 now", "$5 now"},
		{"unit lost", "runs 5km daily", "runs 5"},
		{"speed", "at 120 km/h now", "at 120 km"},
		{"area", "of 5 m² now", "of 5 m"},
		{"fraction", "about 1/2 of", "2 of"},
		{"vulgar fraction", "about 5½ of", "about 5"},
		{"date", "on 2020-05-12 we", "12 we"},
		{"time", "at 10:30 we", "30 we"},
		{"product", "10×5 m", "5 m"},
		{"at least", "18+ only", "18"},
		{"ordinal", "the 21st day", "the 21"},
		{"Chinese magnitude", "共15万人", "共15"},
		{"Chinese number", "共三百五十人", "共三百"},
		{"Chinese percent", "占百分之五十以上", "五十以上"},
		{"Chinese minus", "气温负5度", "5度"},
		{"number in CJK", "第12章", "2章"},
		{"Latin word in CJK", "使用iPhone手机", "Phone手机"},
		{"Thai vowel sign", "ที่นี่", "ท"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, got := range [][]Span{Locate(tt.text, tt.quote), NewText(tt.text).Locate(tt.quote)} {
				if got != nil {
					t.Errorf("Locate(%q, %q) = %v, want nothing", tt.text, tt.quote, got)
				}
			}
			if e := Explain(tt.text, tt.quote); e.Reason == ReasonFound {
				t.Errorf("Explain says found")
			}
		})
	}
}

func TestLocateAll(t *testing.T) {
	t.Parallel()
	text := "Ann and Bob, then Ann  and Bob; Hann and Bobs. ANN and Bob. Ann\nand Bob"
	got := Locate(text, "Ann and Bob")
	want := []Span{{0, 11}, {18, 30}, {60, 71}}
	if len(got) != len(want) {
		t.Fatalf("Locate = %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("span %d = %v, want %v", i, got[i], want[i])
		}
	}
	if got := Locate("no no no no", "no no"); len(got) != 2 {
		t.Errorf("overlapping: %v, want two spans", got)
	}
	// Refused first, accepted where it overlaps the refused place.
	if got := Locate("xno no no", "no no"); len(got) != 1 || got[0].Start != 4 {
		t.Errorf("after a refused place: %v, want one span at 4", got)
	}
}

// TestLocateCrowded looks for quotes whose first bytes stand in more places than the index likes to follow.
func TestLocateCrowded(t *testing.T) {
	t.Parallel()
	text := NewText(strings.Repeat("again and again ", 2*crowded) + "again and once more")
	if got := text.Locate("again and once more"); len(got) != 1 || got[0].Start != 16*2*crowded {
		t.Errorf("Locate = %v", got)
	}
	if got := len(text.Locate("again and again")); got != 2*crowded {
		t.Errorf("%d spans, want %d", got, 2*crowded)
	}
}

// TestLocateHostile looks for long quotes in texts made to be slow.
func TestLocateHostile(t *testing.T) {
	t.Parallel()
	const n = 50_000
	for _, h := range []struct{ unit, quote string }{
		{"a", "a"}, {"a-", "a-"}, {"a-\n", "a"}, {"1 000 ", "1 000 "}, {"a bc ", "a bc "}, {"a\u0301", "á"}, {"字", "字"}, {"- ", "a"},
		{"a\u00ad\n", "a"}, {"👩\u200d", "👩\u200d"}, {"\xff", "\ufffd"},
	} {
		text := NewText(strings.Repeat(h.unit, n))
		for _, m := range []int{1, n / 2} {
			quote := strings.Repeat(h.quote, m) + "b"
			if got := text.Locate(quote); got != nil {
				t.Errorf("%q: found %v", h.unit, got)
			}
			if e := text.Explain(quote); utf8.RuneCountInString(e.Passage) > maxPassage {
				t.Errorf("%q: passage of %d bytes", h.unit, len(e.Passage))
			}
			text.Locate(quote[:len(quote)-1])
			text.Explain(quote[:len(quote)-1])
		}
	}
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"", ""},
		{" \t", ""},
		{" a \n b ", "a b"},
		{"‘a’ ‚b‛ ʼc ‹d›", "'a' 'b' 'c 'd'"},
		{"“a” „b‟ «c»", `"a" "b" "c"`},
		{"a‐b‑c‒d–e—f―g −5", "a-b-c-d-e-f-g -5"},
		{"5′ 6″ 「x」 ʻokina it´s", "5′ 6″ 「x」 ʻokina it´s"},
		{"e\u0301 \u212b", "é Å"},
		{"ex" + shy + "am" + zwsp + "p" + wj + "l" + bom + "e", "example"},
		{"x" + shy + "\n5", "x 5"},
		{"exam-\nple", "exam- ple"},
		{"a\xffb\xc3", "a\ufffdb\ufffd"},
		{"\xc3" + shy + "\xa9", "\ufffd\ufffd"}, // two broken halves do not make a letter
		{"Ⅳ ﬁ ² １ … A", "Ⅳ ﬁ ² １ … A"},
	}
	for _, tt := range tests {
		if got := Normalize(tt.in); got != tt.want {
			t.Errorf("Normalize(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// checkSpans checks what is promised of every span.
func checkSpans(t *testing.T, text, quote string, spans []Span) {
	t.Helper()
	last := 0
	for _, s := range spans {
		if s.Start < last || s.End <= s.Start || s.End > len(text) {
			t.Fatalf("Locate(%q, %q): span %v after %d in %d bytes", text, quote, s, last, len(text))
		}
		last = s.End
		if !onRune(text, s.Start) || !onRune(text, s.End) {
			t.Fatalf("Locate(%q, %q): span %v is not on characters", text, quote, s)
		}
		passage := text[s.Start:s.End]
		got, want := Normalize(passage), Normalize(quote)
		if len(fold(passage).breaks) > 0 {
			loose := strings.NewReplacer("-", "", " ", "")
			got, want = loose.Replace(got), loose.Replace(want)
		}
		if got != want {
			t.Fatalf("Locate(%q, %q): %q normalises to %q, want %q", text, quote, passage, got, want)
		}
	}
}

// onRune reports whether i does not split a valid character of s.
func onRune(s string, i int) bool {
	if i == len(s) || utf8.RuneStart(s[i]) {
		return true
	}
	for at := max(0, i-utf8.UTFMax+1); at < i; at++ {
		if r, n := utf8.DecodeRuneInString(s[at:]); (r != utf8.RuneError || n > 1) && at+n > i {
			return false
		}
	}
	return true
}

func FuzzLocate(f *testing.F) {
	for _, s := range [][2]string{
		{"an exam-\nple – “here”", "example - \"here\""},
		{"cafe\u0301 −5 % 1\u00a0234", "1 234"},
		{"a\u200db\u0600\u200d\u0301c \xff\xc3\u00ad\xa9", "b"},
		{"한국 \u1112\u1161\u11ab 三百五十 ไทย", "한"},
		{"no-\nno no-no", "nono"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, text, quote string) {
		n := Normalize(quote)
		if !utf8.ValidString(n) || Normalize(n) != n {
			t.Fatalf("Normalize(%q) = %q, again %q", quote, n, Normalize(n))
		}
		prepared := NewText(text)
		spans := prepared.Locate(quote)
		checkSpans(t, text, quote, spans)
		plain := Locate(text, quote)
		if len(plain) != len(spans) {
			t.Fatalf("with index %v, without %v", spans, plain)
		}
		for i := range plain {
			if plain[i] != spans[i] {
				t.Fatalf("with index %v, without %v", spans, plain)
			}
		}
		e := prepared.Explain(quote)
		if (e.Reason == ReasonFound) != (len(spans) > 0) {
			t.Fatalf("Explain says %q, Locate %v", e.Reason, spans)
		}
		if n := utf8.RuneCountInString(e.Passage); n > maxPassage {
			t.Fatalf("passage of %d characters", n)
		}
		if n := utf8.RuneCountInString(e.String()); n > 1000 {
			t.Fatalf("explanation of %d characters", n)
		}
	})
}
