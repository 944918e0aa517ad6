package evidence_test

import (
	"fmt"

	"github.com/quarry-sdk/quarry/evidence"
)

func ExampleLocate() {
	text := "The board said:\n“Profit rose 12.5 % – a re-\ncord.”"
	for _, s := range evidence.Locate(text, "Profit rose 12.5 % - a record.") {
		fmt.Printf("%d-%d %q\n", s.Start, s.End, text[s.Start:s.End])
	}
	fmt.Println(len(evidence.Locate(text, "Profit rose 12.5")))
	// Output:
	// 19-53 "Profit rose 12.5 % – a re-\ncord."
	// 0
}

func ExampleText_Explain() {
	page := evidence.NewText("In 2023 the company employed 1,234 people in Oslo.")
	fmt.Println(page.Explain("the company employed 1,243 people"))
	fmt.Println()
	fmt.Println(page.Explain("employed 1"))
	// Output:
	// The quote does not stand in the text word for word.
	// Nearest passage: the company employed 1,234 people
	// First difference: after “the company employed” the text has “1,234 people in”, the quote has “1,243 people”.
	// Copy the passage exactly, with every digit, sign and word; if it does not say what you state, drop the statement.
	//
	// The quote starts or ends inside “1,234”. Quote that whole.
	// Nearest passage: employed 1,234
}

func ExampleNormalize() {
	fmt.Printf("%q\n", evidence.Normalize("  Café\u00a0– “it’s −5”\n"))
	// Output:
	// "Café - \"it's -5\""
}

func ExampleCompare() {
	quote := "Revenue is expected to rise to about $1.2 million in May 2019, Jane Smith said."
	fmt.Println(evidence.Compare("Smith said revenue is expected to be roughly 1,200,000 dollars in 2019.", quote, evidence.CompareOptions{}).OK())
	fmt.Println(evidence.Compare("Revenue rose to $1.3 million on 17 May 2019.", quote, evidence.CompareOptions{}))
	// Output:
	// true
	// The claim says “$1.3 million” (money); the quote has “$1.2 million”. State it as the quote does, add the quote that has it, or leave it out.
	// The claim says “17 May 2019” (date); the quote has “May 2019”. State it as the quote does, add the quote that has it, or leave it out.
	// The quote says only that it is planned, expected or tried: “is expected to rise to”. The claim leaves “expected” out: say it as well, or drop the claim.
}

func ExampleFacts() {
	for _, f := range evidence.Facts("On 17 May 2019 about three million people did not vote, 百分之十五 of all.") {
		fmt.Printf("%s %q %v\n", f.Kind, f.Text, f.Values)
	}
	// Output:
	// date "17 May 2019" [2019-05-17]
	// hedge "about" [about]
	// number "three million" [3000000]
	// negation "not" [not]
	// percentage "百分之十五" [15 %]
}

func ExampleText_TextFragment() {
	page := evidence.NewText("Fees\nThe fee is 5 euros a day.\nThe fee is 5 euros a day for guests.")
	quote := page.Locate("The fee is 5 euros a day")[1]
	fmt.Println(page.TextFragment("https://example.org/fees", quote))
	fmt.Printf("%q\n", page.Select(quote).Quote.Suffix)
	// Output:
	// https://example.org/fees#:~:text=euros%20a%20day.-,The%20fee%20is%205%20euros%20a%20day
	// " for guests."
}
