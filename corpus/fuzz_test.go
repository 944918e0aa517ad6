package corpus

import (
	"errors"
	"strings"
	"testing"
)

// fuzzFormat feeds arbitrary files of one format to the reader: it may refuse them, but not panic, and what it returns
// keeps the promises of a document.
func fuzzFormat(f *testing.F, name string, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := read(name, "id", data, &Options{PassageSize: 100})
		if err != nil {
			return
		}
		checkDocument(t, doc)
		if _, _, err := records(doc, newAnalyzer()); err != nil {
			t.Error(err)
		}
	})
}

func FuzzHTML(f *testing.F) {
	fuzzFormat(f, "a.html",
		"<title>T</title><h1>T</h1><p>a<b>b</b></p><h2>x<h3>y</h2>",
		"<table><tr><td>a<td><h2>b</h2><p>c</table><dl><dt id=x>t<dd>d</dl>",
		"<?xml version='1.0'?><a id='x'/><pre>\n\n a\r\n</pre></p></p>",
		"<dl><dl><dt id=1><h1>a</dl></dl><a href=%zz>q</a><h1></h1><h6>\u00a0</h6>",
		strings.Repeat("<div>", 500)+"deep<h1>x", "<svg><title>no</title></svg><math><mi>x</mi></math>",
		"\xff\xfe<\x00p\x00>\x00a\x00", "<p>\xff\xfe\x80 a", "<meta charset=gbk>\xd6\xd0\xce\xc4", "<frameset><frame>", "<select><h1>q", "<h1>a\tb\n\nc</h1>x",
	)
}

func FuzzMarkdown(f *testing.F) {
	fuzzFormat(f, "a.md",
		"# T\n\ntext *a* `b`\n\n## U {#u}\n- [x](y.md)\n", "---\ntitle: x\n---\n# y", "+++\ntitle = \"x\"\n+++\n", "---\n---", "|a|b|\n|-|-|\n|<h1>x|y|",
		"T\n=\n\n<div hidden>\n\n# q\n\n</div>", "```\n\n\n", "term\n: def\n", "[a]: <b>\n[a]", "&#0; &copy \\", "# \n## \n###\n", "> # a\n> - # b",
	)
}

func FuzzRST(f *testing.F) {
	fuzzFormat(f, "a.rst",
		"=====\nTitle\n=====\n\ntext ``x`` :r:`y <z>`\n\nSub\n---\n\n.. note:: a\n   b\n", "A\n=\nB\n-\nC\n=\n", "::\n\n  lit\n", "x::\n\n  a\n   b\n c",
		"== ==\na  b\n== ==\n1  2\n== ==\n", "+--+--+\n|a |b |\n+==+==+\n", ".. list-table::\n\n   * - a\n     - b\n   * - c\n", ".. csv-table:: t\n   :header: a,b\n\n   1,\"2\"\n",
		".. [1] note\n.. _x: y\n..\n  comment", "| line\n| block", ":field: v\n  w", "====\n", "- a\n\n  - b\n- c", "*a* **b** |c|_ d__ \\e `", "中文\n====\n\n標題\n----\n",
	)
}

func FuzzPlain(f *testing.F) {
	fuzzFormat(f, "a.txt", "Title\n\ntext", "\xef\xbb\xbfx", "\x00", strings.Repeat("长", 200), strings.Repeat("x", 1000), "\f\n a \r b \u2028")
}

// FuzzSearch asks an index anything: no panic, and every hit keeps its promises.
func FuzzSearch(f *testing.F) {
	x := small(f)
	for _, s := range []string{"vacuum", "默认端口 config", "--x -y a_b.c", "\xff", "a\u0301\u200b", "it’s", "ｶﾞ", "のの"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, query string) {
		found(t, x, query)
		if _, err := x.Terms(t.Context(), query); err != nil {
			t.Error(err)
		}
		if _, err := x.Document(t.Context(), query); err != nil && !errors.Is(err, ErrNoDocument) {
			t.Error(err)
		}
	})
}
