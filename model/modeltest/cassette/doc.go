// Package cassette reads and plays recorded HTTP traffic for tests, in the formats
// in which other projects keep theirs.
//
//	exchanges, err := cassette.Load("testdata/tool_streaming.yaml")
//	if err != nil {
//		t.Fatal(err)
//	}
//	player := cassette.NewPlayer(cassette.PlayerConfig{Exchanges: exchanges})
//	defer player.Close()
//	m, err := anthropic.New(anthropic.Config{APIKey: "none", BaseURL: player.URL, Model: "any"})
//
// A [Player] is a loopback server that answers from the recording, late, cut or
// with other errors where that is wanted. [Framings] and [Cuts] are what a reader
// of streams has to bear.
//
// [Load] knows go-vcr, Ruby VCR, vcrpy and rig's YAML files, httprr traces,
// JSON-RPC scripts in txtar, and bare response bodies. It is a test aid: it is
// the one package of this module that links a YAML reader.
package cassette
