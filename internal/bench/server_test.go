package bench

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/model/modeltest"
)

// serverEnv makes the test binary be the model server.
const serverEnv = "QUARRY_BENCH_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(serverEnv) != "" {
		serve()
		return
	}
	os.Exit(m.Run())
}

// serve answers model requests below /STEPS/PARK/v1, of any API: a loop of STEPS
// tool calls, whose PARK-th request waits for /release. It ends with its stdin.
func serve() {
	loops := make(chan map[string]*modeltest.Loop, 1)
	loops <- map[string]*modeltest.Loop{}
	loop := func(steps, park string) *modeltest.Loop {
		all := <-loops
		defer func() { loops <- all }()
		key := steps + "/" + park
		if all[key] == nil {
			n, _ := strconv.Atoi(steps)
			l := modeltest.ToolLoop(n, "echo", "done")
			l.ParkAt, _ = strconv.Atoi(park)
			all[key] = l
		}
		return all[key]
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /{steps}/{park}/v1/{api...}", func(w http.ResponseWriter, r *http.Request) {
		loop(r.PathValue("steps"), r.PathValue("park")).ServeHTTP(w, r)
	})
	mux.HandleFunc("GET /{steps}/{park}/parked/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.PathValue("n"))
		if err := loop(r.PathValue("steps"), r.PathValue("park")).WaitParked(r.Context(), n); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	mux.HandleFunc("GET /{steps}/{park}/release", func(w http.ResponseWriter, r *http.Request) {
		loop(r.PathValue("steps"), r.PathValue("park")).Release()
	})
	mux.HandleFunc("GET /{steps}/{park}/counts", func(w http.ResponseWriter, r *http.Request) {
		l := loop(r.PathValue("steps"), r.PathValue("park"))
		fmt.Fprintf(w, "%d %d", l.Requests(), l.Finals())
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("http://" + ln.Addr().String())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	http.Serve(ln, mux)
}

// remote is the model server in its own process.
type remote struct {
	tb  testing.TB
	url string
}

func startServer(tb testing.TB) *remote {
	tb.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serverEnv+"=1")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		stdin.Close()
		cmd.Wait()
	})
	url, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		tb.Fatalf("the model server did not start: %v", err)
	}
	return &remote{tb: tb, url: strings.TrimSpace(url)}
}

// base is the base URL of a loop of so many steps, whose park-th request waits.
func (r *remote) base(steps, park int) string { return fmt.Sprintf("%s/%d/%d", r.url, steps, park) }

// get asks one of the server's own pages.
func (r *remote) get(format string, args ...any) string {
	r.tb.Helper()
	resp, err := http.Get(r.url + fmt.Sprintf(format, args...))
	if err != nil {
		r.tb.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		r.tb.Fatalf("%s: %s %v", resp.Status, body, err)
	}
	return string(body)
}

// counts returns how many requests a loop got and how many it ended.
func (r *remote) counts(steps, park int) (requests, finals int64) {
	r.tb.Helper()
	if _, err := fmt.Sscan(r.get("/%d/%d/counts", steps, park), &requests, &finals); err != nil {
		r.tb.Fatal(err)
	}
	return requests, finals
}
