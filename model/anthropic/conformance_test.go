package anthropic_test

import (
	"testing"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/anthropic"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	modeltest.TestProvider(t, modeltest.Provider{
		CacheWrites: true, Thinking: true,
		Open: func(t testing.TB, baseURL, key string) model.Model {
			m, err := anthropic.New(anthropic.Config{APIKey: key, BaseURL: baseURL, Model: "claude-test"})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(m.CloseIdleConnections)
			return m
		},
	})
}
