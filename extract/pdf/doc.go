// Package pdf reads the text of PDF files, page by page and in reading order, by
// PDFium as a WebAssembly module: without cgo, and with the file shut in a sandbox
// that sees nothing of the machine.
//
//	reader, err := pdf.New(pdf.Config{CacheDir: dir})
//	if err != nil {
//		return err
//	}
//	defer reader.Close()
//	doc, err := reader.Read(ctx, data)
//	if errors.Is(err, extract.ErrEncrypted) {
//		return err // says where the password goes
//	}
//	fmt.Println(doc.Title, len(doc.Pages), doc.Text)
//
// Most callers need [New], [Reader.Read], [Reader.Close] and [Config.CacheDir].
// Compiling PDFium takes seconds of the first document of a process, and a third of
// a second with a cache.
//
// What is promised:
//
//   - The pieces of a page are ordered by where they stand: columns one after the
//     other, whichever way the page or its text is turned, vertical writing and
//     writing from right to left in the order in which they are read.
//   - Lines of a paragraph end as on the page, with the hyphens that stand there; a
//     warning "hyphenation" counts those inside words.
//   - Ligatures are the letters they show. A character without a known meaning is
//     U+FFFD and never vanishes. A page whose text layer does not say what it shows,
//     or that has none, says so in its Unquotable.
//   - Fields of forms, text notes and stamps are part of their page. Text outside of
//     the page is left out and counted in Hidden.
//   - A damaged or hostile file ends in an error or in warnings, within the limits of
//     [Config]. Each document has an instance of PDFium of its own.
//
// What is not promised: the text of images, the cells of tables beyond their tabs,
// headings of documents that do not set them larger, and the same pages of a
// document that ran into [Config.Time] on a slower machine.
package pdf
