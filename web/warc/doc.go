// Package warc writes snapshots to WARC files (ISO 28500:2017, WARC/1.1), the format
// of web archives, and reads them back.
//
//	w := warc.NewWriter(file)
//	if err := w.Write(snapshot); err != nil {
//		return err
//	}
//	for s, err := range warc.Read(file) {
//		...
//	}
//
// Most callers need [NewWriter] and [Read].
//
// Each snapshot becomes up to three records, each a gzip member of its own: the
// response, the request, and a metadata record that has the snapshot's own record in
// JSON. As other archives do, the payload of a response is stored with its content
// coding taken off; the headers that no longer hold are kept as X-Archive-Orig-…. A
// page whose scripts were run is a record of type "resource". A snapshot without a
// body has no response, and one without an answer no request either.
//
// What is promised: a snapshot is read back as it was written, body included, and is
// checked against the SHA-256 of its record; other programs can read the responses.
// What is not promised: snapshots from files of other programs. Their records are
// passed over.
package warc
