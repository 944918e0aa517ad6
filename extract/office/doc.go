// Package office reads the text of DOCX, PPTX, XLSX and EPUB files.
//
//	reader, err := office.New(office.Config{ReadHTML: readHTML}) // EPUB holds XHTML
//	if err != nil {
//		return err
//	}
//	doc, err := reader.Read(ctx, data)
//	if err != nil {
//		return err
//	}
//	fmt.Println(doc.Format, doc.Title, doc.Text)
//
// Most callers need [New] and [Reader.Read]; [Detect] tells the format alone.
//
// What is promised:
//
//   - The text is what a reader of the file sees: insertions that are tracked are in
//     it, deletions are not; text, rows, columns, sheets and slides that are hidden
//     are left out and counted in Hidden; numbers and dates of a sheet are formatted.
//   - Cells of a row are separated by tabs. Slides and sheets, and the documents of an
//     EPUB, are Pages in their order.
//   - Headers and footers of DOCX are left out; those of slides, the notes of the
//     speaker and what is no part of the flow of an EPUB are not Main.
//   - A file is read within the limits of [Config], whatever it says of itself; it
//     can name no file but its own parts.
//
// What is not promised: the numbers of lists and notes that a program counts, the
// text of charts and drawings, formats of numbers of other languages, and formulas
// without a stored result.
package office
