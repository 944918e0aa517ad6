package corpus

import (
	"fmt"
	"path"
	"strings"

	"github.com/quarry-sdk/quarry/extract"
)

// Options are the settings of an index. The zero value is the documented default.
type Options struct {
	// Formats are readers of further formats: PDF, DOCX, PPTX, XLSX and EPUB, whose files are indexed where their reader is
	// here; package extract/formats has them. All who update an index should have the same. Defaults to none.
	Formats map[extract.Format]extract.FormatReader
	// MaxFileBytes is the size in bytes above which a file is skipped. Defaults to 20 MiB.
	MaxFileBytes int64
	// OnProgress is called by Update, on its goroutine, after each file that it has read anew: with the number of files
	// done, those that are unchanged or skipped included, and the number of all. Defaults to nil.
	OnProgress func(done, total int)
	// PassageSize is the length in bytes that a passage aims at. Passages lie side by side and never overlap, so that the
	// figures of a document are the sums of its passages'. Changing it makes the next Update read every file again.
	// Defaults to 1,200.
	PassageSize int
}

func (o Options) filled() (Options, error) {
	if o.MaxFileBytes == 0 {
		o.MaxFileBytes = 20 << 20
	}
	if o.PassageSize == 0 {
		o.PassageSize = 1200
	}
	switch {
	case o.MaxFileBytes < 0:
		return o, fmt.Errorf("corpus options: MaxFileBytes is %d; use 0 for the default or a positive number", o.MaxFileBytes)
	case o.PassageSize < 100:
		return o, fmt.Errorf("corpus options: PassageSize is %d; use 0 for the default or at least 100", o.PassageSize)
	}
	return o, nil
}

// formats maps a lower-case extension to the format it stands for.
var formats = map[string]extract.Format{
	".html": extract.HTML, ".htm": extract.HTML, ".xhtml": extract.HTML,
	".md": extract.Markdown, ".markdown": extract.Markdown, ".mdown": extract.Markdown, ".mkd": extract.Markdown,
	".txt": extract.Plain, ".text": extract.Plain,
	".rst": extract.RST, ".rest": extract.RST,
}

// moreFormats are those that need a reader in Options.Formats.
var moreFormats = map[string]extract.Format{
	".pdf": extract.PDF, ".docx": extract.DOCX, ".pptx": extract.PPTX, ".xlsx": extract.XLSX, ".epub": extract.EPUB,
}

// formatOf is the format that a file is read in; "" for none.
func (o *Options) formatOf(name string) extract.Format {
	ext := strings.ToLower(path.Ext(name))
	if f := moreFormats[ext]; o.Formats[f] != nil {
		return f
	}
	return formats[ext]
}
