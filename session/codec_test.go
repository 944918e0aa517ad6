package session_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sessiontest"
)

var ignoreEncodings = cmpopts.IgnoreUnexported(model.Message{})

func TestEventsRoundTrip(t *testing.T) {
	t.Parallel()
	for i, ev := range sessiontest.Events() {
		t.Run(ev.Kind(), func(t *testing.T) {
			t.Parallel()
			data, err := session.EncodeEvent(ev)
			if err != nil {
				t.Fatal(err)
			}
			got, err := session.DecodeEvent(ev.Kind(), data)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(sessiontest.Events()[i], got, ignoreEncodings); diff != "" {
				t.Errorf("the event changed (-before +after):\n%s", diff)
			}
			again, err := session.EncodeEvent(got)
			if err != nil || string(again) != string(data) {
				t.Errorf("encoded again the event is\n%s\nwant\n%s", again, data)
			}
		})
	}
}

// TestSamplesAreComplete looks after the samples that this and every store is
// tested with: a new field or kind must be in them.
func TestSamplesAreComplete(t *testing.T) {
	t.Parallel()
	kinds := make(map[string]bool)
	for _, ev := range sessiontest.Events() {
		kinds[ev.Kind()] = true
		for _, path := range zeroFields(reflect.ValueOf(ev), ev.Kind()) {
			t.Errorf("the sample leaves %s unset", path)
		}
	}
	for kind := range damaged {
		if !kinds[kind] {
			t.Errorf("there is no sample of %s", kind)
		}
	}
	for kind := range kinds {
		if damaged[kind] == nil {
			t.Errorf("TestDecodeErrors has no %s", kind)
		}
	}
	blocks := make(map[string]bool)
	for _, b := range sessiontest.Blocks() {
		blocks[b.BlockType()] = true
	}
	if got := len(blocks); got != 10 {
		t.Errorf("the samples have blocks of %d types: %v", got, slices.Sorted(maps.Keys(blocks)))
	}
}

// zeroFields returns the JSON fields that are not set, those of nested
// structures too; lists are followed into where they are of structures.
func zeroFields(v reflect.Value, path string) (paths []string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return zeroFields(v.Elem(), path)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name := path + "." + f.Name
			switch {
			case !f.IsExported() || f.Tag.Get("json") == "-":
			// An error within a result or a partial answer is enough once.
			case strings.HasPrefix(name, session.KindEnded+".Result.Error."):
			case strings.Contains(path, "[") && (f.Name == "Raw" || f.Name == "Citations"):
			case v.Field(i).IsZero():
				paths = append(paths, name)
			default:
				paths = append(paths, zeroFields(v.Field(i), name)...)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if k := v.Index(i).Kind(); k == reflect.Interface || k == reflect.Struct {
				paths = append(paths, zeroFields(v.Index(i), fmt.Sprintf("%s[%d]", path, i))...)
			}
		}
	}
	return paths
}

// damaged are stored forms that are not an event of their kind.
var damaged = map[string][]string{
	session.KindStarted:           {`{"format":"one"}`, `{"labels":[]}`},
	session.KindPrompted:          {`{}`, `{"message":null}`, `{"message":{"role":"user","blocks":{}}}`, `{"message":{"blocks":[{"type":"text","text":1}]}}`},
	session.KindModelCalled:       {`{"turn":1.5}`, `{"turn":99999999999999999999}`},
	session.KindModelAnswered:     {`{"turn":1}`, `{"response":{}}`, `{"response":{"message":null}}`, `{"response":{"message":{"blocks":[3]}}}`, `{"response":{"message":{}},"cost_usd":"much"}`},
	session.KindModelFailed:       {`{"turn":1}`, `{"error":"no"}`},
	session.KindToolCalled:        {`{"index":"0"}`},
	session.KindToolAnswered:      {`{"content":[1]}`, `{"duration_ns":"1s"}`},
	session.KindInterrupted:       {`{"reason":7}`},
	session.KindResumed:           {`{"x"}`},
	session.KindRenamed:           {`{"title":1}`},
	session.KindCompacting:        {`{"tokens":"many"}`},
	session.KindCompacted:         {`{"dropped":{}}`, `{"summary":{"blocks":[3]}}`},
	session.KindChanged:           {`{"sources":{}}`},
	session.KindReconfigured:      {`{"agent":[]}`},
	session.KindHookCalled:        {`{"hooks":"all"}`},
	session.KindHookAnswered:      {`{"context":"more"}`, `{"output":[3]}`},
	session.KindApprovalAsked:     {`{"turn":"2"}`},
	session.KindToolWaiting:       {`{"turn":"2"}`},
	session.KindChildWaiting:      {`{"pending":{}}`},
	session.KindApprovalGiven:     {`{"allow":"yes"}`},
	session.KindExpired:           {`{"value_ns":[]}`},
	session.KindBackgroundStopped: {`{"running":{}}`},
	session.KindEnded:             {`{"result":[]}`, `{"result":{"usage":{"server_tool_calls":[]}}}`},
}

