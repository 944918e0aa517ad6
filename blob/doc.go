// Package blob keeps bytes in files that are named by their content's SHA-256.
//
//	files, err := blob.Open(".quarry/blobs")
//	if err != nil {
//		return err
//	}
//	ref, err := files.Put(ctx, page) // "sha256:ba7816bf…"
//	if err != nil {
//		return err
//	}
//	page, err = files.Get(ctx, ref) // the very same bytes, or an error
//
// A reference is "sha256:" and 64 lower-case hexadecimal digits. It can be
// written down anywhere, a journal for instance, and says both where the bytes
// are and whether they are still the ones that were put. The same bytes have the
// same reference and are kept once.
//
// # Layout
//
// The blob sha256:ba7816bf… is the file ba/ba7816bf… below the folder, and has
// nothing but the bytes in it, so that "sha256sum" checks it and a copy of the
// folder is a backup. A file named tmp-… in the folder itself is a blob being
// written. One that a crash left is removed when it is an hour old, by the next
// Open or Put.
//
// # Durability
//
// When Put returns, the blob is on the disk: the bytes are written to a
// temporary file and synced, the file is renamed to its name, and the folders
// whose entries have changed are synced. After a crash there is the whole blob
// or none. Folders are not synced on Windows, which has no way to do so, and on
// file systems that refuse it.
//
// Any number of goroutines and processes may use one folder. There is no lock:
// what they could fight for is a file with the same bytes. A Put that finds a
// file of the right size believes it. A file whose bytes have changed since is
// found by Get, which checks them all; ReadAt does not.
//
// Nothing counts who needs a blob. Who deletes one must know that nobody has put
// it again meanwhile.
package blob
