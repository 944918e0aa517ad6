package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/quarry-sdk/quarry/internal/cli"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

// canaryKey stands for an API key; nothing may ever print or keep it.
const canaryKey = "sk-ant-canary-6f1d2c"

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"desk":   desk,
		"quarry": func() { os.Exit(cli.Main()) },
	})
}

// TestScripts runs each behaviour of the command line as a script. They find
// model servers that misbehave under the names of their misbehaviour.
func TestScripts(t *testing.T) {
	servers := map[string]*modeltest.Server{
		"ANSWERS_URL":  modeltest.NewServer(modeltest.ServerConfig{APIKey: canaryKey, Script: modeltest.Script{answers()}}),
		"RENAMED_URL":  modeltest.NewServer(modeltest.ServerConfig{ModelName: "claude-haiku-4-5-20251001", Script: modeltest.Script{priced()}}),
		"UNPRICED_URL": modeltest.NewServer(modeltest.ServerConfig{ModelName: "claude-sonnet-4-5-next", Script: modeltest.Script{priced()}}),
		"PRICED_URL":   modeltest.NewServer(modeltest.ServerConfig{Script: modeltest.Script{priced()}}),
		"DENIES_URL":   modeltest.NewServer(modeltest.ServerConfig{APIKey: "another key"}),
		"HANGS_URL":    modeltest.NewServer(modeltest.ServerConfig{Script: modeltest.Script{modeltest.Func(hangs)}}),
		"CUTS_URL":     modeltest.NewServer(modeltest.ServerConfig{Script: modeltest.Script{modeltest.Func(cuts)}}),
		"REFUSES_URL":  modeltest.NewServer(modeltest.ServerConfig{Script: modeltest.Script{modeltest.Func(refuses)}}),
		"LOOPS_URL":    modeltest.NewServer(modeltest.ServerConfig{Script: modeltest.Script{modeltest.Func(loops)}}),
		"INVENTS_URL":  modeltest.NewServer(modeltest.ServerConfig{Script: modeltest.Script{modeltest.Func(invents)}}),
		"FURTHER_URL":  modeltest.NewServer(modeltest.ServerConfig{Script: modeltest.Script{modeltest.Func(further)}}),
		"SILENT_URL":   modeltest.NewServer(modeltest.ServerConfig{Script: modeltest.Script{modeltest.Func(silent)}}),
		"THOROUGH_URL": modeltest.NewServer(modeltest.ServerConfig{Script: modeltest.Script{thorough()}}),
		"CHECK_URL":    modeltest.NewServer(modeltest.ServerConfig{APIKey: canaryKey, Script: modeltest.Script{modeltest.Func(checks)}}),
		"CHATTY_URL":   modeltest.NewServer(modeltest.ServerConfig{Script: modeltest.Script{modeltest.EachConversation(modeltest.Say("SDK_CONNECTION_OK."))}}),
		"RUNS_URL":     modeltest.NewServer(modeltest.ServerConfig{APIKey: canaryKey, Script: modeltest.Script{runs()}}),
		"ASKS_URL":     modeltest.NewServer(modeltest.ServerConfig{Script: modeltest.Script{approvals()}}),
		"COMMANDS_URL": modeltest.NewServer(modeltest.ServerConfig{APIKey: canaryKey, Script: modeltest.Script{commands()}}),
		"KEYS_URL":     modeltest.NewServer(modeltest.ServerConfig{Script: modeltest.Script{setsKeys()}}),
		"DESK_URL":     modeltest.NewServer(modeltest.ServerConfig{Script: modeltest.Script{books()}}),
		"WRITES_URL":   modeltest.NewServer(modeltest.ServerConfig{Script: modeltest.Script{writes()}}),
		"SENDS_URL":    modeltest.NewServer(modeltest.ServerConfig{Script: modeltest.Script{sends()}}),
		"HELPED_URL":   modeltest.NewServer(modeltest.ServerConfig{Script: modeltest.Script{helped()}}),
		"OFFERED_URL":  modeltest.NewServer(modeltest.ServerConfig{Script: modeltest.Script{offered()}}),
		"SURFS_URL":    modeltest.NewServer(modeltest.ServerConfig{APIKey: canaryKey, Script: modeltest.Script{surfs()}}),
		"ODD_URL":      modeltest.NewServer(modeltest.ServerConfig{ChunkBytes: 1, Script: modeltest.Script{odd()}}),
	}
	echoes, pages := echo(), site()
	t.Cleanup(func() {
		echoes.Close()
		pages.Close()
		for _, s := range servers {
			s.Close()
		}
	})
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			for name, s := range servers {
				env.Setenv(name, s.URL)
			}
			scripts, err := filepath.Abs("testdata")
			if err != nil {
				return err
			}
			env.Setenv("SCRIPTS", scripts)
			env.Setenv("CANARY", canaryKey)
			env.Setenv("ECHOES_URL", echoes.URL)
			env.Setenv("SITE_URL", pages.URL)
			env.Setenv("NO_COLOR", "1")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"blobs":    countBlobs,
			"clean":    clean,
			"commands": everyCommand,
			"exits":    exits,
			"family":   family,
			"nocanary": noCanary,
			"nuls":     nuls,
			"interrupt": func(ts *testscript.TestScript, neg bool, args []string) {
				cutOff(ts, neg, args, hanging, os.Interrupt, 130)
			},
			"crash": func(ts *testscript.TestScript, neg bool, args []string) {
				cutOff(ts, neg, args, crashing, os.Kill, -1)
			},
			"prefixes": prefixes(servers),
		},
	})
}

