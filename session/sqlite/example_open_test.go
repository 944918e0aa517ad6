package sqlite_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "quarry")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	ctx := context.Background()
	store, err := sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(dir, ".quarry", "quarry.db")})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()

	begin := []session.Record{{Seq: 1, Time: time.Now(), Event: &session.Started{Format: session.FormatVersion, Agent: "clerk"}}}
	fmt.Println(store.Append(ctx, "first", 0, begin))
	fmt.Println(store.Append(ctx, "first", 0, begin)) // another process, a moment too late

	for info, err := range store.List(ctx, session.Filter{}) {
		fmt.Println(info.ID, info.Agent, info.Status, info.Last, err)
	}
	// Output:
	// <nil>
	// session "first", record 1: another process has written to the session; stop this one, or resume the session to go on from there
	// first clerk idle 1 <nil>
}
