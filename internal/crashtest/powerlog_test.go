package crashtest

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
)

// op is what SQLite does to a file.
type op struct {
	Kind opKind
	// File is the file's name in its directory.
	File string `json:",omitempty"`
	// Offset is where Data is written, or the size that the file is cut to.
	Offset int64  `json:",omitempty"`
	Data   []byte `json:",omitempty"`
	// Directory tells that a sync or a deletion syncs the directory too.
	Directory bool `json:",omitempty"`
	// Seq is the last record that the store has called durable.
	Seq int64 `json:",omitempty"`
}

type opKind string

const (
	opOpen     opKind = "open"
	opWrite    opKind = "write"
	opTruncate opKind = "truncate"
	opSync     opKind = "sync"
	opDelete   opKind = "delete"
	opDurable  opKind = "durable"
)

// powerLog is the log that a process keeps of what SQLite does, in the order in
// which it is done. A nil log keeps nothing.
type powerLog struct {
	mu  sync.Mutex
	out *json.Encoder
	// stop is called before a sync, when syncs has been counted down to 0.
	stop  func()
	syncs int
}

// newPowerLog makes a log in a new file.
func newPowerLog(path string, stop func()) (*powerLog, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	return &powerLog{out: json.NewEncoder(f), stop: stop}, nil
}

// add logs an operation that has been done.
func (l *powerLog) add(o op) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.out.Encode(o); err != nil {
		panic(fmt.Sprintf("the log of the file system: %v", err))
	}
}

// durable logs that the store has called a record durable.
func (l *powerLog) durable(seq int64) {
	if l != nil {
		l.add(op{Kind: opDurable, Seq: seq})
	}
}

// stopAt makes the process stop before a sync, the first being 1; 0 for none.
func (l *powerLog) stopAt(syncs int) {
	if l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.syncs = syncs
	}
}

// beforeSync stops the process where that is due.
func (l *powerLog) beforeSync() {
	l.mu.Lock()
	l.syncs--
	here := l.syncs == 0
	l.mu.Unlock()
	if here {
		l.stop()
	}
}
