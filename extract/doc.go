// Package extract turns the bytes of a page or a file into text in which quotes
// can be found again: UTF-8, in document order, with byte offsets of everything
// that was recognised in it.
//
//	doc, err := extract.Read(ctx, body, extract.Hint{URL: final, ContentType: header})
//	switch {
//	case errors.Is(err, extract.ErrUnsupported):
//		return err // says what the bytes are: "it is a PNG image"
//	case err != nil:
//		return err
//	}
//	for _, b := range doc.Blocks {
//		fmt.Println(b.Kind, b.Main, doc.Text[b.Start:b.End])
//	}
//
// [Read] finds out the format (see [Sniff]) and reads HTML, Markdown,
// reStructuredText, plain text, CSV, JSON, feeds and sitemaps. The readers of PDF,
// of the formats of offices and of EPUB lie in packages below this one; who wants
// them gives them to [New] in [Options].Formats.
//
// What is promised:
//
//   - [Document].Text is valid UTF-8 and holds all that a person sees, once and in the
//     order of the document. White space is as a browser lays it out; nothing but
//     white space is added.
//   - Text that a page hides by its markup, its style attributes or the simple rules
//     of its own style sheets is left out and counted.
//   - The same bytes and the same hint give the same document under the same
//     [Document].Extractor. Where a later version of a reader gives another text, the
//     version in its name changes.
//   - No input makes Read panic, and with the default limits none takes more than some
//     seconds or 300 MB. What had to be left out is told in [Document].Warnings.
//
// What is not promised: what scripts or style sheets outside of the page would show
// or hide.
package extract
