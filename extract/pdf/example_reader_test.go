package pdf_test

import (
	"context"
	"fmt"
	"log"

	"github.com/quarry-sdk/quarry/extract/pdf"
)

func ExampleReader_Read() {
	reader, err := pdf.New(pdf.Config{CacheDir: cacheDir()})
	if err != nil {
		log.Fatal(err)
	}
	defer reader.Close()

	data := pages("", []string{at(50, 700, 10, "A sentence to quote.")})
	doc, err := reader.Read(context.Background(), data)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(doc.Title, doc.Dates[0].Value)
	for _, page := range doc.Pages {
		fmt.Printf("page %d (%s): %s\n", page.Number, page.Label, doc.Text[page.Start:page.End])
	}
	// Output:
	// A Title 2024-05-17T08:30:00+02:00
	// page 1 (i): A sentence to quote.
}
