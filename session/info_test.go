package session_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/session"
)

func TestInfoApply(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	answered := func(in int64) *session.ModelAnswered {
		return &session.ModelAnswered{Response: &model.Response{Message: &model.Message{}, Usage: model.Usage{
			InputTokens: in, OutputTokens: 1, ServerToolCalls: map[string]int64{"web_search_requests": 2},
		}}}
	}
	info := session.Info{ID: "a"}
	want := session.Info{ID: "a"}
	for i, step := range []struct {
		event session.Event
		want  func()
	}{
		{&session.Started{Agent: "clerk", Model: "m", Title: "t", Labels: map[string]string{"k": "v"}}, func() {
			want.Agent, want.Model, want.Title, want.Status, want.Created = "clerk", "m", "t", session.StatusIdle, at
			want.Labels = map[string]string{"k": "v"}
		}},
		{&session.Prompted{Message: model.UserText("First " + strings.Repeat("é", 300))}, func() {
			want.Status, want.Prompt = session.StatusRunning, "First "+strings.Repeat("é", 194)
		}},
		{&session.ModelCalled{Turn: 1, Attempt: 1}, func() {}},
		{answered(10), func() {
			want.Turns, want.Usage = 1, model.Usage{InputTokens: 10, OutputTokens: 1, ServerToolCalls: map[string]int64{"web_search_requests": 2}}
		}},
		{&session.ToolCalled{Turn: 1}, func() {}},
		{&session.ToolAnswered{Turn: 1}, func() { want.ToolCalls = 1 }},
		{&session.Renamed{Title: "u"}, func() { want.Title = "u" }},
		{&session.Interrupted{}, func() { want.Status = session.StatusInterrupted }},
		{&session.Resumed{}, func() { want.Status = session.StatusRunning }},
		{&session.ModelFailed{Error: &model.Error{}}, func() {}},
		{&session.Expired{}, func() {}},
		{answered(5), func() {
			want.Turns, want.Usage = 2, model.Usage{InputTokens: 15, OutputTokens: 2, ServerToolCalls: map[string]int64{"web_search_requests": 4}}
		}},
		{&session.Ended{Result: session.Result{Subtype: session.Limited}}, func() { want.Status, want.Subtype = session.StatusDone, session.Limited }},
		{&session.Prompted{Message: model.UserText("Second")}, func() { want.Status, want.Subtype = session.StatusRunning, "" }},
		{&session.Ended{Result: session.Result{Subtype: session.Success}}, func() { want.Status, want.Subtype = session.StatusDone, session.Success }},
	} {
		rec := session.Record{Seq: int64(i + 1), Time: at.Add(time.Duration(i) * time.Second), Event: step.event}
		info.Apply(rec)
		want.Last, want.Updated = rec.Seq, rec.Time
		step.want()
		if diff := cmp.Diff(want, info); diff != "" {
			t.Fatalf("after record %d (%s) the summary differs (-want +got):\n%s", rec.Seq, rec.Event.Kind(), diff)
		}
	}
}

func TestFilterMatch(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	info := session.Info{ID: "a", Agent: "clerk", Status: session.StatusDone, Updated: at, Labels: map[string]string{"k": "v=w", "": ""}}
	for _, tc := range []struct {
		filter session.Filter
		want   bool
	}{
		{session.Filter{}, true},
		{session.Filter{ID: "a", Agent: "clerk", Status: session.StatusDone, Since: at, Limit: 1}, true},
		{session.Filter{ID: "b"}, false},
		{session.Filter{IDPrefix: "a"}, true},
		{session.Filter{IDPrefix: "ab"}, false},
		{session.Filter{Label: "k=v=w"}, true},
		{session.Filter{Label: "="}, true},
		{session.Filter{Label: "k=v"}, false},
		{session.Filter{Label: "k"}, false},
		{session.Filter{Label: "v=w"}, false},
		{session.Filter{Agent: "Clerk"}, false},
		{session.Filter{Status: session.StatusIdle}, false},
		{session.Filter{Since: at.Add(1)}, false},
		{session.Filter{Since: at.Add(-1)}, true},
	} {
		if got := tc.filter.Match(&info); got != tc.want {
			t.Errorf("%+v lets the session through: %v, want %v", tc.filter, got, tc.want)
		}
	}
}
