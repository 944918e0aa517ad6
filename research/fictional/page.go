package fictional

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
)

// files are the pages, one folder to a host, and the data beside them.
//
//go:embed pages answers.json truth.json
var files embed.FS

// page is what a URL answers with.
type page struct {
	url  string
	kind string // the media type, and the character set of text
	body []byte
	tag  string // the entity tag
	answer
	title, text, published string
}

// answer is what is out of the ordinary about an answer: an entry of answers.json.
type answer struct {
	URL string `json:"url"`
	// Charset is what the page is sent in; nothing but its markup says so. It
	// defaults to UTF-8, which the header says.
	Charset string `json:"charset,omitempty"`
	// Indexed is what the search engine knows of a page from an earlier time, when it
	// saw what is now behind a wall or gone.
	Indexed *indexed `json:"indexed,omitempty"`
	// Location is where a redirect leads.
	Location string `json:"location,omitempty"`
	// Slow tells that the answer waits for Config.SlowPage.
	Slow bool `json:"slow,omitempty"`
	// Status is the HTTP status. It defaults to 200, and to 404 without a file.
	Status int `json:"status,omitempty"`
	// Unlisted keeps the page out of the search engine.
	Unlisted bool `json:"unlisted,omitempty"`
}

// indexed is what a search engine keeps of a page.
type indexed struct {
	Title     string `json:"title"`
	Text      string `json:"text"`
	Published string `json:"published,omitempty"`
}

// loadPages reads the embedded pages, by their URLs.
func loadPages() (map[string]*page, error) {
	pages := make(map[string]*page)
	err := fs.WalkDir(files, "pages", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		p := newPage(strings.TrimPrefix(name, "pages/"), raw)
		pages[p.url] = p
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the fictional web: %w", err)
	}
	var answers []answer
	raw, err := files.ReadFile("answers.json")
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		err = d.Decode(&answers)
	}
	if err != nil {
		return nil, fmt.Errorf("read the fictional web: answers.json: %w", err)
	}
	for _, a := range answers {
		p := pages[a.URL]
		if p == nil {
			p = &page{url: a.URL, kind: htmlType}
			if a.Status == 0 {
				a.Status = 404
			}
			p.body = []byte(fmt.Sprintf("<!DOCTYPE html>\n<html><head><title>%d</title></head><body><p>%d</p></body></html>\n", a.Status, a.Status))
			pages[a.URL] = p
		}
		p.answer = a
		if a.Charset != "" {
			if p.body, err = encode(p.body, a.Charset); err != nil {
				return nil, fmt.Errorf("read the fictional web: %s: %w", a.URL, err)
			}
			p.kind = "text/html"
		}
	}
	for _, p := range pages {
		if p.Status == 0 {
			p.Status = 200
		}
		p.tag = fmt.Sprintf(`"%x"`, sha256.Sum256(p.body))[:18] + `"`
	}
	return pages, nil
}

// encode puts UTF-8 into another character set.
func encode(body []byte, charset string) ([]byte, error) {
	e, err := htmlindex.Get(charset)
	if err != nil {
		return nil, err
	}
	return e.NewEncoder().Bytes(body)
}

// The media types of pages.
const (
	htmlType  = "text/html; charset=utf-8"
	plainType = "text/plain; charset=utf-8"
	pdfType   = "application/pdf"
)

// newPage makes a page of a file: host/path.html is at host/path, index.html at the end of
// its folder, and name.pdf.text is set as a PDF at name.pdf.
func newPage(name string, raw []byte) *page {
	at, last := "http://"+name, path.Base(name)
	switch {
	case last == "index.html":
		return newHTML(strings.TrimSuffix(at, last), raw)
	case strings.HasSuffix(last, ".html"):
		return newHTML(strings.TrimSuffix(at, ".html"), raw)
	case strings.HasSuffix(last, ".pdf.text"):
		title, sheets := splitSheets(string(raw))
		return &page{url: strings.TrimSuffix(at, ".text"), kind: pdfType, body: typeset(title, sheets), title: title, text: strings.Join(sheets, "\n")}
	}
	return &page{url: at, kind: plainType, body: raw}
}

func newHTML(at string, raw []byte) *page {
	p := &page{url: at, kind: htmlType, body: raw}
	p.title, p.text, p.published = readHTML(raw)
	return p
}

// hostsOf returns the hosts of pages in alphabetical order.
func hostsOf(pages map[string]*page) []string {
	var hosts []string
	for at := range pages {
		u, err := url.Parse(at)
		if err == nil && !slices.Contains(hosts, u.Host) {
			hosts = append(hosts, u.Host)
		}
	}
	slices.Sort(hosts)
	return hosts
}
