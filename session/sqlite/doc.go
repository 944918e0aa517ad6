// Package sqlite keeps session journals in one SQLite file, without cgo.
//
//	store, err := sqlite.Open(ctx, sqlite.Config{Path: ".quarry/quarry.db"})
//	if err != nil {
//		return err // a *sqlite.Error that says what to do
//	}
//	defer store.Close()
//	for info, err := range store.List(ctx, session.Filter{Limit: 10}) {
//		if err != nil {
//			return err
//		}
//		fmt.Println(info.ID, info.Status)
//	}
//
// An append is on the disk when Append returns. Appends of many sessions that
// come at the same time share one transaction, and so one sync of the disk;
// each still has its own verdict. Several processes may use one file: whether
// an append follows the journal's end is decided under the file's write lock.
//
// The file must be on a local disk: the write-ahead log needs shared memory,
// which network file systems do not have. A backup is a copy made by
// "sqlite3 quarry.db '.backup copy.db'", not one of the file alone while it is
// in use. The tables are described in migrations/; reading them with other
// tools is fine, writing them is not.
package sqlite
