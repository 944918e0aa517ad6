package blob_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/quarry-sdk/quarry/blob"
)

func Example() {
	dir, err := os.MkdirTemp("", "quarry")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	ctx := context.Background()
	files, err := blob.Open(filepath.Join(dir, "blobs"))
	if err != nil {
		log.Fatal(err)
	}
	ref, err := files.Put(ctx, []byte("<h1>Kõpu lighthouse</h1>"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ref)

	page, err := files.Get(ctx, ref)
	fmt.Println(string(page), err)
	part, size, err := files.ReadAt(ctx, ref, 4, 5)
	fmt.Println(string(part), size, err)

	for info, err := range files.List(ctx) {
		fmt.Println(info.Ref == ref, info.Size, err)
	}
	// Output:
	// sha256:fe96aead3f01323d010ca5b90d611474b78afa51fc6fa3b59c78bf771e2f85bf
	// <h1>Kõpu lighthouse</h1> <nil>
	// Kõpu 25 <nil>
	// true 25 <nil>
}
