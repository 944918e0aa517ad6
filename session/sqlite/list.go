package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/quarry-sdk/quarry/session"
)

// infoColumns are the columns of an Info, in the order of infoValues.
const infoColumns = "id, agent, model, title, status, subtype, created, updated, last, prompt, turns, tool_calls, usage, labels, forked_from, forked_at, parent"

// infoMarks are the marks of as many values.
var infoMarks = strings.TrimSuffix(strings.Repeat("?, ", strings.Count(infoColumns, ",")+1), ", ")

func infoValues(i *session.Info) ([]any, error) {
	usage, err := json.Marshal(&i.Usage)
	if err != nil {
		return nil, fmt.Errorf("encode usage: %w", err)
	}
	labels := []byte("{}")
	if len(i.Labels) > 0 {
		if labels, err = json.Marshal(i.Labels); err != nil {
			return nil, fmt.Errorf("encode labels: %w", err)
		}
	}
	var forked session.Forked
	if i.Forked != nil {
		forked = *i.Forked
	}
	return []any{
		i.ID, i.Agent, i.Model, i.Title, string(i.Status), string(i.Subtype), i.Created.UnixNano(), i.Updated.UnixNano(),
		i.Last, i.Prompt, i.Turns, i.ToolCalls, string(usage),
		string(labels), forked.From, forked.At, i.Parent,
	}, nil
}

// scanInfo reads a session's number and its Info.
func scanInfo(r interface{ Scan(...any) error }) (number int64, i session.Info, err error) {
	var created, updated int64
	var usage, labels []byte
	var forked session.Forked
	err = r.Scan(&number, &i.ID, &i.Agent, &i.Model, &i.Title, &i.Status, &i.Subtype, &created, &updated,
		&i.Last, &i.Prompt, &i.Turns, &i.ToolCalls, &usage, &labels, &forked.From, &forked.At, &i.Parent)
	if err != nil {
		return 0, session.Info{}, err
	}
	err = json.Unmarshal(usage, &i.Usage)
	if err == nil && string(labels) != "{}" {
		err = json.Unmarshal(labels, &i.Labels)
	}
	if err != nil {
		return 0, session.Info{}, &Error{
			Problem: fmt.Sprintf("the summary of session %q is damaged", i.ID),
			Hint:    "restore the file from a copy, or delete the session",
			Err:     err,
		}
	}
	i.Created, i.Updated = time.Unix(0, created).UTC(), time.Unix(0, updated).UTC()
	if forked.At > 0 {
		i.Forked = &forked
	}
	return number, i, nil
}

// List implements session.Store. It yields the sessions as they were when the
// loop began.
func (s *Store) List(ctx context.Context, filter session.Filter) iter.Seq2[session.Info, error] {
	return func(yield func(session.Info, error) bool) {
		infos, err := s.infos(ctx, &filter)
		if err != nil {
			yield(session.Info{}, failure("list", s.path, err))
			return
		}
		for _, info := range infos {
			if err := ctx.Err(); err != nil {
				yield(session.Info{}, err)
				return
			}
			if !yield(info, nil) {
				return
			}
		}
	}
}

func (s *Store) infos(ctx context.Context, filter *session.Filter) ([]session.Info, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	query, args := listQuery(filter)
	rows, err := s.reads.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var infos []session.Info
	for rows.Next() {
		_, info, err := scanInfo(rows)
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	return infos, rows.Err()
}

func listQuery(f *session.Filter) (query string, args []any) {
	var where []string
	add := func(condition string, arg any) {
		where, args = append(where, condition), append(args, arg)
	}
	if f.ID != "" {
		add("id = ?", f.ID)
	}
	if f.Agent != "" {
		add("agent = ?", f.Agent)
	}
	if f.Status != "" {
		add("status = ?", string(f.Status))
	}
	if f.IDPrefix != "" {
		// No character of an id is above DEL.
		add("id >= ?", f.IDPrefix)
		add("id < ?", f.IDPrefix+"\x7f")
	}
	if f.Label != "" {
		key, value, _ := strings.Cut(f.Label, "=")
		add("number IN (SELECT session FROM labels WHERE key = ? AND value = ?)", key)
		args = append(args, value)
	}
	if f.Parent != "" {
		add("parent = ?", f.Parent)
	}
	if f.Roots {
		add("parent = ?", "")
	}
	if f.Since.After(maxTime) {
		add("?", 0)
	} else if f.Since.After(minTime) {
		add("updated >= ?", f.Since.UnixNano())
	}
	query = "SELECT number, " + infoColumns + " FROM sessions"
	if len(where) > 0 {
		query += " WHERE " + strings.Join(where, " AND ")
	}
	query += " ORDER BY updated DESC, id DESC"
	if f.Limit > 0 {
		query += " LIMIT ?"
		args = append(args, f.Limit)
	}
	return query, args
}
