package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"go.yaml.in/yaml/v3"

	"github.com/quarry-sdk/quarry/internal/sharedtest"
)

// wireMsg is one of a transcript.
type wireMsg struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func messages(t *testing.T, data []byte) []wireMsg {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	var out []wireMsg
	for {
		var m wireMsg
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
}

// transcript plays the server's side of a transcript: to each request of the
// client, the answer that the transcript has to the same one.
func transcript(t *testing.T, path string) (*raw, []wireMsg) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var client, server []wireMsg
	for _, f := range archive.Files {
		switch f.Name {
		case "client":
			client = messages(t, f.Data)
		case "server":
			server = messages(t, f.Data)
		}
	}
	type pair struct {
		method, key, answer string
	}
	var pairs []pair
	var requests []wireMsg // of the server
	answers := map[string][]wireMsg{}
	for _, m := range server {
		if m.Method != "" {
			requests = append(requests, m)
			continue
		}
		answers[string(m.ID)] = append(answers[string(m.ID)], m)
	}
	for _, m := range client {
		if m.Method == "" || m.ID == nil || len(answers[string(m.ID)]) == 0 {
			continue
		}
		a := answers[string(m.ID)][0]
		answers[string(m.ID)] = answers[string(m.ID)][1:]
		text := `"result":` + string(a.Result)
		if a.Error != nil {
			text = `"error":` + string(a.Error)
		}
		pairs = append(pairs, pair{m.Method, keyOf(m.Method, m.Params), text})
	}
	r := &raw{}
	r.answer = func(r *raw, method string, id, params json.RawMessage) (string, bool) {
		if method == "resources/read" {
			for _, m := range requests { // the server asks something first
				r.send(`{"jsonrpc":"2.0","id":%s,"method":%q}`, m.ID, m.Method)
			}
		}
		found := ""
		for _, p := range pairs {
			if p.method != method || p.key != keyOf(method, params) {
				continue
			}
			// A later result is better than the error of a request out of turn.
			if found == "" || strings.HasPrefix(found, `"error"`) {
				found = p.answer
			}
		}
		return found, found != ""
	}
	return r, client
}

// keyOf tells requests of one method apart.
func keyOf(method string, params json.RawMessage) string {
	if method == "initialize" || strings.HasSuffix(method, "/list") {
		return ""
	}
	var p struct {
		Name      string         `json:"name"`
		URI       string         `json:"uri"`
		Arguments map[string]any `json:"arguments"`
	}
	_ = json.Unmarshal(params, &p)
	return fmt.Sprint(p.Name, p.URI, p.Arguments)
}

// The conformance transcripts, with this client in the place of theirs.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	dir := sharedtest.Path(t, "wire", "mcp", "modelcontextprotocol+go-sdk")
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) < 7 {
		t.Fatalf("%d transcripts in %s: %v", len(files), dir, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			r, client := transcript(t, file)
			s := r.server()
			s.Required = true
			ss := connect(t, Config{Servers: map[string]Server{"s": s}})
			st := ss.Status()[0]
			if st.State != Connected || st.Server.Name != "testServer" || st.Server.Version != "v1.0.0" {
				t.Errorf("status %+v", st)
			}
			call := texts(t, ss)
			switch filepath.Base(file) {
			case "version-latest.txtar":
				if st.Protocol != "2025-11-25" {
					t.Errorf("protocol %s", st.Protocol)
				}
			case "version-older.txtar":
				if st.Protocol != "2024-11-05" {
					t.Errorf("protocol %s", st.Protocol)
				}
			case "tools.txtar":
				if got, want := names(ss.Tools()), []string{"mcp__s__greet", "mcp__s__inc", "mcp__s__structured", "mcp__s__tomorrow"}; !slices.Equal(got, want) {
					t.Errorf("tools %v", got)
				}
				replayCalls(t, ss, client)
			case "resources.txtar":
				if list, err := ss.Resources(t.Context(), "s"); err != nil || len(list) != 2 {
					t.Errorf("%v, %v", list, err)
				}
				if got := call(ReadResourceName, map[string]string{"server": "s", "uri": "embedded:info"}); !strings.HasSuffix(got, "This is the MCP test server.") {
					t.Errorf("read %q", got)
				}
				if got, err := ss.ReadResource(t.Context(), "s", "file:///info.txt"); err != nil || string(got[0].Blob) != "Contents\n" {
					t.Errorf("%v, %v", got, err)
				}
			case "prompts.txtar":
				if list, err := ss.Prompts(t.Context(), "s"); err != nil || len(list) != 1 || list[0].Name != "code_review" {
					t.Errorf("%v, %v", list, err)
				}
				if _, err := ss.Prompt(t.Context(), "s", "", nil); err == nil || !strings.Contains(err.Error(), `missing required "params"`) {
					t.Errorf("error %v", err)
				}
			}
		})
	}
}

