package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/quarry-sdk/quarry/blob"
	"github.com/quarry-sdk/quarry/session/sqlite"
)

// defaultHome is where journals and indexes live unless told otherwise.
const defaultHome = ".quarry"

// home returns the folder of journals and indexes.
func (a *app) home() string {
	if a.flags.home != "" {
		return a.flags.home
	}
	if dir := os.Getenv("QUARRY_HOME"); dir != "" {
		return dir
	}
	return defaultHome
}

// store opens the journal.
func (a *app) store(ctx context.Context) (*sqlite.Store, error) {
	path := filepath.Join(a.home(), "quarry.db")
	store, err := sqlite.Open(ctx, sqlite.Config{Path: path})
	if err != nil {
		return nil, fmt.Errorf("open the journal %s: %w", path, err)
	}
	return store, nil
}

// blobs opens the store of results that are too long for the journal.
func (a *app) blobs() (*blob.Files, error) {
	return blob.Open(filepath.Join(a.home(), "blobs"))
}
