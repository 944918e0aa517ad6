package corpus

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outline writes sections as "level path [heading]".
func outline(doc *Document) []string {
	var list []string
	for _, s := range doc.Sections {
		list = append(list, fmt.Sprintf("%d %s", s.Level, strings.Join(s.Path, " > ")))
	}
	return list
}

func TestExtract(t *testing.T) {
	tests := []struct {
		name, file, src string
		title, text     string
		sections        []string
	}{
		{
			name: "html blocks, inline tags and entities",
			file: "a.html",
			src: `<!DOCTYPE html><html><head><title> A &amp;
 B </title><style>p{}</style><script>var x = "no"</script></head><body>
<h1>A &amp; B</h1><p>One <b>t</b>wo&nbsp;three,<br>four
 five.</p><ul><li>first</li><li>second <i>item</i></li></ul><h2>Code</h2><pre>
  x := 1
    y</pre><table><tr><th>k</th><th>v</th></tr><tr><td>a</td><td></td><td>c</td></tr></table></body></html>`,
			title:    "A & B",
			text:     "A & B\n\nOne two\u00a0three,\nfour five.\n\nfirst\nsecond item\n\nCode\n\n  x := 1\n    y\n\nk\tv\na\t\tc",
			sections: []string{"0 A & B", "2 A & B > Code"},
		},
		{
			name: "html navigation and hidden parts are dropped",
			file: "a.html",
			src: `<body><nav>Home | Next</nav><div class="navheader"><table><tr><td>Prev</td></tr></table></div>
<div role="navigation">Up</div><header><a href="/">Logo</a></header><main><header><h1>Real<a class="headerlink" href="#r">¶</a></h1></header>
<p hidden>secret</p><p style="display: none">gone</p><div aria-hidden="true">x</div><noscript>enable</noscript><template>t</template>
<p>Text.</p><footer>Signed</footer></main><button>Copy</button><footer>© site</footer></body>`,
			title:    "Real",
			text:     "Real\n\nText.\n\nSigned",
			sections: []string{"0 Real"},
		},
		{
			name: "html headings nest, notes head no section, named entries do",
			file: "a.html",
			src: `<title>Manual</title><h2>One</h2><p>a</p><h3>Sub</h3><div class="warning"><h3>Warning</h3><p>b</p></div>
<dl><dt id="GUC-X"><code>x_limit</code> (<code>integer</code>)</dt><dd><p>d</p></dd><dt>plain</dt><dd>e</dd></dl><p>after</p><h2>Two</h2><p>c</p>`,
			title:    "Manual",
			text:     "One\n\na\n\nSub\n\nWarning\n\nb\n\nx_limit (integer)\n\nd\n\nplain\ne\n\nafter\n\nTwo\n\nc",
			sections: []string{"0 Manual", "2 Manual > One", "3 Manual > One > Sub", "7 Manual > One > Sub > x_limit (integer)", "2 Manual > Two"},
		},
		{
			name:     "xhtml elements closed in place stay closed",
			file:     "a.xhtml",
			src:      `<?xml version="1.0" encoding="UTF-8"?><html><head><title/></head><body><p>a<a id="x"/>b</p><script src="y"/><p>c</p></body></html>`,
			title:    "a",
			text:     "ab\n\nc",
			sections: []string{"0 a"},
		},
		{
			name:     "a heading that is never closed is its first line",
			file:     "u.html",
			src:      "<title>U</title><h2>Open<p>" + strings.Repeat("text ", 80),
			title:    "U",
			text:     "Open\n\n" + strings.TrimSpace(strings.Repeat("text ", 80)),
			sections: []string{"0 U", "2 U > Open"},
		},
		{
			name:     "zero-width spaces stay",
			file:     "z.html",
			src:      "<p>pg_\u200bstat</p>",
			title:    "z",
			text:     "pg_\u200bstat",
			sections: []string{"0 z"},
		},
		{
			name: "markdown is the rendered text",
			file: "b.md",
			src: "---\ntitle: \"Front *matter*\"\ntags: [a]\n---\n# Head *ing* {#id}\n\nSome **bold** [link](http://x.example/y) and `code_x` &copy; \\*not\\*\n" +
				"next line.\n\n- one\n- two\n\n```go\nfunc f() {\n\n\treturn\n}\n```\n\nSetext\n------\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<div hidden>no</div>\n\n![alt](i.png)\n",
			title:    "Front *matter*",
			text:     "Head ing\n\nSome bold link and code_x © *not* next line.\n\none\ntwo\n\nfunc f() {\n\n\treturn\n}\n\nSetext\n\na\tb\n1\t2",
			sections: []string{"0 Front *matter*", "1 Front *matter* > Head ing", "2 Front *matter* > Head ing > Setext"},
		},
		{
			name:     "markdown toml front matter and thematic break",
			file:     "b.md",
			src:      "+++\ntitle = 'T'\n+++\ntext\n\n---\n\nmore",
			title:    "T",
			text:     "text\n\nmore",
			sections: []string{"0 T"},
		},
		{
			name:     "markdown that begins with a thematic break",
			file:     "b.markdown",
			src:      "---\nnot yaml at all\n\n# H\n",
			title:    "H",
			text:     "not yaml at all\n\nH",
			sections: []string{"0 H"},
		},
		{
			name:     "plain text is kept",
			file:     "c.txt",
			src:      "\r\nTitle line\r\n\r\n  indented\ttab\r\n* star # hash\r\n",
			title:    "Title line",
			text:     "Title line\n\n  indented\ttab\n* star # hash",
			sections: []string{"0 Title line"},
		},
		{
			name:     "plain text with a long first line is named for its file",
			file:     "dir/long name.TXT",
			src:      strings.Repeat("word ", 40),
			title:    "long name",
			text:     strings.TrimSpace(strings.Repeat("word ", 40)),
			sections: []string{"0 long name"},
		},
		{
			name: "rst",
			file: "d.rst",
			src: `.. _label:

=====
Guide
=====

Intro with *emph*, **strong**, ` + "``literal *x*``, :ref:`the target <label>`, :func:`~os.path.join` and `a link <http://x.example>`_" + `.
A ref_ and |sub| [1]_.

First part
----------

Example::

    $ run --fast
      two

.. note:: Take care.
   More care.

.. code-block:: python
   :linenos:

   def f():

       pass

.. toctree::
   :maxdepth: 2

   other

* one
* two
  goes on

:field: value

Deep
~~~~

====  =====
A     B
====  =====
1     2
3     4
====  =====

+---+---+
| x | y |
+===+===+
| 1 | 2 |
+---+---+

.. a comment
   hidden

.. [1] Foot note.

Second part
-----------
End.
`,
			title: "Guide",
			text: "Guide\n\nIntro with emph, strong, literal *x*, the target, join and a link. A ref and sub [1].\n\nFirst part\n\nExample:\n\n" +
				"$ run --fast\n  two\n\nTake care.\n\nMore care.\n\ndef f():\n\n    pass\n\none\ntwo goes on\nfield\nvalue\n\nDeep\n\nA\tB\n1\t2\n3\t4\n\nx\ty\n1\t2\n\n1\nFoot note.\n\nSecond part\n\nEnd.",
			sections: []string{"0 Guide", "2 Guide > First part", "3 Guide > First part > Deep", "2 Guide > Second part"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			doc, err := read(test.file, "id", []byte(test.src), &Options{PassageSize: 1200})
			if err != nil {
				t.Fatal(err)
			}
			if doc.Title != test.title {
				t.Errorf("title %q, want %q", doc.Title, test.title)
			}
			if diff := cmp.Diff(test.text, doc.Text); diff != "" {
				t.Errorf("text (-want +got):\n%s\n%q", diff, doc.Text)
			}
			if diff := cmp.Diff(test.sections, outline(doc)); diff != "" {
				t.Errorf("sections (-want +got):\n%s", diff)
			}
			checkDocument(t, doc)
		})
	}
}
