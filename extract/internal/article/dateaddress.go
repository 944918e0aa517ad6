package article

import (
	"strings"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

var (
	dayPath   = lazyregexp.New(`(?:^|[/_-])((?:19|20)\d{2})[/_-]?(\d{2})[/_-]?(\d{2})(?:[/_.-]|$)`)
	wordPath  = lazyregexp.New(`(?i)/((?:19|20)\d{2})/(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/(\d{1,2})(?:/|$)`)
	monthPath = lazyregexp.New(`/((?:19|20)\d{2})[/-](\d{2})(?:/|$)`)
)

// address reads the date in the path of the page's address.
func (d *dater) address() {
	_, path, ok := strings.Cut(d.url, "://")
	if !ok {
		return
	}
	_, path, _ = strings.Cut(path, "/")
	path = "/" + path
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	raw, m := "", moment{}
	if x := dayPath().FindStringSubmatch(path); x != nil {
		raw, m = x[0], moment{year: atoi(x[1]), month: atoi(x[2]), day: atoi(x[3])}
	}
	if x := wordPath().FindStringSubmatch(path); x != nil && !(raw != "" && m.valid()) {
		raw, m = x[0], moment{year: atoi(x[1]), month: months()[strings.ToLower(x[2])], day: atoi(x[3])}
	}
	if x := monthPath().FindStringSubmatch(path); x != nil && !(raw != "" && m.valid()) {
		raw, m = x[0], moment{year: atoi(x[1]), month: atoi(x[2])}
	}
	if raw != "" && m.valid() && m.month > 0 {
		d.found = append(d.found, dated{Published, m, "url", raw, false, false})
	}
}
