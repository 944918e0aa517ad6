package openai_test

import (
	"testing"

	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/modeltest"
	"github.com/quarry-sdk/quarry/model/openai"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	modeltest.TestProvider(t, modeltest.Provider{
		Open: func(t testing.TB, baseURL, key string) model.Model {
			m, err := openai.New(openai.Config{APIKey: key, BaseURL: baseURL, Model: "gpt-5"})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(m.CloseIdleConnections)
			return m
		},
	})
}
