package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/model"
)

// A result of any form is an error or something that can be shown and kept.
func FuzzResult(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"text","text":"a"},{"type":"image","data":"` + png + `","mimeType":"image/png"}],"structuredContent":{"a":1}}`))
	f.Add([]byte(`{"content":[{"type":"resource","resource":{"uri":"a","text":""}},{"type":"resource_link","size":1e3}],"isError":true,"_meta":null}`))
	f.Add([]byte(`{"content":null,"structuredContent":[1]}`))
	s, err := newServer("s", Server{Command: "c", Env: map[string]string{"A": "secret"}}, &Servers{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) { // as the SDK has seen to
			return
		}
		out, err := s.result(raw)
		var blocks model.Blocks
		switch out := out.(type) {
		case nil:
			if err == nil {
				t.Fatal("neither a result nor an error")
			}
			if re, ok := err.(*resultError); ok {
				blocks = re.blocks
				if !json.Valid(re.output) || strings.Contains(re.Error(), "secret") {
					t.Errorf("error %q, output %s", re, re.output)
				}
			}
		case string:
			blocks = model.Blocks{&model.Text{Text: out}}
		case model.Blocks:
			blocks = out
		case *result:
			blocks = out.blocks
			if !json.Valid(out.output) {
				t.Errorf("output %s", out.output)
			}
		default:
			t.Fatalf("%T", out)
		}
		if err == nil && len(blocks) == 0 {
			t.Error("a model is shown nothing")
		}
		for _, b := range blocks {
			if text, ok := b.(*model.Text); ok && strings.TrimSpace(text.Text) == "" {
				t.Error("a model is shown a blank text")
			}
		}
	})
}

// Event streams pass as they are where there is no call.
func FuzzEventBody(f *testing.F) {
	f.Add([]byte("id: 1\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n: x\r\n\r\ndata\ndata:\n\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := io.ReadAll(newEventBody(io.NopCloser(bytes.NewReader(in)), &tap{}))
		if err != nil {
			t.Fatal(err)
		}
		again, err := io.ReadAll(newEventBody(io.NopCloser(bytes.NewReader(got)), &tap{}))
		if err != nil || !bytes.Equal(got, again) {
			t.Errorf("%q, then %q, %v", got, again, err)
		}
	})
}

// Whatever a server writes, reading it ends.
func FuzzLines(f *testing.F) {
	f.Add([]byte("hello\n{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},3]\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		c := newLineConn(nopStream{bytes.NewReader(in)}, &tap{}, func([]byte) {})
		for range len(in) + 2 {
			if _, err := c.Read(t.Context()); err != nil {
				return
			}
		}
		t.Error("there are more messages than bytes")
	})
}
