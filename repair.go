package quarry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// take reads a result out of text and checks it. Only the form is repaired: the
// repairs are named, and what they come to must fit the schema. The error is that
// of the text as it is best read.
func (o *Output) take(text string, wrapped bool) (value json.RawMessage, repairs []string, err error) {
	var first error
	for _, c := range readings(text) {
		v, ok := decodeOne(c.text)
		if !ok {
			continue
		}
		if wrapped {
			if obj, ok := v.(map[string]any); ok && len(obj) == 1 && obj["value"] != nil {
				v = obj["value"]
			}
		}
		for _, s := range shapes(o.schema, v) {
			err := o.validate(s.value)
			if err == nil {
				data, err := json.Marshal(s.value)
				return data, append(c.repairs[:len(c.repairs):len(c.repairs)], s.repairs...), err
			}
			if first == nil {
				first = err
			}
		}
	}
	if first == nil {
		first = errors.New("it has no JSON")
	}
	return nil, nil, first
}

// reading is a way to read a text as JSON.
type reading struct {
	text    string
	repairs []string
}

var (
	thinkTags = regexp.MustCompile(`(?s)<(think|thinking|reasoning)>.*?</(think|thinking|reasoning)>`)
	fences    = regexp.MustCompile("(?s)```[a-zA-Z]*[ \t]*\n?(.*?)(```|$)")
)

// readings are the ways to read a text, the most faithful first.
func readings(text string) (all []reading) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	add := func(text string, repairs ...string) {
		if text = strings.TrimSpace(text); text != "" {
			all = append(all, reading{text, repairs})
		}
	}
	add(text)
	plain := thinkTags.ReplaceAllString(text, "")
	if plain != text {
		add(plain, "thinking left out")
	}
	var bodies []string
	for _, m := range fences.FindAllStringSubmatch(plain, -1) {
		bodies = append(bodies, m[1])
		add(m[1], "fence taken off")
	}
	if at := strings.IndexAny(plain, "{["); at >= 0 {
		if end := balanced(plain[at:]); end > 0 {
			add(plain[at:at+end], "taken out of other text")
		}
		bodies = append(bodies, plain[at:])
	}
	for _, body := range bodies {
		loose, changed := loosen(body)
		if changed {
			add(loose, "quotes, commas and names mended")
		}
		if end := balanced(loose); end > 0 {
			add(loose[:end], "quotes, commas and names mended")
		} else if closed := closeTail(loose); closed != "" {
			add(closed, "closed where it was cut off")
		}
	}
	return all
}

// decodeOne reads one JSON value with nothing behind it.
func decodeOne(text string) (any, bool) {
	dec := json.NewDecoder(strings.NewReader(text))
	var v any
	if dec.Decode(&v) != nil || dec.More() {
		return nil, false
	}
	return v, true
}

// outsideQuotes calls see with each byte of text that is not in a string, until it
// returns false.
func outsideQuotes(text string, see func(i int, c byte) bool) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && !see(i, c):
			return
		}
	}
}

// balanced returns where the value ends that text begins with; 0 where it does not.
func balanced(text string) (end int) {
	depth := 0
	outsideQuotes(text, func(i int, c byte) bool {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				end = i + 1
			}
		}
		return end == 0
	})
	return end
}

// loosen writes what other languages write as JSON: single quotes, commas before
// a closing bracket, True, False, None.
func loosen(text string) (string, bool) {
	var out bytes.Buffer
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '"':
			end := quotedEnd(text, i)
			out.WriteString(text[i:end])
			i = end - 1
		case c == '\'':
			end := quotedEnd(text, i)
			body := text[i+1 : max(i+1, end-1)]
			body = strings.ReplaceAll(strings.ReplaceAll(body, `\'`, `'`), `"`, `\"`)
			out.WriteString(`"` + body + `"`)
			i = end - 1
		case c == ',' && closesNext(text[i+1:]):
		case c == 'T' && strings.HasPrefix(text[i:], "True"):
			out.WriteString("true")
			i += 3
		case c == 'F' && strings.HasPrefix(text[i:], "False"):
			out.WriteString("false")
			i += 4
		case c == 'N' && strings.HasPrefix(text[i:], "None"):
			out.WriteString("null")
			i += 3
		default:
			out.WriteByte(c)
		}
	}
	return out.String(), out.String() != text
}

// quotedEnd returns where the text ends that is quoted from i on.
func quotedEnd(text string, i int) int {
	for k := i + 1; k < len(text); k++ {
		switch text[k] {
		case '\\':
			k++
		case text[i]:
			return k + 1
		}
	}
	return len(text)
}

func closesNext(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	return rest != "" && (rest[0] == '}' || rest[0] == ']')
}

// closeTail closes what is open at the end of a text that was cut off, without the
// member or element that it was cut off in; empty where that is not possible.
func closeTail(text string) string {
	var open, cutOpen []byte // the brackets that are due, now and at the cut
	cut := 0                 // behind the last complete member or element
	broken := false
	outsideQuotes(text, func(i int, c byte) bool {
		switch c {
		case '{':
			open = append(open, '}')
		case '[':
			open = append(open, ']')
		case '}', ']':
			if broken = len(open) == 0; broken {
				return false
			}
			open = open[:len(open)-1]
			cut, cutOpen = i+1, slices.Clone(open)
		case ',':
			cut, cutOpen = i, slices.Clone(open)
		}
		return true
	})
	if broken || len(cutOpen) == 0 {
		return ""
	}
	slices.Reverse(cutOpen)
	return text[:cut] + string(cutOpen)
}

// shape is a value in another shape.
type shape struct {
	value   any
	repairs []string
}

// shapes are the shapes in which a value may be what the schema wants: as it is,
// out of a wrapper, out of a string, as a list of one.
func shapes(s *jsonschema.Schema, v any) []shape {
	all := []shape{{v, nil}}
	if text, ok := v.(string); ok && s.Type != "string" {
		if inner, ok := decodeOne(text); ok {
			all = append(all, shape{inner, []string{"taken out of a string"}})
		}
	}
	if obj, ok := v.(map[string]any); ok {
		if fields := decodedFields(s, obj); fields != nil {
			all = append(all, shape{fields, []string{"fields taken out of strings"}})
		}
		if len(obj) == 1 {
			for key, inner := range obj {
				if s.Properties[key] == nil {
					for _, in := range shapes(s, inner) {
						all = append(all, shape{in.value, append([]string{fmt.Sprintf("taken out of %q", clip(key, 40))}, in.repairs...)})
					}
				}
			}
		}
		if s.Type == "array" {
			all = append(all, shape{[]any{v}, []string{"made a list"}})
		}
	}
	return all
}

// decodedFields decodes the fields that are strings of JSON where the schema wants
// an object or a list; nil where there are none.
func decodedFields(s *jsonschema.Schema, obj map[string]any) map[string]any {
	var out map[string]any
	for key, p := range s.Properties {
		text, ok := obj[key].(string)
		if !ok || p.Type != "object" && p.Type != "array" {
			continue
		}
		inner, ok := decodeOne(text)
		if !ok {
			continue
		}
		if out == nil {
			out = make(map[string]any, len(obj))
			for k, v := range obj {
				out[k] = v
			}
		}
		out[key] = inner
	}
	return out
}
