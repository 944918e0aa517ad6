package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/corpus"
)

// mcpCorpus is a corpus that quarry mcp serves.
type mcpCorpus struct {
	// info has no folder where the corpus was given by its name.
	info  corpusInfo
	index *corpus.Index
	asker *quarry.Agent
	// turn has room for who brings the index up to date; tell is told of it and is
	// that one's.
	turn chan struct{}
	tell func(done, total int)
}

// openMCPCorpus opens what --corpus names, and leaves indexing to the first call:
// clients do not wait long for a server to start, and can be told of progress then.
func (a *app) openMCPCorpus(ctx context.Context, arg string) (*mcpCorpus, error) {
	info, err := a.findCorpus(arg)
	if err != nil {
		return nil, err
	}
	if info.Folder != "" {
		if info, err = a.checkFolder(info.Name, info.Folder); err != nil {
			return nil, err
		}
	}
	c := &mcpCorpus{info: info, turn: make(chan struct{}, 1)}
	c.index, err = a.openIndex(ctx, info.Name, corpus.Options{OnProgress: func(done, total int) { c.tell(done, total) }})
	return c, err
}

// refresh brings the index up to date with the folder, or with what another process
// has indexed. One call does it at a time.
func (c *mcpCorpus) refresh(ctx context.Context, a *app, progress *mcpProgress) error {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if c.info.Folder == "" {
		return c.index.Refresh(ctx)
	}
	c.tell = func(done, total int) { progress.indexed(ctx, c.info.Name, done, total) }
	_, err := a.updateIndex(ctx, c.index, c.info)
	if !errors.Is(err, corpus.ErrLocked) {
		return err
	}
	// Another server of this folder is at it: what was valid before is good enough.
	if err := c.index.Refresh(ctx); err != nil {
		return err
	}
	if c.index.Count() == 0 {
		return fmt.Errorf("the corpus %q is being indexed by another process; call again when that has ended", c.info.Name)
	}
	return nil
}
