// Package evidence decides whether a quote stands in a text, word for word. It is pure: no files, no network, no clock, and
// it imports the standard library and golang.org/x/text only.
//
//	page := evidence.NewText(text) // what our own extractor read from the stored bytes
//	spans := page.Locate(quote)
//	if len(spans) == 0 {
//		return errors.New(page.Explain(quote).String()) // tells a model how to mend the quote
//	}
//	first := spans[0]
//	fmt.Println(text[first.Start:first.End]) // the passage as the source wrote it
//
// Most callers need [NewText], [Text.Locate] and [Text.Explain]; [Locate] and [Explain] are for a single quote.
//
// What is promised:
//
//   - One normalisation, that of [Normalize], is applied to text and quote alike; [Locate] adds the readings of a word broken at
//     the end of a line. Nothing else is forgiven: no letter case, digit, sign, unit, negation, name, order of words, ellipsis that
//     joins two places, and no letter of any script.
//   - A span starts and ends at characters of the original text, at words and numbers that are whole: "12" is not found in
//     "1,234", "5" not in "-5", "1.5" not in "1.5%", "able" not in "unable", "can" not in "can't".
//   - Normalize(text[s.Start:s.End]) == Normalize(quote) for every span s that has no hyphen before a line break.
//   - No input makes a function panic, and time grows with the length of the text and the quote.
//
// What is not promised: that the quote supports a claim, that it is not torn from its context (a quote may start behind
// "it is not true that"), and the wording of [Explanation.String].
package evidence
