package chat_test

import (
	"testing"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/chat"
	"github.com/quarry-sdk/quarry/model/modeltest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	modeltest.TestProvider(t, modeltest.Provider{
		Open: func(t testing.TB, baseURL, key string) model.Model {
			m, err := chat.New(chat.Config{APIKey: key, BaseURL: baseURL, Model: "test"})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(m.CloseIdleConnections)
			return m
		},
	})
}
