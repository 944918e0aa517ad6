package crashtest

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// havePower tells that there is a file system that can be logged.
const havePower = true

// power is the file system that SQLite has in this process. SQLite calls plain
// functions, which find it here.
var power powerVFS

// powerVFS is SQLite's own file system, a VFS, with a log of what changes the
// disk: see https://sqlite.org/vfs.html. The shared memory of the write-ahead log
// is not logged, for nothing in it outlives a machine.
type powerVFS struct {
	log *powerLog
	// own is SQLite's file system, and logged its copy whose functions log.
	own, logged *sqlite3.Tsqlite3_vfs

	mu sync.Mutex
	// methods are the sets of methods that open files have, by those that they copy.
	methods map[uintptr]*powerMethods
}

// powerMethods are the methods of an open file, and those that they copy.
type powerMethods struct {
	sqlite3.Tsqlite3_io_methods
	own uintptr
}

// logPower makes SQLite log, in this process, all it does from now on. No database
// may be open yet.
func logPower(log *powerLog) error {
	tls := libc.NewTLS()
	defer tls.Close()
	name, err := libc.CString("power")
	if err != nil {
		return err
	}
	power.log, power.methods = log, map[uintptr]*powerMethods{}
	power.own = at[sqlite3.Tsqlite3_vfs](sqlite3.Xsqlite3_vfs_find(tls, 0))
	if power.logged, err = alloc[sqlite3.Tsqlite3_vfs](tls); err != nil {
		return err
	}
	*power.logged = *power.own
	power.logged.FzName, power.logged.FpNext = name, 0
	set(&power.logged.FxOpen, powerOpen)
	set(&power.logged.FxDelete, powerDelete)
	if rc := sqlite3.Xsqlite3_vfs_register(tls, address(power.logged), 1); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("register the file system: %d", rc)
	}
	return nil
}

// alloc returns memory of SQLite's: it cannot take Go's.
func alloc[T any](tls *libc.TLS) (*T, error) {
	p := sqlite3.Xsqlite3_malloc(tls, int32(unsafe.Sizeof(*new(T))))
	if p == 0 {
		return nil, errors.New("SQLite has no memory")
	}
	return at[T](p), nil
}

func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// at returns what is at an address that SQLite gives. All of it stays where it is.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// set makes a field of a C structure point to a function, which must not be a
// closure, and get returns the function that is there.
func set[F any](field *uintptr, f F) { *(*F)(unsafe.Pointer(field)) = f }
func get[F any](field uintptr) F     { return *(*F)(unsafe.Pointer(&struct{ uintptr }{field})) }

// wrap gives an open file the methods that log.
func (v *powerVFS) wrap(tls *libc.TLS, f *sqlite3.Tsqlite3_file) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.methods[f.FpMethods]
	if m == nil {
		var err error
		if m, err = alloc[powerMethods](tls); err != nil {
			return err
		}
		m.own = f.FpMethods
		m.Tsqlite3_io_methods = *at[sqlite3.Tsqlite3_io_methods](m.own)
		set(&m.FxWrite, powerWrite)
		set(&m.FxTruncate, powerTruncate)
		set(&m.FxSync, powerSync)
		v.methods[m.own] = m
	}
	f.FpMethods = address(m)
	return nil
}

// ownOf returns the methods that a file would have without the log.
func ownOf(file uintptr) *sqlite3.Tsqlite3_io_methods {
	m := at[powerMethods](at[sqlite3.Tsqlite3_file](file).FpMethods)
	return at[sqlite3.Tsqlite3_io_methods](m.own)
}

// fileName returns the name of an open file.
func fileName(file uintptr) string {
	return filepath.Base(libc.GoString(at[sqlite3.TunixFile](file).FzPath))
}

func powerOpen(tls *libc.TLS, _, path, file uintptr, flags int32, out uintptr) int32 {
	rc := get[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](power.own.FxOpen)(
		tls, address(power.logged), path, file, flags, out)
	if rc == sqlite3.SQLITE_OK && path != 0 { // a file without a name is temporary
		power.log.add(op{Kind: opOpen, File: filepath.Base(libc.GoString(path))})
		if err := power.wrap(tls, at[sqlite3.Tsqlite3_file](file)); err != nil {
			panic(err)
		}
	}
	return rc
}

func powerDelete(tls *libc.TLS, _, path uintptr, directory int32) int32 {
	rc := get[func(*libc.TLS, uintptr, uintptr, int32) int32](power.own.FxDelete)(
		tls, address(power.logged), path, directory)
	if rc == sqlite3.SQLITE_OK {
		power.log.add(op{Kind: opDelete, File: filepath.Base(libc.GoString(path)), Directory: directory&1 != 0})
	}
	return rc
}

func powerWrite(tls *libc.TLS, file, data uintptr, n int32, offset int64) int32 {
	rc := get[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](ownOf(file).FxWrite)(tls, file, data, n, offset)
	if rc == sqlite3.SQLITE_OK {
		power.log.add(op{Kind: opWrite, File: fileName(file), Offset: offset, Data: bytes.Clone(unsafe.Slice(at[byte](data), n))})
	}
	return rc
}

func powerTruncate(tls *libc.TLS, file uintptr, size int64) int32 {
	rc := get[func(*libc.TLS, uintptr, int64) int32](ownOf(file).FxTruncate)(tls, file, size)
	if rc == sqlite3.SQLITE_OK {
		power.log.add(op{Kind: opTruncate, File: fileName(file), Offset: size})
	}
	return rc
}

// powerSync syncs a file. The first sync of a journal or of a write-ahead log
// syncs its directory as well, and SQLite marks the file until it has.
func powerSync(tls *libc.TLS, file uintptr, flags int32) int32 {
	power.log.beforeSync()
	directory := at[sqlite3.TunixFile](file).FctrlFlags&sqlite3.UNIXFILE_DIRSYNC != 0
	rc := get[func(*libc.TLS, uintptr, int32) int32](ownOf(file).FxSync)(tls, file, flags)
	if rc == sqlite3.SQLITE_OK {
		power.log.add(op{Kind: opSync, File: fileName(file), Directory: directory})
	}
	return rc
}
