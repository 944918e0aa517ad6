package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/corpus"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/toolbox/docs"
)

// mcpSoon is the longest that a test waits for what must come.
const mcpSoon = 20 * time.Second

func awaitMCP[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(mcpSoon):
		t.Fatalf("%s did not come", what)
		panic("unreachable")
	}
}

// writeDocs writes documents below a folder of the test.
func writeDocs(t *testing.T, folder string, docs map[string]string) string {
	t.Helper()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range docs {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

var portDocs = map[string]string{
	"network.md": "# Network\n\nThe server listens on port 5432. Clients connect to it over TCP.\n",
	"disk.md":    "# Disk\n\nFiles are kept on disk, größer als 5 €.\n",
}

// mcpPair is a client of a server in this process.
type mcpPair struct {
	t        *testing.T
	server   *mcpServer
	served   *mcp.ServerSession
	client   *mcp.ClientSession
	pipe     net.Conn
	stop     context.CancelFunc
	progress chan *mcp.ProgressNotificationParams
}

// newMCPPair serves corpora to one client, until the end of the test.
func newMCPPair(t *testing.T, corpora ...string) *mcpPair {
	t.Helper()
	a := &app{stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}, flags: flags{home: filepath.Join(t.TempDir(), "home")}}
	s, err := a.newMCPServer(t.Context(), corpora, &runFlags{model: "extractive"})
	if err != nil {
		t.Fatal(err)
	}
	here, there := net.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	served, err := s.newSDK(ctx).Connect(ctx, &mcp.IOTransport{Reader: there, Writer: there}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &mcpPair{t: t, server: s, served: served, pipe: here, stop: stop, progress: make(chan *mcp.ProgressNotificationParams, 1000)}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) { p.progress <- req.Params },
	})
	if p.client, err = client.Connect(t.Context(), &mcp.IOTransport{Reader: here, Writer: here}, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.end()
		s.close()
		if out := a.stdout.(*bytes.Buffer); out.Len() > 0 {
			t.Errorf("the server has printed %q", out)
		}
	})
	return p
}

// end ends the connection, after the calls under way.
func (p *mcpPair) end() {
	_ = p.client.Close()
	_ = p.served.Wait()
	p.stop()
}

// onlySession is the one that there is.
func (p *mcpPair) onlySession() session.Info {
	p.t.Helper()
	var infos []session.Info
	for info, err := range p.server.store.List(context.Background(), session.Filter{}) {
		if err != nil {
			p.t.Fatal(err)
		}
		infos = append(infos, info)
	}
	if len(infos) != 1 {
		p.t.Fatalf("%d sessions", len(infos))
	}
	return infos[0]
}

// think gives the first corpus another model.
func (p *mcpPair) think(m model.Model) {
	p.t.Helper()
	c := p.server.corpora[0]
	agent, err := docs.NewAgent(docs.Config{Index: c.index, Model: m, Prices: c.asker.Config().Prices, Store: p.server.store})
	if err != nil {
		p.t.Fatal(err)
	}
	c.asker = agent
}

