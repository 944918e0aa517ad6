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
