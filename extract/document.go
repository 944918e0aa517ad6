package extract

// Document is what was read from the bytes of one page or file. All offsets are
// bytes into Text.
type Document struct {
	// Extractor names what read the bytes and its version, such as "html/1". The
	// same bytes give the same Text under the same name; offsets of another version
	// mean nothing.
	Extractor string `json:"extractor"`
	// Format is the format that the bytes were found to be in.
	Format Format `json:"format"`
	// Charset is the character set that the bytes were decoded from, by its name in
	// the WHATWG standard, such as "windows-1252"; empty for formats without one.
	Charset string `json:"charset,omitempty"`
	// CharsetSource tells what decided it: "bom", "header", "meta", "xml",
	// "content" or "default".
	CharsetSource string `json:"charset_source,omitempty"`

	Title    string `json:"title,omitempty"`
	Byline   string `json:"byline,omitempty"`
	SiteName string `json:"site_name,omitempty"`
	// Language is a BCP 47 tag, such as "en" or "zh-Hans"; empty if nothing tells.
	Language string `json:"language,omitempty"`
	// Canonical is the address that the page declares as its own.
	Canonical string `json:"canonical,omitempty"`
	// Dates are the dates that the document states of itself, each with where it
	// was found, the most trustworthy of a kind first.
	Dates []Date `json:"dates,omitempty"`

	// Text is the whole visible text.
	Text string `json:"-"`
	// Blocks are the blocks of the text in order. They do not overlap, and between
	// them is only white space.
	Blocks []Block `json:"blocks,omitempty"`
	// Links are the links of the text in order.
	Links []Link `json:"links,omitempty"`
	// Pages are the pages of a paged format, such as PDF, or the sheets and slides
	// of another.
	Pages []Page `json:"pages,omitempty"`
	// Hidden is the number of bytes of text that a reader does not see, and that
	// were left out.
	Hidden int `json:"hidden,omitempty"`
	// Warnings say what a reader of the text should know.
	Warnings []Warning `json:"warnings,omitempty"`
}

// Format is a format of documents.
type Format string

// The formats.
const (
	HTML     Format = "html"
	PDF      Format = "pdf"
	DOCX     Format = "docx"
	PPTX     Format = "pptx"
	XLSX     Format = "xlsx"
	EPUB     Format = "epub"
	Markdown Format = "markdown"
	RST      Format = "rst"
	Plain    Format = "text"
	CSV      Format = "csv"
	JSON     Format = "json"
	Feed     Format = "feed"
	Sitemap  Format = "sitemap"
)

// BlockKind is what a block is.
type BlockKind string

// The kinds of blocks.
const (
	Paragraph BlockKind = "paragraph"
	Heading   BlockKind = "heading"
	ListItem  BlockKind = "list_item"
	// TableRow is a row of a table; its cells are separated by tabs.
	TableRow BlockKind = "table_row"
	// Preformatted keeps its line ends and blanks.
	Preformatted BlockKind = "preformatted"
	Quotation    BlockKind = "quotation"
	Caption      BlockKind = "caption"
)

// Block is a block of a text.
type Block struct {
	Kind  BlockKind `json:"kind"`
	Start int       `json:"start"`
	End   int       `json:"end"`
	// Level is 1 to 6 for a heading, and the depth of a list item from 1; else 0.
	Level int `json:"level,omitempty"`
	// Main tells that the block belongs to the main content of the document, and
	// not to what stands around it on the page. All blocks of a format without such
	// surroundings are.
	Main bool `json:"main,omitempty"`
}

// Link is a link in a text.
type Link struct {
	Start int `json:"start"`
	End   int `json:"end"`
	// URL is the address, resolved against the document's own.
	URL string `json:"url"`
}

// Page is a page of a paged document.
type Page struct {
	Start int `json:"start"`
	End   int `json:"end"`
	// Number counts from 1.
	Number int `json:"number"`
	// Label is the page's own number or name, such as "iv" or the name of a sheet,
	// where it differs from Number.
	Label string `json:"label,omitempty"`
	// Unquotable is why the text of the page cannot carry a quote, such as a text
	// layer that does not say what the page shows; empty if it can.
	Unquotable string `json:"unquotable,omitempty"`
}

// DateKind is what a date is of.
type DateKind string

// The kinds of dates.
const (
	Published DateKind = "published"
	Updated   DateKind = "updated"
)

// Date is a date that a document states of itself.
type Date struct {
	Kind DateKind `json:"kind"`
	// Value is the date as RFC 3339 has it, as far as it is known: "2024",
	// "2024-05", "2024-05-17" or "2024-05-17T08:30:00+02:00".
	Value string `json:"value"`
	// Source is where it was found: "json-ld", "meta", "microdata", "time", "url",
	// "text", "feed" or "properties".
	Source string `json:"source"`
	// Raw is the date as it is written there.
	Raw string `json:"raw,omitempty"`
}

// Warning says something about a document that a reader of its text should know.
type Warning struct {
	// Code is a word for programs, such as "truncated", "charset_mended",
	// "hyphenation", "text_layer" or "damaged".
	Code string `json:"code"`
	// Message is a sentence for people.
	Message string `json:"message"`
}

// MainText is the text of the blocks of the main content, separated by line ends.
func (d *Document) MainText() string {
	n := 0
	for _, b := range d.Blocks {
		if b.Main {
			n += b.End - b.Start + 1
		}
	}
	text := make([]byte, 0, n)
	for _, b := range d.Blocks {
		if b.Main {
			if len(text) > 0 {
				text = append(text, '\n')
			}
			text = append(text, d.Text[b.Start:b.End]...)
		}
	}
	return string(text)
}
