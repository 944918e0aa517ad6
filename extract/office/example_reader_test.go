package office_test

import (
	"context"
	"fmt"
	"log"

	"github.com/quarry-sdk/quarry/extract/office"
)

func ExampleReader_Read() {
	reader, err := office.New(office.Config{})
	if err != nil {
		log.Fatal(err)
	}
	doc, err := reader.Read(context.Background(), docx(para("H2", "Results")+para("", "Sales grew by 7%.")))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(doc.Format, doc.Title)
	for _, b := range doc.Blocks {
		fmt.Println(b.Kind, doc.Text[b.Start:b.End])
	}
	// Output:
	// docx A Title
	// heading Results
	// paragraph Sales grew by 7%.
}