// call calls a tool, and decodes the data of its result into out.
func (p *mcpPair) call(tool string, args map[string]any, out any) *mcp.CallToolResult {
	p.t.Helper()
	params := &mcp.CallToolParams{Name: tool, Arguments: args}
	params.SetProgressToken("token")
	result, err := p.client.CallTool(p.t.Context(), params)
	if err != nil {
		p.t.Fatal(err)
	}
	if out != nil {
		data, err := json.Marshal(result.StructuredContent)
		if err == nil {
			err = json.Unmarshal(data, out)
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
	return result
}

func textOf(r *mcp.CallToolResult) string { return r.Content[0].(*mcp.TextContent).Text }

// TestMCPTools: what the tools are, and a question with its citation followed.
func TestMCPTools(t *testing.T) {
	t.Parallel()
	folder := writeDocs(t, filepath.Join(t.TempDir(), "docs"), portDocs)
	p := newMCPPair(t, folder)
	list, err := p.client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		a := tool.Annotations
		if !a.ReadOnlyHint || *a.DestructiveHint || *a.OpenWorldHint || a.IdempotentHint != (tool.Name != "ask") {
			t.Errorf("%s is annotated %+v", tool.Name, a)
		}
		if tool.Title == "" || tool.Description == "" || tool.OutputSchema == nil {
			t.Errorf("%s lacks something: %+v", tool.Name, tool)
		}
	}
	if want := []string{"ask", "fetch_doc", "search"}; !slices.Equal(names, want) {
		t.Errorf("the tools are %v, want %v", names, want)
	}

	var found searchJSON
	if text := textOf(p.call("search", map[string]any{"query": "listen port"}, &found)); !strings.Contains(text, " 1. Network  (network, bytes ") || !strings.HasPrefix(text, dataNotice) {
		t.Errorf("the text of a search is %q", text)
	}
	if len(found.Hits) != 1 || found.Hits[0].DocID != "network" || !strings.Contains(found.Hits[0].Snippet, "5432") {
		t.Errorf("found %+v", found)
	}
	for i := range 2 {
		note := awaitMCP(t, "progress", p.progress)
		if want := fmt.Sprintf("indexing %s: %d of 2 files", p.server.names()[0], i+1); note.Message != want || note.Progress != float64(i+1) || note.Total != 2 || note.ProgressToken != "token" {
			t.Errorf("progress %+v, want %s", note, want)
		}
	}
	if none := p.call("search", map[string]any{"query": "zyzzyva"}, &found); none.IsError || textOf(none) != nothingFound || len(found.Hits) != 0 {
		t.Errorf("nothing is told as %q, %+v", textOf(none), found)
	}

	var got answerJSON
	asked := p.call("ask", map[string]any{"question": "On which port does the server listen?"}, &got)
	if asked.IsError || got.Status != "answered" || len(got.Citations) == 0 || !strings.Contains(textOf(asked), "5432") || !strings.Contains(textOf(asked), "session "+got.Session) {
		t.Fatalf("asked: %q, %+v", textOf(asked), got)
	}
	cited := got.Citations[0]
	var part documentPart
	p.call("fetch_doc", map[string]any{"doc_id": cited.DocID, "start": cited.Start, "end": cited.End}, &part)
	if part.Text != cited.Quote || part.Start != cited.Start || part.End != cited.End || part.Path != cited.Path {
		t.Errorf("the citation %+v leads to %+v", cited, part)
	}
	var before float64
	var told []string
	for _, want := range []string{"session " + got.Session, "asking the model, call 1", "→ search_docs {", "← search_docs: 1 hit: network", "asking the model, call 2"} {
		note := awaitMCP(t, "progress", p.progress)
		if told = append(told, note.Message); !strings.HasPrefix(note.Message, want) || note.Progress <= before || note.Total != 0 {
			t.Errorf("progress %q, want %q after %v", told, want, before)
		}
		before = note.Progress
	}
	if info := p.onlySession(); info.ID != got.Session || info.Labels[labelCommand] != "ask" || info.Labels[labelCorpus] != p.server.names()[0] {
		t.Errorf("the session is %+v", info)
	}

	// What changes in the folder is there at the next call.
	writeDocs(t, folder, map[string]string{"mail.md": "# Mail\n\nMail is sent on port 25.\n"})
	if p.call("search", map[string]any{"query": "mail"}, &found); len(found.Hits) != 1 || found.Hits[0].DocID != "mail" {
		t.Errorf("after a change: %+v", found)
	}
	if none := p.call("ask", map[string]any{"question": "Who won the football world cup of 1954?"}, &got); none.IsError || got.Status != "no_answer" {
		t.Errorf("no answer is told as %+v", got)
	}
}

// TestMCPFields: the data of a result has the fields that --json has.
func TestMCPFields(t *testing.T) {
	t.Parallel()
	p := newMCPPair(t, writeDocs(t, filepath.Join(t.TempDir(), "docs"), portDocs))
	keys := func(v any) []string {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]json.RawMessage
		if err := json.Unmarshal(data, &m); err != nil {
			t.Fatal(err)
		}
		var list []string
		for k := range m {
			list = append(list, k)
		}
		slices.Sort(list)
		return list
	}
	searched := p.call("search", map[string]any{"query": "port"}, nil)
	asked := p.call("ask", map[string]any{"question": "On which port does the server listen?"}, nil)
	for _, c := range []struct {
		got  *mcp.CallToolResult
		want string
	}{
		{searched, "hits query"},
		{asked, "answer citations cost_usd duration_ms error limits model session spent status tool_calls turns usage"},
	} {
		if got := strings.Join(keys(c.got.StructuredContent), " "); got != c.want {
			t.Errorf("the fields are %s, want %s", got, c.want)
		}
	}
	hit := searched.StructuredContent.(map[string]any)["hits"].([]any)[0]
	if got := strings.Join(keys(hit), " "); got != "doc_id end path rank score snippet start title" {
		t.Errorf("the fields of a hit are %s", got)
	}
}

