// Package cassette reads recorded HTTP traffic for tests, in the formats in
// which other projects keep theirs.
//
//	exchanges, err := cassette.Load("testdata/tool_streaming.yaml")
//	if err != nil {
//		t.Fatal(err)
//	}
//	next := 0
//	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
//		exchanges[next].Response.Write(w)
//		next++
//	}))
//
// [Load] knows go-vcr, Ruby VCR, vcrpy and rig's YAML files, httprr traces,
// JSON-RPC scripts in txtar, and bare response bodies. It is a test aid: it is
// the one package of this module that links a YAML reader.
package cassette
