package evidence

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	const text = "The company was founded in Oslo. In 2023 it employed 1,234 people and revenue rose −1.5% to €20 million, " +
		"although the board had not expected it.\nThe chair said she was unable to comment. 今天天气很好我们去公园散步。"
	tests := []struct {
		name, quote string
		want        Explanation // Nearest is not compared
	}{
		{"empty", " … ", Explanation{Reason: ReasonNoWords}},
		{"invalid", "\xff", Explanation{Reason: ReasonInvalid}},
		{"nothing alike", "xyzzy plugh", Explanation{Reason: ReasonAbsent}},
		{"little alike", "the president resigned yesterday over a scandal in Oslo", Explanation{Reason: ReasonAbsent, Passage: "The company was founded in Oslo"}},
		{"found", "founded in Oslo", Explanation{Reason: ReasonFound, Passage: "founded in Oslo"}},
		{"cut number", "it employed 1", Explanation{Reason: ReasonInside, Passage: "it employed 1,234", InText: "1,234"}},
		{"cut sign", "1.5% to", Explanation{Reason: ReasonInside, Passage: "-1.5% to", InText: "-1.5%"}},
		{"cut word", "able to comment", Explanation{Reason: ReasonInside, Passage: "unable to comment", InText: "unable"}},
		{"marks", "“founded in Oslo”", Explanation{Reason: ReasonMarks, Passage: "founded in Oslo"}},
		{"ellipsis", "The company … it employed 1,234 people", Explanation{Reason: ReasonEllipsis, Passage: "it employed 1,234 people"}},
		{"case", "the company was founded", Explanation{Reason: ReasonCase, Passage: "The company was founded", InText: "The company was", InQuote: "the company was"}},
		{"digit", "it employed 1,243 people", Explanation{
			Reason: ReasonDiffers, Passage: "it employed 1,234 people",
			After: "it employed", InText: "1,234 people and", InQuote: "1,243 people",
		}},
		{"negation", "the board had expected it.", Explanation{
			Reason: ReasonDiffers, Passage: "the board had not expected it.",
			After: "the board had", InText: "not expected it.", InQuote: "expected it.",
		}},
		{"homoglyph", "founded in \u041eslo", Explanation{
			Reason: ReasonDiffers, Passage: "founded in Oslo", After: "founded in", InText: "Oslo. In 2023",
			InQuote: "\u041eslo", Characters: "U+004F in the text, U+041E in the quote",
		}},
		{"Chinese", "今天天气不好我们去公园", Explanation{
			Reason: ReasonDiffers, Passage: "今天天气很好我们去公园", After: "今天天气", InText: "很好我们去公园散步。",
			InQuote: "不好我们去公园", Characters: "U+5F88 in the text, U+4E0D in the quote",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := Explain(text, tt.quote)
			if got.Passage != "" {
				if p := Normalize(text[got.Nearest.Start:got.Nearest.End]); p != got.Passage {
					t.Errorf("Nearest is %q, Passage %q", p, got.Passage)
				}
				if Locate(text, got.Passage) == nil {
					t.Errorf("the passage %q cannot be quoted", got.Passage)
				}
			}
			got.Nearest = Span{}
			if got != tt.want {
				t.Errorf("Explain(%q)\n got %#v\nwant %#v\n%s", tt.quote, got, tt.want, got)
			}
		})
	}
}

func TestExplainIsBounded(t *testing.T) {
	t.Parallel()
	for _, w := range []string{"word ", "слово ", "字", "a", "1"} {
		text := strings.Repeat(w, 3000) + " end. " + strings.Repeat("tail ", 3000)
		quote := strings.Repeat(w, 2000) + " End. " + strings.Repeat("tail ", 2000)
		e := Explain(text, quote)
		if n := utf8.RuneCountInString(e.Passage); n > maxPassage || n == 0 {
			t.Errorf("%q: passage of %d characters", w, n)
		}
		if n := utf8.RuneCountInString(e.String()); n > 1000 {
			t.Errorf("%q: explanation of %d characters", w, n)
		}
	}
}

// TestExplainCutsAroundTheDifference checks that a long passage shows the place that matters and can be quoted.
func TestExplainCutsAroundTheDifference(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("the long and winding report goes on, ", 20)
	text := long + "and then sales fell by 7% in May, " + long
	e := Explain(text, long+"and then sales fell by 8% in May, "+long)
	if !strings.Contains(e.Passage, "fell by 7% in May") || Locate(text, e.Passage) == nil {
		t.Errorf("passage %q", e.Passage)
	}
}