// TestMCPBadCalls: each error says what is wrong.
func TestMCPBadCalls(t *testing.T) {
	t.Parallel()
	p := newMCPPair(t, writeDocs(t, filepath.Join(t.TempDir(), "docs"), portDocs))
	name := p.server.names()[0]
	for _, c := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"search", map[string]any{}, `missing properties: ["query"]`},
		{"search", map[string]any{"query": 7}, `/properties/query: type: 7 has type "integer", want "string"`},
		{"search", map[string]any{"query": "port", "frob": 1}, `unexpected additional properties ["frob"]`},
		{"search", map[string]any{"query": " "}, "the query is empty; send it in words"},
		{"search", map[string]any{"query": strings.Repeat("a ", maxQuestion)}, "the query has 40000 characters and may have 20000"},
		{"search", map[string]any{"query": "port", "limit": -1}, "limit is -1; it must be from 1 to 100"},
		{"search", map[string]any{"query": "port", "limit": 101}, "limit is 101; it must be from 1 to 100"},
		{"search", map[string]any{"query": "port", "corpus": "other"}, "other does not equal any of: [" + name + "]"},
		{"ask", map[string]any{"question": ""}, "the question is empty; send it in words"},
		{"fetch_doc", map[string]any{"doc_id": "networt"}, `document "networt": no such document; near ones: network`},
		{"fetch_doc", map[string]any{"doc_id": "network", "start": 1000}, "there are no bytes from 1000 to "},
		{"fetch_doc", map[string]any{"doc_id": "network", "start": -1}, "there are no bytes from -1 to "},
		{"fetch_doc", map[string]any{"doc_id": "network", "end": 1000}, "there are no bytes from 0 to 1000; the document has the bytes 0 to "},
	} {
		if got := p.call(c.tool, c.args, nil); !got.IsError || !strings.Contains(textOf(got), c.want) || got.StructuredContent != nil {
			t.Errorf("%s %v: error %v, %q, want %q", c.tool, c.args, got.IsError, textOf(got), c.want)
		}
	}
	if _, err := p.client.CallTool(t.Context(), &mcp.CallToolParams{Name: "frob"}); err == nil || !strings.Contains(err.Error(), `unknown tool "frob"`) {
		t.Errorf("a tool that is not there: %v", err)
	}
}

