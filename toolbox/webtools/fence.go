package webtools

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// markBytes is how many digits of a text's hash the marks around it show. A text
// can't hold its own hash, so it can't close its fence.
const markBytes = 16

// markOf is the mark of a text.
func markOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:markBytes]
}

// zeroWidth breaks what imitates something. Quotes are compared without it.
const zeroWidth = "\u200b"

// imitations are what in a page's text may be taken for the marks of a fence, for
// the harness, or for a turn of the conversation. Each begins with what the
// zero-width space is put behind.
var imitations = []func(string) string{
	breaking(lazyregexp.New(`(?i)([\[［【])([\s\x{200b}-\x{200d}\x{2060}\x{feff}]*(?:(?:data|end|outline)[\s\x{200b}-\x{200d}\x{2060}\x{feff}]+[0-9a-f]{4,}|quarry\s*[:：]|/?INST\]))`)),
	breaking(lazyregexp.New(`(?i)(<)(/?\s*(?:antml:[a-z_]+|system(?:[-_ ][a-z]+)*|human|user|assistant|tool_?(?:use|result|call|response)s?|function_?(?:calls?|results?)|invoke|parameter)(?:[\s/>]|$)|\|[a-z_]+\|>)`)),
	breaking(lazyregexp.New(`(?m)(^[ \t\x{a0}\x{200b}-\x{200d}\x{2060}\x{feff}]*[HUAS])((?:uman|ser|ssistant|ystem)[ \t]*[:：])`)),
}

func breaking(pattern func() *regexp.Regexp) func(string) string {
	return func(text string) string { return pattern().ReplaceAllString(text, "${1}"+zeroWidth+"${2}") }
}

// inert returns a text in which nothing can be taken for more than the page's words.
func inert(text string) string {
	for _, f := range imitations {
		text = f(text)
	}
	return text
}
