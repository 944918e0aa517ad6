// Package evidence decides whether a quote stands in a text, word for word, and whether a claim says more than its quote. It is
// pure: no files, no network, no clock, and it imports the standard library and golang.org/x/text only.
//
//	page := evidence.NewText(text) // what our own extractor read from the stored bytes
//	spans := page.Locate(quote)
//	if len(spans) == 0 {
//		return errors.New(page.Explain(quote).String()) // tells a model how to mend the quote
//	}
//	first := spans[0]
//	fmt.Println(text[first.Start:first.End]) // the passage as the source wrote it
//
//	if c := evidence.Compare(claim, quote, evidence.CompareOptions{}); !c.OK() {
//		return errors.New(c.String()) // tells a model how to mend the claim
//	}
//
// Most callers need [NewText], [Text.Locate], [Text.Explain] and [Compare]; [Locate] and [Explain] are for a single quote.
// [Text.Select] and [Text.Find] keep a place and find it again in another version of the text, and [Text.TextFragment] opens
// the live page there. [Facts] lists what [Compare] looks at.
//
// What is promised:
//
//   - One normalisation, that of [Normalize], is applied to text and quote alike; [Locate] adds the readings of a word broken at
//     the end of a line. Nothing else is forgiven: no letter case, digit, sign, unit, negation, name, order of words, ellipsis that
//     joins two places, and no letter of any script.
//
//   - A span starts and ends at characters of the original text, at words and numbers that are whole: "12" is not found in
//     "1,234", "5" not in "-5", "1.5" not in "1.5%", "able" not in "unable", "can" not in "can't".
//
//   - Normalize(text[s.Start:s.End]) == Normalize(quote) for every span s that has no hyphen before a line break.
//
//   - No input makes a function panic, and time grows with the length of the text and the quote.
//
//   - Each number, date and name that [Compare] reads in a claim and does not report follows from the quote by a rule of its list;
//     a sentence compared with itself has no findings.
//
// What is not promised: that the quote supports a claim, that [Compare] reads every fact of a sentence, that a quote is not torn from
// its context (it may start behind "it is not true that"), and the wording of [Explanation.String].
package evidence
