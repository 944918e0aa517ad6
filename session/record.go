package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/oklog/ulid/v2"
)

// Record is one entry of a journal.
type Record struct {
	// Seq is the record's place: 1, 2, 3 … without gaps.
	Seq int64
	// Time is when it was made, in UTC.
	Time  time.Time
	Event Event
}

// recordJSON is the form of a record in exports.
type recordJSON struct {
	Seq  int64           `json:"seq"`
	Time time.Time       `json:"time"`
	Kind string          `json:"kind"`
	Data json.RawMessage `json:"data"`
}

// MarshalJSON implements json.Marshaler: {"seq":…,"time":…,"kind":…,"data":{…}}.
func (r Record) MarshalJSON() ([]byte, error) {
	data, err := EncodeEvent(r.Event)
	if err != nil {
		return nil, fmt.Errorf("record %d: %w", r.Seq, err)
	}
	return marshal(recordJSON{r.Seq, r.Time, r.Event.Kind(), data})
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *Record) UnmarshalJSON(data []byte) error {
	var j recordJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	ev, err := DecodeEvent(j.Kind, j.Data)
	if err != nil {
		return fmt.Errorf("record %d: %w", j.Seq, err)
	}
	*r = Record{Seq: j.Seq, Time: j.Time, Event: ev}
	return nil
}

// EncodeEvent returns the JSON of an event, as a store keeps it beside the
// event's kind.
func EncodeEvent(ev Event) ([]byte, error) {
	if ev == nil {
		return nil, errors.New("encode event: it is nil")
	}
	data, err := marshal(ev)
	if err != nil {
		return nil, fmt.Errorf("encode event %s: %w", ev.Kind(), err)
	}
	if data[0] != '{' {
		return nil, fmt.Errorf("encode event %s: it is nil", ev.Kind())
	}
	return data, nil
}

// marshal is json.Marshal without the escapes for HTML, which would alter the
// raw JSON of providers and triple the size of a page's text.
func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// DecodeEvent is the inverse of [EncodeEvent]. Its errors are of type
// *[FormatError].
func DecodeEvent(kind string, data []byte) (Event, error) {
	ev := newEvent(kind)
	if ev == nil {
		return nil, &FormatError{Kind: kind, Problem: "this version does not know the kind of event", Hint: newerHint}
	}
	if kind == KindStarted {
		// A newer format may not even fit today's Started.
		var head struct{ Format int }
		if json.Unmarshal(data, &head) == nil && head.Format > FormatVersion {
			return nil, &FormatError{Kind: kind, Problem: fmt.Sprintf("the journal has format %d and this version reads up to %d", head.Format, FormatVersion), Hint: newerHint}
		}
	}
	problem := "it is not a JSON object"
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		if err := json.Unmarshal(data, ev); err != nil {
			problem = err.Error()
		} else {
			problem = lacks(ev)
		}
	}
	if problem != "" {
		return nil, &FormatError{Kind: kind, Problem: "it is damaged: " + problem, Hint: "restore the journal from a copy"}
	}
	return ev, nil
}

const newerHint = "use a newer quarry"

// lacks tells what an event must have and has not, so that nobody else needs to
// look; empty where it is complete.
func lacks(ev Event) string {
	switch ev := ev.(type) {
	case *Prompted:
		if ev.Message == nil {
			return "it has no message"
		}
	case *ModelAnswered:
		if ev.Response == nil || ev.Response.Message == nil {
			return "it has no response, or one without a message"
		}
	case *ModelFailed:
		if ev.Error == nil {
			return "it has no error"
		}
	}
	return ""
}

// NewID returns a fresh session id: a ULID, which sorts by the time it was made.
func NewID() string { return ulid.Make().String() }

// MaxIDLength is the length of the longest session id.
const MaxIDLength = 64

// CheckID tells what is wrong with a session id. Ids become file names and
// keys, so they are letters, digits, '-' and '_' only.
func CheckID(id string) error {
	if id == "" || len(id) > MaxIDLength {
		return fmt.Errorf("session id %.80q: it must have 1 to %d characters", id, MaxIDLength)
	}
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '-' && c != '_' {
			return fmt.Errorf("session id %.80q: it must be of letters, digits, '-' and '_'", id)
		}
	}
	return nil
}
