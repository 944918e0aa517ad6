package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
)

// png is a picture of one pixel.
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// knowsContent tells whether the root package asks outputs for their ToolContent.
// Without it, a model reads the texts of such a result alone.
func knowsContent(t *testing.T) bool {
	t.Helper()
	r := &raw{results: map[string]string{"t": `{"content":[{"type":"image","data":"` + png + `","mimeType":"image/png"}],"_meta":{"a":1}}`}}
	ss := connect(t, Config{Servers: map[string]Server{"s": r.server()}})
	a := use(t, ss, "mcp__s__t", struct{}{})
	return shown(a.Content) == "<image>"
}

// Each kind of content, as a model reads it and as the journal keeps it.
func TestResults(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		result string
		text   string // of the blocks, "<image>" for pictures
		output string // "" is none, "whole" is the result
		fails  bool
	}{
		"text":                     {`{"content":[{"type":"text","text":"hello"}]}`, "hello", "", false},
		"texts":                    {`{"content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]}`, "one\ntwo", "whole", false},
		"nothing":                  {`{"content":[]}`, "[The tool returned nothing.]", "", false},
		"blank":                    {`{"content":[{"type":"text","text":" \n"}]}`, "[The tool returned an empty text.]", "whole", false},
		"annotated":                {`{"content":[{"type":"text","text":"hello","annotations":{"audience":["user"],"priority":0.5}}]}`, "hello", "whole", false},
		"structured":               {`{"content":[{"type":"text","text":"{\"n\":12345678901234567890}"}],"structuredContent":{"n":12345678901234567890}}`, `{"n":12345678901234567890}`, `{"n":12345678901234567890}`, false},
		"only_structured":          {`{"content":[],"structuredContent":{"b":1,"a":2}}`, `{"b":1,"a":2}`, `{"b":1,"a":2}`, false},
		"structured_list":          {`{"content":[],"structuredContent":[1,2]}`, `[1,2]`, `[1,2]`, false},
		"structured_and_more":      {`{"content":[{"type":"text","text":"x"}],"structuredContent":{"a":1},"_meta":{"k":"v"}}`, "x", "whole", false},
		"structured_like_a_result": {`{"content":[{"type":"text","text":"x"}],"structuredContent":{"content":[1]}}`, "x", "whole", false},
		"picture":                  {`{"content":[{"type":"image","data":"` + png + `","mimeType":"image/png"}]}`, "<image>", "", false},
		"picture_between":          {`{"content":[{"type":"text","text":"a"},{"type":"image","data":"` + png + `","mimeType":"image/png"},{"type":"text","text":"b"}]}`, "a<image>b", "", false},
		"wrong_type":               {`{"content":[{"type":"image","data":"` + png + `","mimeType":"image/jpeg"}]}`, "<image>", "whole", false},
		"no_picture":               {`{"content":[{"type":"image","data":"PHN2Zy8+","mimeType":"image/svg+xml"}]}`, `[Here came a picture of type "image/svg+xml", 6 bytes, which cannot be shown.]`, "whole", false},
		"audio":                    {`{"content":[{"type":"audio","data":"AAEC","mimeType":"audio/wav"}]}`, `[Here came a sound of type "audio/wav", 3 bytes, which cannot be shown.]`, "whole", false},
		"resource":                 {`{"content":[{"type":"resource","resource":{"uri":"file:///a","mimeType":"text/plain","text":"body"}}]}`, "[Resource file:///a, text/plain]\nbody", "whole", false},
		"blob":                     {`{"content":[{"type":"resource","resource":{"uri":"file:///a","mimeType":"application/zip","blob":"AAEC"}}]}`, "[Here came the resource file:///a, application/zip, 3 bytes, which cannot be shown.]", "whole", false},
		"picture_blob":             {`{"content":[{"type":"resource","resource":{"uri":"file:///a","blob":"` + png + `"}}]}`, "<image>", "whole", false},
		"link":                     {`{"content":[{"type":"resource_link","uri":"file:///a","name":"a","description":"the a","size":3}]}`, "[Link to the resource file:///a; a; the a; 3 bytes. Read it with mcp_read_resource if the server offers it.]", "whole", false},
		"unknown":                  {`{"content":[{"type":"hologram","rays":[1,2]}],"later":true}`, `[Here came content of type "hologram", 32 bytes, which cannot be shown.]`, "whole", false},
		"error":                    {`{"content":[{"type":"text","text":"no such city"}],"isError":true}`, "no such city", "whole", true},
		"error_picture":            {`{"content":[{"type":"image","data":"` + png + `","mimeType":"image/png"}],"isError":true}`, `[Here came a picture of type "image/png", 70 bytes, which cannot be shown beside an error.]`, "whole", true},
		"error_structured":         {`{"content":[],"structuredContent":{"code":7},"isError":true}`, `{"code":7}`, `{"code":7}`, true},
	}
	r := &raw{results: map[string]string{}}
	for name, c := range cases {
		r.results[name] = c.result
	}
	known := knowsContent(t)
	ss := connect(t, Config{Servers: map[string]Server{"s": r.server()}})
	for name, c := range cases {
		a := use(t, ss, "mcp__s__"+name, struct{}{})
		if a.IsError != c.fails || a.Refused {
			t.Errorf("%s: error %v, refused %v: %s", name, a.IsError, a.Refused, a.Content.Text())
		}
		if !known && !c.fails && strings.Contains(c.text, "<image>") && c.output != "" {
			continue
		}
		if got := shown(a.Content); got != c.text {
			t.Errorf("%s: the model reads %q, want %q", name, got, c.text)
		}
		if !known && c.fails {
			continue
		}
		want := c.output
		if want == "whole" {
			want = c.result
		}
		if got := string(a.Output); got != want && !sameJSON(t, got, want) {
			t.Errorf("%s: the journal keeps %q, want %q", name, got, want)
		}
	}
	if !known {
		t.Log("the root package does not ask for ToolContent: pictures with an output, and outputs of errors, are not tested")
	}
}