// exits CODE PROGRAM ARGS… runs a program and wants this exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// noCanary wants that no file below the working directory holds the key.
func noCanary(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(filepath.WalkDir(ts.Getenv("WORK"), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if containsCanary(data) {
			return fmt.Errorf("%s holds the API key", path)
		}
		return nil
	}))
}

// blobs N wants so many blobs below the folder .quarry.
func countBlobs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: blobs N")
	}
	files, err := filepath.Glob(filepath.Join(ts.MkAbs(".quarry"), "blobs", "??", "*"))
	ts.Check(err)
	if got := strconv.Itoa(len(files)); got != args[0] {
		ts.Fatalf("%s blobs, want %s: %v", got, args[0], files)
	}
}

// nuls FILE N writes N zero bytes, without using the disk for them.
func nuls(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: nuls FILE N")
	}
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(f.Truncate(n))
	ts.Check(f.Close())
}

// cutting keeps one script from taking another's signal that a model hangs.
var cutting sync.Mutex

// cutOff is the commands "interrupt PROGRAM ARGS…" and "crash PROGRAM ARGS…": it
// starts a program, waits until its model hangs, sends it one signal, and wants the
// exit code. What it prints goes to the files out and err.
func cutOff(ts *testscript.TestScript, neg bool, args []string, hanging <-chan struct{}, sig os.Signal, want int) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: interrupt PROGRAM ARGS…, or crash PROGRAM ARGS…")
	}
	cutting.Lock()
	defer cutting.Unlock()
	program := filepath.Join(filepath.SplitList(ts.Getenv("PATH"))[0], args[0])
	cmd := exec.Command(program, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "ANTHROPIC_BASE_URL="+ts.Getenv("ANTHROPIC_BASE_URL"), "ANTHROPIC_API_KEY="+ts.Getenv("ANTHROPIC_API_KEY"), "NO_COLOR=1")
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	ts.Check(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-hanging:
	case err := <-ended:
		ts.Fatalf("the program ended before its model hung: %v\n%s", err, errOut.Bytes())
	case <-time.After(30 * time.Second):
		cmd.Process.Kill()
		ts.Fatalf("the model was not asked within 30 s")
	}
	ts.Check(cmd.Process.Signal(sig))
	<-ended
	if code := cmd.ProcessState.ExitCode(); code != want {
		ts.Fatalf("exit code %d, want %d\n%s", code, want, errOut.Bytes())
	}
	ts.Check(os.WriteFile(ts.MkAbs("out"), out.Bytes(), 0o644))
	ts.Check(os.WriteFile(ts.MkAbs("err"), errOut.Bytes(), 0o644))
}
