package session_test

import (
	"testing"

	"github.com/quarry-sdk/quarry/session"
	"github.com/quarry-sdk/quarry/session/sessiontest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	sessiontest.Run(t, func(*testing.T) session.Store { return session.NewMemory() }, nil)
}
