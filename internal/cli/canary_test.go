package cli_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// echo is a server that repeats the key in its errors.
func echo() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Request-Id", "req_"+r.Header.Get("X-Api-Key"))
		w.WriteHeader(http.StatusUnauthorized)
		_ = json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]string{
			"type": "authentication_error", "message": "invalid key " + r.Header.Get("X-Api-Key") + r.Header.Get("Authorization"),
		}})
	}))
}

// clean PROGRAM ARGS… runs a program, however it ends, and wants that it does not
// print the key.
func clean(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: clean PROGRAM ARGS…")
	}
	if err := ts.Exec(args[0], args[1:]...); err != nil {
		ts.Logf("%v", err)
	}
	for _, name := range []string{"stdout", "stderr"} {
		if containsCanary([]byte(ts.ReadFile(name))) {
			ts.Fatalf("%v: %s holds the API key", args, name)
		}
	}
}

// everyCommand is commands SCRIPT: it wants that a script runs each command that quarry has.
func everyCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: commands SCRIPT")
	}
	data, err := os.ReadFile(args[0])
	ts.Check(err)
	script := string(data)
	list := func(prefix string) (names []string) {
		ts.Check(ts.Exec("quarry", append(strings.Fields(prefix)[1:], "--help")...))
		_, rest, _ := strings.Cut(ts.ReadFile("stdout"), "Available Commands:\n")
		rest, _, _ = strings.Cut(rest, "\n\n")
		for line := range strings.Lines(rest) {
			if f := strings.Fields(line); len(f) > 0 {
				names = append(names, prefix+" "+f[0])
			}
		}
		return names
	}
	names := list("quarry")
	if len(names) < 10 {
		ts.Fatalf("quarry has the commands %v only", names)
	}
	names = append(names, list("quarry sessions")...)
	for _, name := range slices.Compact(names) {
		if !strings.Contains(script, "clean "+name) {
			ts.Fatalf("the script does not run %s", name)
		}
	}
}
