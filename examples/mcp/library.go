package main

import (
	"context"
	"fmt"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

type book struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Copies int    `json:"copies" jsonschema:"how many are in"`
}

type (
	findIn struct {
		Title string `json:"title" jsonschema:"the title or a part of it"`
	}
	lendIn struct {
		ID     string `json:"id" jsonschema:"the book's id, from find_book"`
		Reader string `json:"reader"`
	}
	lent struct {
		Title  string `json:"title"`
		Reader string `json:"reader"`
		Left   int    `json:"copies_left"`
	}
)

// newLibrary makes the server. It knows nothing of quarry, as any other server.
func newLibrary() *sdk.Server {
	var mu sync.Mutex
	books := []*book{{"b1", "Invisible Cities", 1}, {"b2", "If on a winter's night a traveler", 0}, {"b3", "The Periodic Table", 2}}

	s := sdk.NewServer(&sdk.Implementation{Name: serverName, Version: "1.0"}, nil)
	sdk.AddTool(s, &sdk.Tool{
		Name:        "find_book",
		Description: "Finds a book by its title.",
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}, // it may run beside others
	}, func(_ context.Context, _ *sdk.CallToolRequest, in findIn) (*sdk.CallToolResult, book, error) {
		mu.Lock()
		defer mu.Unlock()
		for _, b := range books {
			if strings.Contains(strings.ToLower(b.Title), strings.ToLower(in.Title)) {
				return nil, *b, nil
			}
		}
		return nil, book{}, fmt.Errorf("there is no book %q", in.Title)
	})
	sdk.AddTool(s, &sdk.Tool{
		Name:        "lend_book",
		Description: "Lends a book to a reader.",
	}, func(_ context.Context, _ *sdk.CallToolRequest, in lendIn) (*sdk.CallToolResult, lent, error) {
		mu.Lock()
		defer mu.Unlock()
		for _, b := range books {
			switch {
			case b.ID != in.ID:
			case b.Copies == 0:
				return nil, lent{}, fmt.Errorf("every copy of %q is out", b.Title)
			default:
				b.Copies--
				return nil, lent{b.Title, in.Reader, b.Copies}, nil
			}
		}
		return nil, lent{}, fmt.Errorf("there is no book with the id %q", in.ID)
	})
	return s
}