// TestMCPCorpora: with several corpora a call names one.
func TestMCPCorpora(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one := writeDocs(t, filepath.Join(dir, "one"), map[string]string{"a.md": "# A\n\nThe colour is red.\n"})
	two := writeDocs(t, filepath.Join(dir, "two"), map[string]string{"b.md": "# B\n\nThe colour is blue.\n"})
	p := newMCPPair(t, one, two)
	if got := p.call("search", map[string]any{"query": "colour"}, nil); !got.IsError || !strings.Contains(textOf(got), `missing properties: ["corpus"]`) {
		t.Errorf("without a corpus: %q", textOf(got))
	}
	for i, want := range []string{"a", "b"} {
		var found searchJSON
		p.call("search", map[string]any{"query": "colour", "corpus": p.server.names()[i]}, &found)
		if len(found.Hits) != 1 || found.Hits[0].DocID != want {
			t.Errorf("corpus %d: %+v", i, found)
		}
	}
	_, err := p.server.app.newMCPServer(t.Context(), []string{one, two, one}, &runFlags{model: "extractive"})
	if err == nil || !strings.Contains(err.Error(), "a second time; leave it out") {
		t.Errorf("one corpus twice: %v", err)
	}
	if err := os.RemoveAll(two); err != nil {
		t.Fatal(err)
	}
	if got := p.call("search", map[string]any{"query": "colour", "corpus": p.server.names()[1]}, nil); !got.IsError || !strings.Contains(textOf(got), "it does not exist; check the path") {
		t.Errorf("a folder that is gone: %q", textOf(got))
	}
}

// TestMCPStatuses: a question without an answer is a result that fits the schema;
// it is an error where the client could have had one.
func TestMCPStatuses(t *testing.T) {
	t.Parallel()
	search := modeltest.Call("search_docs", map[string]any{"query": "port"})
	invented := func(quote string) *modeltest.Turn {
		return modeltest.Call("submit_answer", map[string]any{
			"answer": "It is 1.", "not_in_corpus": false, "citations": []map[string]any{{"doc_id": "network", "quote": quote}},
		})
	}
	for _, c := range []struct {
		status string
		failed bool
		turns  []*modeltest.Turn
		text   string
	}{
		{"halted", false, []*modeltest.Turn{search, invented("One."), invented("Two."), invented("Three.")}, "Draft, NOT VERIFIED"},
		{"limit", true, []*modeltest.Turn{search, search, search, search, search}, "limit: "},
		{"refused", true, []*modeltest.Turn{modeltest.Stop(model.StopRefusal)}, "refused: "},
	} {
		t.Run(c.status, func(t *testing.T) {
			t.Parallel()
			p := newMCPPair(t, writeDocs(t, filepath.Join(t.TempDir(), "docs"), portDocs))
			p.think(modeltest.NewScripted(c.turns...))
			var got answerJSON
			r := p.call("ask", map[string]any{"question": "On which port does the server listen?"}, &got)
			if got.Status != c.status || r.IsError != c.failed || got.Answer != "" || got.Error == nil || !strings.Contains(textOf(r), c.text) {
				t.Errorf("error %v, %+v, %q", r.IsError, got, textOf(r))
			}
		})
	}
}

// TestMCPCancel: a client that gives a question up stops the model, and the session
// can be gone on with.
func TestMCPCancel(t *testing.T) {
	t.Parallel()
	p := newMCPPair(t, writeDocs(t, filepath.Join(t.TempDir(), "docs"), portDocs))
	asked, stopped := make(chan struct{}, 1), make(chan struct{}, 1)
	p.think(modeltest.NewScripted(modeltest.Call("search_docs", map[string]any{"query": "port"}), modeltest.Func(func(ctx context.Context, _ *model.Request) (*modeltest.Turn, error) {
		asked <- struct{}{}
		<-ctx.Done()
		stopped <- struct{}{}
		return nil, ctx.Err()
	})))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := p.client.CallTool(ctx, &mcp.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "Which port?"}})
		ended <- err
	}()
	awaitMCP(t, "the question", asked)
	cancel()
	if err := awaitMCP(t, "the end of the call", ended); err == nil {
		t.Error("the call that was cancelled has a result")
	}
	awaitMCP(t, "the end of the model's call", stopped)
	if r := p.call("search", map[string]any{"query": "port"}, nil); r.IsError {
		t.Errorf("after the cancellation: %q", textOf(r))
	}
	p.end()
	info := p.onlySession()
	if info.Status != session.StatusInterrupted {
		t.Errorf("the session is %s", info.Status)
	}
	p.think(modeltest.NewScripted(modeltest.Call("submit_answer", map[string]any{
		"answer": "It is 5432.", "not_in_corpus": false,
		"citations": []map[string]any{{"doc_id": "network", "quote": "The server listens on port 5432."}},
	})))
	result, err := p.server.corpora[0].asker.Run(t.Context(), quarry.Input{Session: info.ID})
	if err != nil || !result.OK() || result.Turns != 2 {
		t.Errorf("the session goes on to %+v, %v", result, err)
	}
}

