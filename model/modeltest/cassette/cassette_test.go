package cassette

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/internal/sharedtest"
)

// wireDir is where the recordings are; the test is skipped where they are not.
func wireDir(t *testing.T) string {
	t.Helper()
	return sharedtest.Path(t, "wire")
}

// manifest returns the rows of MANIFEST.tsv as name -> column -> value.
func manifest(t *testing.T, dir string) map[string]map[string]string {
	data, err := os.ReadFile(filepath.Join(dir, "MANIFEST.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]map[string]string{}
	var columns []string
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if columns == nil {
			columns = cells
			continue
		}
		row := map[string]string{}
		for i, c := range cells {
			row[columns[i]] = c
		}
		rows[row["file"]] = row
	}
	return rows
}

func TestEveryRecordingLoads(t *testing.T) {
	t.Parallel()
	dir := wireDir(t)
	rows := manifest(t, dir)
	files, total := 0, 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Dir(path) == filepath.Clean(dir) {
			return err
		}
		files++
		name, _ := filepath.Rel(dir, path)
		name = filepath.ToSlash(name)
		row := rows[name]
		if row == nil {
			t.Errorf("%s: not in the manifest", name)
			return nil
		}
		exchanges, err := Load(path)
		if err != nil {
			t.Error(err)
			return nil
		}
		total += len(exchanges)
		streams := false
		for i, e := range exchanges {
			if e.Response.Status < 200 || e.Response.Status > 599 {
				t.Errorf("%s[%d]: status %d", name, i, e.Response.Status)
			}
			if e.Request.Method == "" && e.Note == "" {
				t.Errorf("%s[%d]: neither a method nor a note", name, i)
			}
			if len(e.Request.Body) > 0 && e.Request.Body[0] == 0x1f || len(e.Response.Body) > 0 && e.Response.Body[0] == 0x1f {
				t.Errorf("%s[%d]: a body is still compressed", name, i)
			}
			streams = streams || looksLikeStream(e.Response.Body)
			if ct := e.Response.Header.Get("Content-Type"); strings.HasPrefix(ct, "application/json") && len(e.Response.Body) > 0 && !json.Valid(e.Response.Body) && !looksLikeStream(e.Response.Body) {
				t.Errorf("%s[%d]: declared as JSON, begins %.80q", name, i, e.Response.Body)
			}
			if strings.HasPrefix(e.Response.Header.Get("Content-Type"), "text/event-stream") && !looksLikeStream(e.Response.Body) {
				t.Errorf("%s[%d]: declared as a stream, begins %.80q", name, i, e.Response.Body)
			}
		}
		if want := row["streaming"] == "yes"; want != streams {
			t.Errorf("%s: streaming is %v, the manifest says %v", name, streams, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files != len(rows) || files != 203 {
		t.Errorf("%d files, the manifest has %d, expected 203", files, len(rows))
	}
	t.Logf("%d files, %d exchanges", files, total)
}

// looksLikeStream tells SSE, and the line-wise JSON of Ollama, from the rest.
func looksLikeStream(body []byte) bool {
	if guessType(body) == "text/event-stream" {
		return true
	}
	lines := bytes.Split(bytes.TrimSpace(body), []byte("\n"))
	return len(lines) > 1 && json.Valid(lines[0]) && json.Valid(lines[1])
}

// The facts of this table were read in the files, not computed.
func TestLoadFacts(t *testing.T) {
	t.Parallel()
	dir := wireDir(t)
	for _, tt := range []struct {
		file    string
		n       int // exchanges
		which   int
		status  int
		method  string
		url     string
		request string // its body begins so
		body    string // the answer begins so
		header  string // "Name: value" of the answer
	}{
		{"anthropic/charmbracelet+fantasy/TestAnthropicCommon/claude-sonnet-4/simple.yaml", 1, 0, 200, "POST", "https://api.anthropic.com/v1/messages",
			`{"max_tokens":4000,"messages":[{"content":[{"text":"Say hi in Portuguese"`, `{"model":"claude-sonnet-4-20250514","id":"msg_01KrnBffuzxt8ttHq7iiZe7n"`, "Content-Type: application/json"},
		{"anthropic/crmne+ruby_llm/error_anthropic_claude-haiku-4-5_raises_appropriate_auth_error.yml", 1, 0, 401, "POST", "https://api.anthropic.com/v1/messages",
			`{"model":"claude-haiku-4-5-20251001"`, `{"type":"error","error":{"type":"authentication_error"`, "X-Should-Retry: false"},
		{"anthropic/crmne+ruby_llm/chat_web_search_with_anthropic_claude-haiku-4-5_replays_search_turns_so_the_conversation_can_continue.yml", 2, 1, 200, "POST", "https://api.anthropic.com/v1/messages",
			`{"model":"claude-haiku-4-5`, `{"model":"claude-haiku-4-5`, "Content-Type: application/json"},
		{"anthropic/pydantic+pydantic-ai/test_anthropic/test_anthropic_compaction_round_trip.yaml", 1, 0, 200, "POST", "https://api.anthropic.com/v1/messages?beta=true",
			`{"context_management":{"edits":[{"type":"compact_20260112"}]},"max_tokens":4096`, `{"content":[{"text":"According to the conversation summary`, "Content-Type: application/json"},
		{"anthropic/traceloop+openllmetry/test_messages/test_with_asyncio_run_legacy.yaml", 1, 0, 200, "POST", "https://api.anthropic.com/v1/messages",
			`{"max_tokens": 1024`, `{"id":"msg_`, "Content-Type: application/json"},
		{"anthropic/0xPlaygrounds+rig/anthropic/empty_end_turn/prompt_loop_accepts_empty_terminal_turn_after_tool_result.yaml", 2, 1, 200, "POST", "/v1/messages",
			`{`, `{"content":[]`, "Content-Type: application/json"},
		{"anthropic/tmc+langchaingo/anthropic/anthropicclient/TestClient_CreateMessageStream.httprr", 1, 0, 200, "POST", "https://api.anthropic.com/v1/messages",
			`{"model":"claude-3-opus-20240229"`, "event: message_start\n", "Request-Id: req_011CSFCEDW38yAyCenJvnwn8"},
		{"anthropic/vercel+ai/anthropic/duplicate-message-start.chunks.txt", 1, 0, 200, "", "", "",
			"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_dup\"", "Content-Type: text/event-stream"},
		{"anthropic/vercel+ai/anthropic/anthropic-refusal.json", 1, 0, 200, "", "", "", `{`, "Content-Type: application/json"},
		{"anthropic/anthropics+anthropic-sdk-python/incomplete_partial_json_response.txt", 1, 0, 200, "", "", "", "event: message_start\n", "Content-Type: text/event-stream"},
		{"mcp/modelcontextprotocol+go-sdk/lifecycle.txtar", 7, 2, 200, "POST", "", "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"method\": \"initialize\"", "{\n\t\"jsonrpc\": \"2.0\",\n\t\"id\": 1,\n\t\"result\"", "Content-Type: application/json"},
		{"compat/tmc+langchaingo/openai/TestOpenRouterStreaming.httprr", 2, 1, 429, "POST", "https://openrouter.ai/api/v1/chat/completions", `{`, `{"error"`, "Content-Type: application/json"},
	} {
		exchanges, err := Load(filepath.Join(dir, filepath.FromSlash(tt.file)))
		if err != nil {
			t.Error(err)
			continue
		}
		if len(exchanges) != tt.n {
			t.Errorf("%s: %d exchanges, want %d", tt.file, len(exchanges), tt.n)
			continue
		}
		e := exchanges[tt.which]
		if e.Response.Status != tt.status || e.Request.Method != tt.method || e.Request.URL != tt.url {
			t.Errorf("%s: %q %q -> %d", tt.file, e.Request.Method, e.Request.URL, e.Response.Status)
		}
		if !strings.HasPrefix(string(e.Request.Body), tt.request) {
			t.Errorf("%s: request begins %.100q", tt.file, e.Request.Body)
		}
		if !strings.HasPrefix(string(e.Response.Body), tt.body) {
			t.Errorf("%s: answer begins %.100q", tt.file, e.Response.Body)
		}
		name, value, _ := strings.Cut(tt.header, ": ")
		if got := e.Response.Header.Get(name); got != value && !strings.HasPrefix(got, value+";") {
			t.Errorf("%s: %s is %q, want %q", tt.file, name, got, value)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"a.yaml":   "hello: world\n",
		"b.yaml":   "interactions:\n- request: {}\n",
		"c.yaml":   "interactions:\n- response: {status: {code: ok}}\n",
		"d.yaml":   "interactions:\n- response: {code: 200, body: !!binary '%%'}\n",
		"e.yaml":   "interactions: []\n",
		"f.yaml":   "a: [\n",
		"a.httprr": "httprr trace v2\n",
		"b.httprr": "httprr trace v1\n10 20\nshort",
		"c.httprr": "httprr trace v1\nmany bytes\n",
		"a.txtar":  "-- client --\n{\n",
		"a.doc":    "{}",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := Load(path); err == nil {
			t.Errorf("%s: loaded as %+v", name, got)
		} else if !strings.Contains(err.Error(), name) {
			t.Errorf("%s: the error does not name the file: %v", name, err)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none.yaml")); !os.IsNotExist(err) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	e := Exchange{Response: Response{Status: 429, Body: []byte(`{"error":{}}`)}}
	if err := e.finish(); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	if err := e.Response.Write(w); err != nil {
		t.Fatal(err)
	}
	if w.Code != 429 || w.Header().Get("Content-Type") != "application/json" || w.Body.String() != `{"error":{}}` {
		t.Errorf("wrote %d %v %s", w.Code, w.Header(), w.Body)
	}
}

// FuzzParse: damaged files are errors, never a panic.
func FuzzParse(f *testing.F) {
	f.Add("a.yaml", []byte("interactions:\n- request: {method: POST, uri: /x, parsed_body: {a: [1, null, 2.5]}}\n  response: {status: {code: 200}, body: {string: !!binary aGk=}}\n"))
	f.Add("a.yaml", []byte("when: {path: /x, header: [{name: a, value: b}]}\nthen: {status: 200, body: hi}\n---\nthen: {status: 1}\n"))
	f.Add("a.yaml", []byte("interactions: [&x {response: *x}]\n"))
	f.Add("a.yaml", []byte("interactions:\n- response: {code: 200, parsed_body: &x {a: *x}}\n"))
	f.Add("a.httprr", []byte("httprr trace v1\n18 38\nGET / HTTP/1.1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	f.Add("a.txtar", []byte("-- client --\n{\"id\":1,\"method\":\"ping\"}\n-- server --\n{\"id\":1,\"result\":{}}\n"))
	f.Add("a.chunks.txt", []byte("{\"type\":\"ping\"}\n"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		exchanges, err := parse(name, data)
		if err != nil {
			return
		}
		for i := range exchanges {
			exchanges[i].finish()
		}
	})
}