func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	for kind, forms := range damaged {
		for _, data := range append(forms, ``, `null`, `[]`, `"text"`, `7`, `{`, `{}{}`, `{} x`, "\x00") {
			ev, err := session.DecodeEvent(kind, []byte(data))
			var fe *session.FormatError
			if ev != nil || !errors.As(err, &fe) || fe.Kind != kind || !strings.HasPrefix(fe.Problem, "it is damaged: ") || fe.Hint == "" {
				t.Errorf("DecodeEvent(%q, %q) = %v, %v", kind, data, ev, err)
			}
		}
	}
	for _, tc := range []struct{ name, kind, data, want string }{
		{"no kind", "", `{}`, `event "" cannot be read: this version does not know the kind of event (use a newer quarry)`},
		{"unknown kind", "dreamed", `{}`, `event "dreamed" cannot be read: this version does not know the kind of event (use a newer quarry)`},
		{"newer format", session.KindStarted, `{"format":2}`, `event "started" cannot be read: the journal has format 2 and this version reads up to 1 (use a newer quarry)`},
		{"newer format of another shape", session.KindStarted, `{"format":3,"agent":{"name":"x"}}`, `event "started" cannot be read: the journal has format 3 and this version reads up to 1 (use a newer quarry)`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := session.DecodeEvent(tc.kind, []byte(tc.data))
			var fe *session.FormatError
			if !errors.As(err, &fe) || err.Error() != tc.want {
				t.Errorf("got %v\nwant %s", err, tc.want)
			}
			placed := session.At(fmt.Errorf("wrapped: %w", err), "01JZ", 7)
			where := "session 01JZ, record 7"
			if tc.kind != "" {
				where += " (" + tc.kind + ")"
			}
			if want := strings.Replace(tc.want, fmt.Sprintf("event %q", tc.kind), where, 1); placed.Error() != want {
				t.Errorf("At gives %v\nwant %s", placed, want)
			}
			if fe.Seq != 0 {
				t.Error("At changed the error that it was given")
			}
		})
	}
	other := errors.New("other")
	if got := session.At(other, "a", 1); got != other {
		t.Errorf("At changes %v to %v", other, got)
	}
}

func TestEncodeErrors(t *testing.T) {
	t.Parallel()
	for name, ev := range map[string]session.Event{
		"nil":         nil,
		"typed nil":   (*session.Resumed)(nil),
		"invalid raw": &session.Started{Config: json.RawMessage(`{`)},
		"nil block":   &session.ToolAnswered{Content: model.Blocks{nil}},
	} {
		if data, err := session.EncodeEvent(ev); err == nil {
			t.Errorf("%s: EncodeEvent gives %s", name, data)
		}
	}
}

func TestEncodingIsReadable(t *testing.T) {
	t.Parallel()
	data, err := session.EncodeEvent(&session.ToolAnswered{Content: model.Blocks{&model.Text{Text: "<p>é & ü</p>"}}, Output: json.RawMessage(`{"h":"<b>"}`)})
	if want := `{"turn":0,"index":0,"id":"","name":"","content":[{"type":"text","text":"<p>é & ü</p>"}],"output":{"h":"<b>"}}`; err != nil || string(data) != want {
		t.Errorf("EncodeEvent = %s, %v\nwant %s", data, err, want)
	}
}

func TestRecordJSON(t *testing.T) {
	t.Parallel()
	rec := session.Record{Seq: 7, Time: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Event: &session.Expired{Limit: "wall_clock", Value: time.Second}}
	data, err := json.Marshal(rec)
	want := `{"seq":7,"time":"2026-01-02T03:04:05.000000006Z","kind":"expired","data":{"limit":"wall_clock","value_ns":1000000000}}`
	if err != nil || string(data) != want {
		t.Fatalf("got %s, %v\nwant %s", data, err, want)
	}
	var got session.Record
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rec, got); diff != "" {
		t.Error(diff)
	}
	var fe *session.FormatError
	if err := json.Unmarshal([]byte(`{"seq":7,"kind":"dreamed","data":{}}`), &got); !errors.As(err, &fe) {
		t.Errorf("an unknown kind gives %v", err)
	}
	if err := json.Unmarshal([]byte(`{"seq":7,"kind":"expired"}`), &got); !errors.As(err, &fe) {
		t.Errorf("a record without data gives %v", err)
	}
	if _, err := json.Marshal(session.Record{Seq: 1}); err == nil {
		t.Error("a record without an event was encoded")
	}
}

func TestCheckID(t *testing.T) {
	t.Parallel()
	for id, ok := range map[string]bool{
		session.NewID(): true, "a": true, "-_9Z": true, strings.Repeat("a", 64): true,
		"": false, strings.Repeat("a", 65): false, "a/b": false, "..": false, "a.b": false, "é": false, "a\x00": false, "a b": false,
	} {
		if err := session.CheckID(id); (err == nil) != ok {
			t.Errorf("CheckID(%q) = %v", id, err)
		}
	}
}

func FuzzDecodeEvent(f *testing.F) {
	for _, ev := range sessiontest.Events() {
		data, err := session.EncodeEvent(ev)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(ev.Kind(), data)
	}
	for kind, forms := range damaged {
		for _, data := range forms {
			f.Add(kind, []byte(data))
		}
	}
	f.Fuzz(func(t *testing.T, kind string, data []byte) {
		ev, err := session.DecodeEvent(kind, data)
		if err != nil {
			var fe *session.FormatError
			if !errors.As(err, &fe) || fe.Kind != kind {
				t.Fatalf("the error is %v", err)
			}
			return
		}
		if ev.Kind() != kind {
			t.Fatalf("kind %q decodes to %q", kind, ev.Kind())
		}
		// What was read can be summarised, written and read again.
		info := session.Info{ID: "a"}
		info.Apply(session.Record{Seq: 1, Time: time.Unix(0, 0), Event: ev})
		encoded, err := session.EncodeEvent(ev)
		if err != nil {
			t.Fatalf("cannot be encoded again: %v", err)
		}
		again, err := session.DecodeEvent(kind, encoded)
		if err != nil {
			t.Fatalf("%s cannot be decoded again: %v", encoded, err)
		}
		twice, err := session.EncodeEvent(again)
		if err != nil || string(twice) != string(encoded) {
			t.Fatalf("encoded twice: %s, %v\nwant %s", twice, err, encoded)
		}
	})
}
