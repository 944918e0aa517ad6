package corpus

import (
	"strings"

	"github.com/quarry-sdk/quarry/extract"
)

// Document is one file of the corpus after extraction.
type Document struct {
	// ID is the path below the corpus folder without its extension, with '/' between folders. Files that would share an
	// ID keep their extensions.
	ID string
	// Title is the document's name for people: front matter, <title>, the first heading, or the file's name.
	Title string
	// Path is the path below the corpus folder, with its extension and '/' between folders.
	Path string
	// Format is "html", "markdown", "text" or "rst", or one of Options.Formats.
	Format string
	// Hash is the SHA-256 of the file's bytes, in hexadecimal.
	Hash string
	// Text is the canonical text: valid UTF-8, the words of the file in their order, to which only white space was added.
	// Every offset in this package is a byte offset into it.
	Text string
	// Sections are the document's parts in the order of their starts. The first is the document itself.
	Sections []Section
	// Pages are the pages, slides or sheets of a format that has them, in order.
	Pages []extract.Page

	passages []passage
	links    []outLink
}

// Section is one headed part of a document. Sections nest: the bytes of a section include those of its subsections.
type Section struct {
	// Path is the heading path, the document's title first and this section's heading last.
	Path []string
	// Heading is the section's own heading, white space collapsed.
	Heading string
	// Level is the heading's level as the format has it (1 to 6); 0 is the document itself; named entries of a definition
	// list, such as a configuration parameter's, count from 7.
	Level int
	// Start and End are byte offsets into Document.Text; the section begins with its heading.
	Start, End int
}

// SectionAt returns the innermost section that holds the byte at offset, and false when offset lies outside the text.
func (d *Document) SectionAt(offset int) (Section, bool) {
	i := sectionAt(d.Sections, offset)
	if i < 0 {
		return Section{}, false
	}
	return d.Sections[i], true
}

// PageAt returns the page that holds the byte at offset, and false where there is none.
func (d *Document) PageAt(offset int) (extract.Page, bool) {
	return (&extract.Document{Pages: d.Pages}).PageAt(offset)
}

func sectionAt(sections []Section, offset int) int {
	for i := len(sections) - 1; i >= 0; i-- {
		if sections[i].Start <= offset && offset < sections[i].End {
			return i
		}
	}
	return -1
}

// collapse squeezes runs of white space, the no-break space too, to one blank.
func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }
