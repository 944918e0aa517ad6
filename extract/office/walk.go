package office

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/quarry-sdk/quarry/extract"
)

// maxDepth bounds how deep elements stand in each other.
const maxDepth = 1000

// walker goes through the elements of a part.
type walker struct {
	decoder *xml.Decoder
	part    io.ReadCloser
	name    string
	depth   int
}

func (a *archive) walk(name string) (*walker, error) {
	r, err := a.open(name)
	if err != nil {
		return nil, err
	}
	return &walker{decoder: xml.NewDecoder(r), part: r, name: name}, nil
}

func (w *walker) close() { _ = w.part.Close() }

// next returns the next start, end or text; nil is the end of the part. Entities
// beyond the five of XML are errors, so that none can grow.
func (w *walker) next() (xml.Token, error) {
	for {
		token, err := w.decoder.Token()
		if err == io.EOF {
			return nil, nil
		}
		if err != nil {
			var syntax *xml.SyntaxError
			if errors.As(err, &syntax) {
				return nil, fmt.Errorf("%w: its part %q: %w", extract.ErrDamaged, w.name, err)
			}
			if !known(err) {
				return nil, fmt.Errorf("%w: its part %q: %w", extract.ErrDamaged, w.name, err)
			}
			return nil, err
		}
		switch token.(type) {
		case xml.StartElement:
			if w.depth++; w.depth > maxDepth {
				return nil, fmt.Errorf("%w: its part %q has elements more than %d deep", extract.ErrTooLarge, w.name, maxDepth)
			}
			return token, nil
		case xml.EndElement:
			w.depth--
			return token, nil
		case xml.CharData:
			return token, nil
		}
	}
}

// known tells that an error says of what kind it is, or is of the caller's context.
func known(err error) bool {
	for _, k := range []error{extract.ErrDamaged, extract.ErrTooLarge, extract.ErrEncrypted} {
		if errors.Is(err, k) {
			return true
		}
	}
	var syntax *xml.SyntaxError
	return !errors.As(err, &syntax) && !strings.HasPrefix(err.Error(), "xml:")
}

// skip passes over the rest of the element that has just begun.
func (w *walker) skip() error {
	for depth := w.depth; ; {
		token, err := w.next()
		if err != nil {
			return err
		}
		if token == nil {
			return nil
		}
		if _, ok := token.(xml.EndElement); ok && w.depth < depth {
			return nil
		}
	}
}

// text returns all text of the element that has just begun.
func (w *walker) text() (string, error) {
	var b strings.Builder
	for depth := w.depth; ; {
		token, err := w.next()
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case nil:
			return b.String(), nil
		case xml.CharData:
			if b.Len()+len(t) <= maxPassage {
				b.Write(t)
			}
		case xml.EndElement:
			if w.depth < depth {
				return b.String(), nil
			}
		}
	}
}

// each calls f for every element that begins.
func (a *archive) each(name string, f func(w *walker, e xml.StartElement) error) error {
	w, err := a.walk(name)
	if err != nil {
		return err
	}
	defer w.close()
	for {
		token, err := w.next()
		if err != nil || token == nil {
			return err
		}
		if e, ok := token.(xml.StartElement); ok {
			if err := f(w, e); err != nil {
				return err
			}
		}
	}
}

// attr returns an attribute by its local name.
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// relID returns the identifier of a relationship of an element.
func relID(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name && strings.HasSuffix(a.Name.Space, "/relationships") {
			return a.Value
		}
	}
	return ""
}

// on tells that a switch of OOXML is on: the element is there, and its val does not
// say otherwise.
func on(e xml.StartElement) bool {
	switch attr(e, "val") {
	case "0", "false", "off":
		return false
	}
	return true
}
