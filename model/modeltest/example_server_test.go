package modeltest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/quarry-sdk/quarry/model/modeltest"
)

func ExampleServer() {
	s := modeltest.NewServer(modeltest.ServerConfig{
		APIKey: "sk-test",
		Script: modeltest.Script{modeltest.Overloaded(), modeltest.Say("Hi.")},
	})
	defer s.Close()
	defer http.DefaultClient.CloseIdleConnections()
	for range 2 {
		req, _ := http.NewRequest(http.MethodPost, s.URL+"/v1/messages", strings.NewReader(
			`{"model":"claude-test","max_tokens":64,"messages":[{"role":"user","content":"Hello"}]}`))
		req.Header.Set("Anthropic-Version", "2023-06-01")
		req.Header.Set("X-Api-Key", "sk-test")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			fmt.Println(err)
			return
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Println(resp.StatusCode, strings.Contains(string(body), `"text":"Hi."`))
	}
	last := s.Requests()[1]
	fmt.Println(last.KeyMatched(), last.Header.Get("X-Api-Key"), last.Request.Messages[0].Blocks.Text())
	// Output:
	// 529 false
	// 200 true
	// true REDACTED Hello
}
