package cassette

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// parseYAML reads the YAML formats, which differ in their keys:
//
//	go-vcr    interactions: [{request: {url, body}, response: {code, body}}]
//	vcrpy     interactions: [{request: {uri, body|parsed_body}, response: {status: {code}, body: {string}|parsed_body}}]
//	Ruby VCR  http_interactions: [{request: {uri, body: {string}}, response: {status: {code}, body: {string}}}]
//	rig       a document {when: {path, method, body}, then: {status, body}} for each exchange
func parseYAML(data []byte) ([]Exchange, error) {
	var out []Exchange
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		if err := dec.Decode(&doc); err == io.EOF {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		root := &doc
		if root.Kind == yaml.DocumentNode && len(root.Content) == 1 {
			root = root.Content[0]
		}
		if get(root, "then") != nil {
			e, err := exchange(get(root, "when"), get(root, "then"))
			if err != nil {
				return nil, err
			}
			out = append(out, e)
			continue
		}
		list := get(root, "interactions")
		if list == nil {
			list = get(root, "http_interactions")
		}
		if list == nil || list.Kind != yaml.SequenceNode {
			return nil, errors.New("it is no cassette of a known kind")
		}
		for i, n := range list.Content {
			e, err := exchange(get(n, "request"), get(n, "response"))
			if err != nil {
				return nil, fmt.Errorf("exchange %d: %w", i, err)
			}
			out = append(out, e)
		}
	}
}

func exchange(req, resp *yaml.Node) (e Exchange, err error) {
	if resp == nil {
		return e, errors.New("it has no response")
	}
	e.Request.Method = strings.ToUpper(scalar(get(req, "method")))
	for _, key := range []string{"uri", "url", "path"} {
		if e.Request.URL == "" {
			e.Request.URL = scalar(get(req, key))
		}
	}
	e.Request.Header = header(req)
	if e.Request.Body, err = body(req); err != nil {
		return e, fmt.Errorf("request: %w", err)
	}
	e.Response.Header = header(resp)
	if e.Response.Body, err = body(resp); err != nil {
		return e, fmt.Errorf("response: %w", err)
	}
	status := get(resp, "code")
	if status == nil {
		if status = get(resp, "status"); get(status, "code") != nil {
			status = get(status, "code")
		}
	}
	if e.Response.Status, err = strconv.Atoi(scalar(status)); err != nil {
		return e, fmt.Errorf("response: its status: %w", err)
	}
	return e, nil
}

// get returns the value of a key of a mapping; nil if there is none.
func get(n *yaml.Node, key string) *yaml.Node {
	n = follow(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return follow(n.Content[i+1])
		}
	}
	return nil
}

func follow(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func scalar(n *yaml.Node) string {
	if n = follow(n); n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return ""
	}
	return n.Value
}

// header reads {Name: [values]}, {Name: value} and [{name, value}].
func header(n *yaml.Node) http.Header {
	h := http.Header{}
	list := get(n, "headers")
	if list == nil {
		list = get(n, "header")
	}
	switch {
	case list == nil:
	case list.Kind == yaml.SequenceNode:
		for _, item := range list.Content {
			h.Add(scalar(get(item, "name")), scalar(get(item, "value")))
		}
	case list.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(list.Content); i += 2 {
			name, val := list.Content[i].Value, follow(list.Content[i+1])
			if val.Kind != yaml.SequenceNode {
				h.Add(name, scalar(val))
				continue
			}
			for _, v := range val.Content {
				h.Add(name, scalar(v))
			}
		}
	}
	return h
}

func body(n *yaml.Node) ([]byte, error) {
	if parsed := get(n, "parsed_body"); parsed != nil {
		return appendJSON(nil, parsed, 0)
	}
	b := get(n, "body")
	if s := get(b, "string"); s != nil {
		b = s
	}
	if b == nil {
		return nil, nil
	}
	if b.Tag == "!!binary" || b.Tag == "!binary" {
		data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(b.Value), ""))
		if err != nil {
			return nil, fmt.Errorf("its binary body: %w", err)
		}
		return data, nil
	}
	if b.Kind != yaml.ScalarNode {
		return nil, errors.New("its body is not text")
	}
	return []byte(scalar(b)), nil
}

// maxDepth bounds how deep a value may nest; an alias may contain itself.
const maxDepth = 200

// appendJSON writes a YAML value as JSON, its keys in their order.
func appendJSON(dst []byte, n *yaml.Node, depth int) ([]byte, error) {
	if n = follow(n); n == nil || depth > maxDepth {
		return nil, errors.New("a value is nested too deeply")
	}
	switch n.Kind {
	case yaml.MappingNode:
		dst = append(dst, '{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				dst = append(dst, ',')
			}
			key, err := json.Marshal(n.Content[i].Value)
			if err != nil {
				return nil, err
			}
			dst = append(append(dst, key...), ':')
			if dst, err = appendJSON(dst, n.Content[i+1], depth+1); err != nil {
				return nil, err
			}
		}
		return append(dst, '}'), nil
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, c := range n.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = appendJSON(dst, c, depth+1); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	}
	var val any
	switch n.Tag {
	case "!!null":
	case "!!bool", "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return append(dst, n.Value...), nil
		}
		if err := n.Decode(&val); err != nil {
			return nil, err
		}
	default: // text; also what looks like a date
		val = n.Value
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(val); err != nil {
		return nil, err
	}
	return append(dst, bytes.TrimSpace(buf.Bytes())...), nil
}
