package extract

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// syntax tells how a document can name its own character set.
type syntax int

const (
	noSyntax syntax = iota
	htmlSyntax
	xmlSyntax
)

// decoded is the text of a document as valid UTF-8, and how it was come by.
type decoded struct {
	text, charset, source string
	warnings              []Warning
}

// decode turns the bytes of a text into valid UTF-8, in the order of the HTML
// standard: byte order mark, header, the document's own declaration, content. A
// declaration that the bytes belie is set aside with the warning "charset_mended".
// What cannot be decoded becomes U+FFFD. It returns ErrEmpty and ErrUnsupported for
// bytes without text.
func decode(data []byte, contentType string, syn syntax) (decoded, error) {
	if len(data) == 0 {
		return decoded{}, fmt.Errorf("%w: it has no bytes", ErrEmpty)
	}
	if name, n := byteOrderMark(data); n > 0 {
		return finishDecoding(data[n:], name, "bom")
	}
	if name := guessUTF16(data); name != "" {
		return finishDecoding(data, name, "content")
	}
	var lie string
	for _, d := range declarations(data, contentType, syn) {
		if plausible(data, d.charset) {
			out, err := finishDecoding(data, d.charset, d.source)
			return out.mended(lie), err
		}
		if lie == "" {
			lie = d.charset
		}
	}
	name, source := detectCharset(data)
	out, err := finishDecoding(data, name, source)
	return out.mended(lie), err
}

// mended adds the warning that the declared character set is another one.
func (d decoded) mended(lie string) decoded {
	if lie != "" && lie != d.charset {
		d.warnings = append([]Warning{{"charset_mended", fmt.Sprintf("The document is declared to be in %s but is in %s.", lie, d.charset)}}, d.warnings...)
	}
	return d
}

// declaration is a character set that is declared, by its name in the standard.
type declaration struct{ charset, source string }

// declarations lists what is declared, what counts most first.
func declarations(data []byte, contentType string, syn syntax) []declaration {
	var list []declaration
	add := func(label, source string) {
		if name := charsetName(label); name != "" {
			list = append(list, declaration{name, source})
		}
	}
	add(headerCharset(contentType), "header")
	switch syn {
	case htmlSyntax:
		add(prescan(data), "meta")
		add(xmlDeclaration(data), "xml")
	case xmlSyntax:
		add(xmlDeclaration(data), "xml")
	}
	return list
}

// charsetName returns the standard's name for a label, "" if it has none that can be
// decoded.
func charsetName(label string) string {
	if label == "" {
		return ""
	}
	if enc, name := charset.Lookup(label); enc != nil && name != "replacement" {
		return name
	}
	return ""
}

// headerCharset returns the charset parameter of a Content-Type header, which need
// not be well formed.
func headerCharset(header string) string {
	lower := strings.ToLower(header)
	for {
		_, rest, ok := strings.Cut(lower, "charset")
		if !ok {
			return ""
		}
		lower = rest
		if rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " \t"), "="); ok {
			rest = strings.TrimLeft(rest, " \t\"'")
			if i := strings.IndexAny(rest, " \t;,\"'"); i >= 0 {
				rest = rest[:i]
			}
			return rest
		}
	}
}

// encodingOf returns the encoding by its name in the standard. GBK is decoded as
// GB18030 is, which holds it, as the standard has it.
func encodingOf(name string) encoding.Encoding {
	if name == "gbk" {
		return simplifiedchinese.GB18030
	}
	enc, _ := charset.Lookup(name)
	return enc
}

func decodeAs(data []byte, name string) []byte {
	switch name {
	case "utf-8":
		return data
	case "utf-16le":
		return decodeUTF16(data, binary.LittleEndian)
	case "utf-16be":
		return decodeUTF16(data, binary.BigEndian)
	}
	enc := encodingOf(name)
	if enc == nil {
		return data
	}
	out, err := enc.NewDecoder().Bytes(data)
	if err != nil {
		return data
	}
	return out
}

// finishDecoding decodes data, refuses binary content and replaces what is no text.
func finishDecoding(data []byte, name, source string) (decoded, error) {
	d := decoded{charset: name, source: source}
	text := decodeAs(data, name)
	controls := 0
	for i, c := range text {
		if c == 0 && i < 8000 {
			return d, fmt.Errorf("%w: binary content", ErrUnsupported)
		}
		if c < 32 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != 0x1b {
			controls++
		}
	}
	if controls*20 > len(text) {
		return d, fmt.Errorf("%w: binary content", ErrUnsupported)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return d, fmt.Errorf("%w: it is white space only", ErrEmpty)
	}
	if bytes.IndexByte(text, 0) >= 0 {
		text = bytes.ReplaceAll(text, []byte{0}, []byte("\uFFFD"))
	}
	if !utf8.Valid(text) {
		_, invalid := countUTF8(text)
		d.warnings = append(d.warnings, Warning{"damaged", fmt.Sprintf("%d bytes are not %s and were replaced by U+FFFD.", invalid, name)})
		text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}
	d.text = string(text)
	return d, nil
}

// countUTF8 counts the valid multi-byte sequences and the invalid bytes.
func countUTF8(data []byte) (valid, invalid int) {
	for len(data) > 0 {
		if data[0] < utf8.RuneSelf {
			data = data[1:]
			continue
		}
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			invalid++
		} else {
			valid++
		}
		data = data[n:]
	}
	return valid, invalid
}
