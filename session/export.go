package session

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// ExportFormat is the name in the header of an exported session, and
// ExportVersion the version of the file that this package writes.
const (
	ExportFormat  = "quarry.session"
	ExportVersion = 1
)

// Header is the first line of an exported session.
type Header struct {
	// Format is [ExportFormat], Version the file's version.
	Format  string `json:"format"`
	Version int    `json:"version"`
	Session string `json:"session"`
	// Forked tells where the session came from; its prefix is in the file.
	Forked *Forked `json:"forked,omitempty"`
	// Records is how many lines follow, one record each.
	Records int64 `json:"records"`
}

// ImportError tells that a file cannot be imported.
type ImportError struct {
	// Line counts from 1.
	Line    int
	Problem string
	Hint    string
	// Err is the cause; nil if there is none.
	Err error
}

// Error names the line, the problem and the way out.
func (e *ImportError) Error() string {
	text := fmt.Sprintf("line %d: %s", e.Line, e.Problem)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// Unwrap returns the cause.
func (e *ImportError) Unwrap() error { return e.Err }

// Export writes a session as JSON Lines: a [Header], then every record, those of
// a fork's prefix too. What is appended meanwhile is left out.
func Export(ctx context.Context, store Store, id string, w io.Writer) error {
	header := Header{Format: ExportFormat, Version: ExportVersion, Session: id}
	for info, err := range store.List(ctx, Filter{ID: id}) {
		if err != nil {
			return fmt.Errorf("export session %q: %w", id, err)
		}
		header.Records, header.Forked = info.Last, info.Forked
	}
	if header.Records == 0 {
		return fmt.Errorf("export session %q: %w", id, ErrNotFound)
	}
	out := bufio.NewWriter(w)
	put := func(v any) error {
		line, err := marshal(v)
		if err == nil {
			_, err = out.Write(append(line, '\n'))
		}
		return err
	}
	if err := put(header); err != nil {
		return fmt.Errorf("export session %q: %w", id, err)
	}
	last := int64(0)
	for rec, err := range store.Load(ctx, id, 0) {
		if err == nil {
			err = put(rec)
		}
		if err != nil {
			return fmt.Errorf("export session %q: %w", id, err)
		}
		if last = rec.Seq; last == header.Records {
			break
		}
	}
	if last != header.Records {
		return fmt.Errorf("export session %q: it has %d records of %d; try again", id, last, header.Records)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("export session %q: %w", id, err)
	}
	return nil
}

// Import creates a session from what [Export] wrote, and returns its id: newID,
// or where that is empty the one in the file. The records are the same, with
// their numbers and times; a fork's prefix becomes the session's own. All of it
// is stored or nothing. The error is ErrExists where the store has the id, and
// an *[ImportError] where the file is damaged or newer.
func Import(ctx context.Context, store Store, r io.Reader, newID string) (id string, err error) {
	f := &importFile{r: bufio.NewReader(r)}
	header, err := f.header()
	if err != nil {
		return "", fmt.Errorf("import session: %w", err)
	}
	if id = newID; id == "" {
		id = header.Session
	}
	if err := CheckID(id); err != nil {
		return "", fmt.Errorf("import session: %w", err)
	}
	recs, err := f.records(ctx, header.Records)
	if err != nil {
		return "", fmt.Errorf("import session %q: %w", id, err)
	}
	err = store.Append(ctx, id, 0, recs)
	if errors.Is(err, ErrConflict) {
		err = ErrExists
	}
	if err != nil {
		return "", fmt.Errorf("import session %q: %w", id, err)
	}
	return id, nil
}

// importFile reads an exported session line by line.
type importFile struct {
	r *bufio.Reader
	// line is the number of the last line read.
	line int
}

const (
	damagedHint  = "export the session again, or take another copy of the file"
	notExported  = "it is not the header of an exported session"
	notExportedH = "give a file that quarry sessions export wrote"
)

func (f *importFile) fail(problem, hint string, err error) error {
	return &ImportError{Line: f.line, Problem: problem, Hint: hint, Err: err}
}

// next returns the next line, and io.EOF after the last.
func (f *importFile) next() ([]byte, error) {
	line, err := f.r.ReadBytes('\n')
	if err == io.EOF && len(line) > 0 {
		err = nil
	}
	if err == io.EOF {
		return nil, err
	}
	f.line++
	if err != nil {
		return nil, f.fail("it cannot be read", "", err)
	}
	if !utf8.Valid(line) {
		return nil, f.fail("it is not UTF-8", damagedHint, nil)
	}
	return line, nil
}

func (f *importFile) header() (*Header, error) {
	line, err := f.next()
	if err == io.EOF {
		f.line = 1
		return nil, f.fail("the file is empty", notExportedH, nil)
	}
	if err != nil {
		return nil, err
	}
	// A newer header may not even fit today's.
	var head struct {
		Format  string
		Version int
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, f.fail(notExported, notExportedH, err)
	}
	switch {
	case head.Format != ExportFormat || head.Version < 1:
		return nil, f.fail(notExported, notExportedH, nil)
	case head.Version > ExportVersion:
		return nil, f.fail(fmt.Sprintf("the file has version %d and this version reads up to %d", head.Version, ExportVersion), newerHint, nil)
	}
	var header Header
	if err := json.Unmarshal(line, &header); err != nil {
		return nil, f.fail("the header is damaged", damagedHint, err)
	}
	if header.Records < 1 {
		return nil, f.fail(fmt.Sprintf("the header is damaged: it says that there are %d records", header.Records), damagedHint, nil)
	}
	return &header, nil
}

// records reads n records and wants the end of the file behind them.
func (f *importFile) records(ctx context.Context, n int64) (recs []Record, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		line, err := f.next()
		switch due := int64(len(recs)) + 1; {
		case err == io.EOF && due > n:
			return recs, nil
		case err == io.EOF:
			f.line++
			return nil, f.fail(fmt.Sprintf("the file ends where record %d of %d is due", due, n), damagedHint, nil)
		case err != nil:
			return nil, err
		case due > n:
			return nil, f.fail(fmt.Sprintf("there is more than the %d records that the header says", n), damagedHint, nil)
		}
		rec, err := f.record(line, int64(len(recs))+1)
		if err != nil {
			return nil, err
		}
		recs = append(recs, rec)
	}
}

func (f *importFile) record(line []byte, due int64) (rec Record, err error) {
	if err := json.Unmarshal(line, &rec); err != nil {
		var fe *FormatError
		if errors.As(err, &fe) {
			return rec, f.fail("the record cannot be used", "", err)
		}
		return rec, f.fail("it is not a record", damagedHint, err)
	}
	switch {
	case rec.Seq != due:
		return rec, f.fail(fmt.Sprintf("record %d comes where %d is due", rec.Seq, due), damagedHint, nil)
	case rec.Time.IsZero():
		return rec, f.fail(fmt.Sprintf("record %d has no time", rec.Seq), damagedHint, nil)
	}
	rec.Time = rec.Time.UTC()
	return rec, nil
}
