package memory_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/quarry-sdk/quarry/toolbox/memory"
)

// In a process that is started by a test, writer remembers and says so line by
// line.
const writerEnv = "QUARRY_TEST_MEMORY_WRITER"

func TestMain(m *testing.M) {
	if name := os.Getenv(writerEnv); name != "" {
		writer(name, os.Args[len(os.Args)-1])
		return
	}
	goleak.VerifyTestMain(m)
}

// writer remembers until its input ends, or is "more" no longer.
func writer(name, path string) {
	store, err := memory.Open(memory.Config{Path: path, MaxEntries: 10_000})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	orders := bufio.NewScanner(os.Stdin)
	for i := 0; orders.Scan(); i++ {
		key := fmt.Sprintf("%s-%d", name, i)
		if _, err := store.Remember(context.Background(), key, "value of "+key, name); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(key)
	}
}
