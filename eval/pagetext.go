package eval

import (
	"html"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// PageText is a second opinion on what an HTML page says, to check quotes
// against: tags off (a block tag becomes a blank, an inline tag nothing),
// entities resolved, white space collapsed. It is simple on purpose and shares
// nothing with the extractor of package corpus.
func PageText(src string) string {
	src = hidden().ReplaceAllString(src, " ")
	src = comment().ReplaceAllString(src, " ")
	src = blockTag().ReplaceAllString(src, " ")
	src = anyTag().ReplaceAllString(src, "")
	return collapse(html.UnescapeString(src))
}

var (
	hidden   = lazyregexp.New(`(?is)<script\b.*?</script>|<style\b.*?</style>`)
	comment  = lazyregexp.New(`(?s)<!--.*?-->`)
	blockTag = lazyregexp.New(`(?i)</?(?:p|div|li|ul|ol|dl|dt|dd|table|thead|tbody|tr|td|th|pre|h[1-6]|br|hr|title|head|body|caption|blockquote)\b[^>]*>`)
	anyTag   = lazyregexp.New(`<[^>]+>`)
)