// shown writes blocks down.
func shown(blocks model.Blocks) string {
	var b strings.Builder
	for _, block := range blocks {
		switch block := block.(type) {
		case *model.Text:
			b.WriteString(block.Text)
		case *model.Image:
			if data, _ := base64.StdEncoding.DecodeString(png); !bytes.Equal(block.Source.Data, data) || block.Source.MediaType != "image/png" {
				b.WriteString("<another image>")
			}
			b.WriteString("<image>")
		default:
			fmt.Fprintf(&b, "<%s>", block.BlockType())
		}
	}
	return b.String()
}

// sameJSON compares without white space, numbers to the last digit.
func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	norm := func(s string) any {
		dec := json.NewDecoder(strings.NewReader(s))
		dec.UseNumber()
		var v any
		if err := dec.Decode(&v); err != nil {
			return err.Error()
		}
		return v
	}
	if a == "" || b == "" {
		return a == b
	}
	return cmp.Equal(norm(a), norm(b))
}

// Huge results arrive; the model is shown a part, the journal keeps all.
func TestHugeResult(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("0123456789", 300_000)
	r := &raw{results: map[string]string{
		"alone":   `{"content":[{"type":"text","text":"` + big + `"}]}`,
		"picture": `{"content":[{"type":"text","text":"` + big[:100_000] + `"},{"type":"image","data":"` + png + `","mimeType":"image/png"}]}`,
	}}
	s := r.server()
	s.MaxResultBytes = 1000
	ss := connect(t, Config{Servers: map[string]Server{"s": s}})
	a := use(t, ss, "mcp__s__alone", struct{}{})
	if len(a.Content.Text()) > 1200 || a.Full != big {
		t.Errorf("%d bytes are shown, %d are kept", len(a.Content.Text()), len(a.Full))
	}
	if !knowsContent(t) {
		return
	}
	a = use(t, ss, "mcp__s__picture", struct{}{})
	if text := a.Content.Text(); len(text) > 1200 || !strings.Contains(text, "1000 of 100000 bytes are shown") || len(a.Output) < 100_000 {
		t.Errorf("%d bytes are shown, %d are kept", len(text), len(a.Output))
	}
}

// A message without end is the end of the connection, not of memory.
func TestMessageTooLong(t *testing.T) {
	t.Parallel()
	c := newLineConn(nopStream{strings.NewReader(strings.Repeat("x", 300_000))}, &tap{}, func([]byte) {})
	c.limit = 200_000
	if _, err := c.Read(t.Context()); err != errTooLong {
		t.Errorf("error %v", err)
	}
}

// Secrets stay out of what a failed call says.
func TestErrorsHaveNoSecrets(t *testing.T) {
	t.Parallel()
	r := &raw{results: map[string]string{"t": `{"content":[{"type":"text","text":"bad token s3cr3t\"x for user"}],"isError":true,"_meta":{"token":"s3cr3t\"x"}}`}}
	r.answer = func(_ *raw, method string, _, params json.RawMessage) (string, bool) {
		if method == "tools/call" && strings.Contains(string(params), "refuse") {
			return `"error":{"code":-32000,"message":"Bearer s3cr3t\"x is over"}`, true
		}
		return "", false
	}
	s := r.server()
	s.Headers = map[string]string{"Authorization": `Bearer s3cr3t"x`}
	ss := connect(t, Config{Servers: map[string]Server{"s": s}})
	for _, args := range []any{struct{}{}, map[string]bool{"refuse": true}} {
		a := use(t, ss, "mcp__s__t", args)
		all, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if !a.IsError || strings.Contains(string(all), "s3cr3t") || !strings.Contains(a.Content.Text(), redacted) {
			t.Errorf("journaled: %s", all)
		}
	}
}
