package office

import (
	"encoding/xml"
	"fmt"
	"path"
	"strings"

	"github.com/quarry-sdk/quarry/extract"
)

// relation is what a part refers to.
type relation struct {
	kind   string // the last part of the type's address
	target string
	web    bool // target is an address, not a part
}

// relations reads what a part refers to, by identifier.
func (a *archive) relations(of string) (map[string]relation, error) {
	name := path.Join(path.Dir(of), "_rels", path.Base(of)+".rels")
	if of == "" {
		name = "_rels/.rels"
	}
	if !a.has(name) {
		return nil, nil
	}
	list := map[string]relation{}
	err := a.each(name, func(_ *walker, e xml.StartElement) error {
		if e.Name.Local != "Relationship" {
			return nil
		}
		r := relation{kind: path.Base(attr(e, "Type")), target: attr(e, "Target"), web: attr(e, "TargetMode") == "External"}
		if !r.web {
			r.target = resolve(of, r.target)
		}
		list[attr(e, "Id")] = r
		return nil
	})
	return list, err
}

// part returns the first part of a kind that a part refers to, or nothing.
func (a *archive) related(relations map[string]relation, kind string) string {
	best := ""
	for _, r := range relations {
		if r.kind == kind && !r.web && a.has(r.target) && (best == "" || r.target < best) {
			best = r.target
		}
	}
	return best
}

// detect tells the format by the parts, and the main part.
func (a *archive) detect() (extract.Format, string, error) {
	if a.has("META-INF/container.xml") {
		return extract.EPUB, "META-INF/container.xml", nil
	}
	top, err := a.relations("")
	if err != nil {
		return "", "", err
	}
	main := a.related(top, "officeDocument")
	if main == "" {
		return "", "", fmt.Errorf("%w: a zip file that is neither an office document nor an EPUB", extract.ErrUnsupported)
	}
	kind := ""
	if a.has("[Content_Types].xml") {
		err = a.each("[Content_Types].xml", func(_ *walker, e xml.StartElement) error {
			if e.Name.Local == "Override" && key(attr(e, "PartName")) == main {
				kind = attr(e, "ContentType")
			}
			return nil
		})
		if err != nil {
			return "", "", err
		}
	}
	for _, f := range []struct {
		format       extract.Format
		word, folder string
	}{{extract.DOCX, "wordprocessingml", "word/"}, {extract.PPTX, "presentationml", "ppt/"}, {extract.XLSX, "spreadsheetml", "xl/"}} {
		if strings.Contains(kind, f.word) || kind == "" && strings.HasPrefix(main, f.folder) {
			return f.format, main, nil
		}
	}
	return "", "", fmt.Errorf("%w: an office document of the type %q", extract.ErrUnsupported, kind)
}
