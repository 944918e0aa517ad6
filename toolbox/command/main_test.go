package command

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// The test's program is also the program that it runs: by its first argument.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "act-") {
		act(os.Args[1], os.Args[2:])
		return
	}
	goleak.VerifyTestMain(m)
}

// act is what the program does.
func act(what string, args []string) {
	switch what {
	case "act-args":
		fmt.Printf("%q\n", args)
	case "act-env":
		fmt.Println(strings.Join(os.Environ(), "\n"))
	case "act-dir":
		dir, _ := os.Getwd()
		fmt.Println(dir)
	case "act-cat":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "act-both":
		fmt.Println("to stdout")
		fmt.Fprintln(os.Stderr, "to stderr")
	case "act-exit":
		code, _ := strconv.Atoi(args[0])
		os.Exit(code)
	case "act-spew": // lines, counted
		n, _ := strconv.Atoi(args[0])
		w := bufio.NewWriter(os.Stdout)
		for i := range n {
			fmt.Fprintf(w, "line %d\n", i)
		}
		_ = w.Flush()
	case "act-tree", "act-leave":
		// A child, which has a child: each tells the test that it lives.
		depth, _ := strconv.Atoi(args[1])
		if depth > 0 {
			cmd := exec.Command(os.Args[0], "act-tree", args[0], strconv.Itoa(depth-1))
			cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
			if err := cmd.Start(); err != nil {
				panic(err)
			}
		}
		conn, err := net.Dial("tcp", args[0])
		if err != nil {
			panic(err)
		}
		fmt.Println("depth", depth)
		fmt.Fprintln(conn, "alive")
		if what == "act-leave" { // once the others live
			_, _ = bufio.NewReader(conn).ReadString('\n')
			return
		}
		_, _ = io.Copy(io.Discard, conn) // until it is killed
	}
}