// replayCalls makes the transcript's calls that fit the schemas. The server's
// answers to others would be errors; here they do not leave the client.
func replayCalls(t *testing.T, ss *Servers, client []wireMsg) {
	t.Helper()
	want := map[string]string{ // text | output
		`greet{"Name": "you"}`:                      "hi you|",
		`structured{"In": "input"}`:                 `{"Out":"Ack input"}|{"Out":"Ack input"}`,
		`structured{}`:                              "error: \"In\" is missing",
		`tomorrow{ "Now": "2025-06-18T15:04:05Z" }`: `{"Tomorrow":"2025-06-19T15:04:05Z"}|{"Tomorrow":"2025-06-19T15:04:05Z"}`,
		`greet`:         "error: \"Name\" is missing",
		`inc{ "x": 3 }`: `{"y":4}|{"y":4}`,
		`inc`:           `{"y":7}|{"y":7}`,
	}
	for _, m := range client {
		var p struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}
		if m.Method != "tools/call" || json.Unmarshal(m.Params, &p) != nil {
			continue
		}
		key := p.Name + string(p.Arguments)
		if p.Arguments == nil {
			p.Arguments = json.RawMessage(`{}`)
		}
		a := use(t, ss, "mcp__s__"+p.Name, p.Arguments)
		got := a.Content.Text()
		if a.IsError {
			got = "error: " + got
		} else {
			var out bytes.Buffer
			_ = json.Compact(&out, a.Output)
			got += "|" + out.String()
		}
		if w, ok := want[key]; !ok || !strings.HasPrefix(got, w) {
			t.Errorf("%s: %q, want %q", key, got, w)
		}
		delete(want, key)
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		t.Errorf("%s is not in the transcript", key)
	}
}

// recording is one exchange of recorded traffic.
type recording struct {
	Request struct {
		Method     string         `yaml:"method"`
		URI        string         `yaml:"uri"`
		Body       string         `yaml:"body"`
		ParsedBody map[string]any `yaml:"parsed_body"`
	} `yaml:"request"`
	Response struct {
		Body struct {
			String string `yaml:"string"`
		} `yaml:"body"`
		Headers map[string][]string `yaml:"headers"`
		Status  struct {
			Code int `yaml:"code"`
		} `yaml:"status"`
	} `yaml:"response"`
}

// Recorded traffic of servers over streamable HTTP, played to this client.
func TestRecordedTraffic(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path       []string
		tool, args string
		tools      int
		want       string
	}{
		{[]string{"posit-dev+chatlas", "test_mcp_client", "test_call_http_mcp_tool.yaml"}, "get_current_date", `{}`, 1, "2024-01-01"},
		{[]string{"pydantic+pydantic-ai", "test_temporal", "test_mcptoolset_in_temporal_workflow.yaml"}, "ask_question", `{"repoName": "pydantic/pydantic-ai", "question": "x"}`, 3, "Pydantic"},
	} {
		data, err := os.ReadFile(sharedtest.Path(t, append([]string{"wire", "mcp"}, c.path...)...))
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Interactions []recording `yaml:"interactions"`
		}
		if err := yaml.Unmarshal(data, &file); err != nil {
			t.Fatal(err)
		}
		h := httptest.NewServer(replay(file.Interactions))
		ss := connect(t, Config{Servers: map[string]Server{"s": {URL: h.URL, Required: true}}})
		if n := len(ss.Tools()); n < c.tools {
			t.Errorf("%v: %d tools", c.path, n)
		}
		if a := use(t, ss, "mcp__s__"+c.tool, json.RawMessage(c.args)); a.IsError || !strings.Contains(a.Content.Text(), c.want) {
			t.Errorf("%v: %.300s", c.path, a.Content.Text())
		}
		_ = ss.Close()
		h.Close()
	}
}

// replay answers by the method of the request's body.
func replay(all []recording) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		var asked wireMsg
		_ = json.NewDecoder(r.Body).Decode(&asked)
		for _, rec := range all {
			var was wireMsg
			body := []byte(rec.Request.Body)
			if rec.Request.ParsedBody != nil {
				body, _ = json.Marshal(rec.Request.ParsedBody)
			}
			if !strings.HasSuffix(rec.Request.URI, "/mcp") || json.Unmarshal(body, &was) != nil || was.Method != asked.Method {
				continue
			}
			for name, values := range rec.Response.Headers {
				if name := http.CanonicalHeaderKey(name); name == "Content-Type" || name == "Mcp-Session-Id" {
					w.Header().Set(name, values[0])
				}
			}
			w.WriteHeader(rec.Response.Status.Code)
			text := rec.Response.Body.String
			if asked.ID != nil {
				text = strings.Replace(text, `"id":`+string(was.ID)+`,`, `"id":`+string(asked.ID)+`,`, 1)
			}
			_, _ = io.WriteString(w, text)
			return
		}
		w.WriteHeader(http.StatusBadRequest)
	})
}