// TestMCPEnd: a client that goes away, and the end of the server, stop the work.
func TestMCPEnd(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(p *mcpPair){
		"client": func(p *mcpPair) { _ = p.pipe.Close() },
		"server": func(p *mcpPair) { p.stop() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newMCPPair(t, writeDocs(t, filepath.Join(t.TempDir(), "docs"), portDocs))
			asked := make(chan struct{}, 1)
			p.think(modeltest.NewScripted(modeltest.Func(func(ctx context.Context, _ *model.Request) (*modeltest.Turn, error) {
				asked <- struct{}{}
				<-ctx.Done()
				return nil, ctx.Err()
			})))
			ended := make(chan *mcp.CallToolResult, 1)
			go func() {
				r, _ := p.client.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "Which port?"}})
				ended <- r
			}()
			awaitMCP(t, "the question", asked)
			end(p)
			r := awaitMCP(t, "the end of the call", ended)
			p.end()
			info := p.onlySession()
			if info.Status != session.StatusInterrupted {
				t.Errorf("the session is %s", info.Status)
			}
			if want := "the question was interrupted; go on with: quarry sessions resume " + info.ID; name == "server" && (r == nil || !r.IsError || textOf(r) != want) {
				t.Errorf("the client is told %+v, want %s", r, want)
			}
		})
	}
}

// TestMCPLocked: while another process indexes the folder, what was indexed before
// is served.
func TestMCPLocked(t *testing.T) {
	t.Parallel()
	folder := writeDocs(t, filepath.Join(t.TempDir(), "docs"), portDocs)
	p := newMCPPair(t, folder)
	name := p.server.names()[0]
	reached, release := make(chan struct{}), make(chan struct{})
	other, err := corpus.Open(t.Context(), filepath.Join(p.server.app.corpusDir(name), "index"), corpus.Options{OnProgress: func(done, _ int) {
		if done == 1 {
			reached <- struct{}{}
			<-release
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for _, c := range []struct {
		file, text, query, want string
		failed                  bool
	}{
		{"network.md", portDocs["network.md"], "port", fmt.Sprintf("the corpus %q is being indexed by another process; call again when that has ended", name), true},
		{"a.md", "# A\n\nAnother port is 25.\n", "port", "port 5432", false},
	} {
		writeDocs(t, folder, map[string]string{c.file: c.text})
		updated := make(chan error, 1)
		go func() {
			_, err := other.Update(t.Context(), folder)
			updated <- err
		}()
		awaitMCP(t, "the other's update", reached)
		r := p.call("search", map[string]any{"query": c.query}, nil)
		release <- struct{}{}
		if err := awaitMCP(t, "the end of the update", updated); err != nil {
			t.Fatal(err)
		}
		if text := textOf(r); r.IsError != c.failed || !strings.Contains(text, c.want) || strings.Contains(text, "Another port") {
			t.Errorf("meanwhile: error %v, %q, want %q", r.IsError, text, c.want)
		}
	}
	if r := p.call("search", map[string]any{"query": "port"}, nil); r.IsError || !strings.Contains(textOf(r), "Another port") {
		t.Errorf("afterwards: %q", textOf(r))
	}
}

// TestMCPTwoIndexers: calls that find a folder being indexed wait for it.
func TestMCPTwoIndexers(t *testing.T) {
	t.Parallel()
	p := newMCPPair(t, writeDocs(t, filepath.Join(t.TempDir(), "docs"), portDocs))
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			r, err := p.client.CallTool(t.Context(), &mcp.CallToolParams{Name: "search", Arguments: map[string]any{"query": "port"}})
			if err != nil || r.IsError || !strings.Contains(textOf(r), "5432") {
				t.Errorf("got %v, %v", r, err)
			}
		})
	}
	calls.Wait()
}
