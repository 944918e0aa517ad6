package cassette

import (
	"math/rand/v2"
	"strings"
)

// Framings returns the ways in which a stream of server-sent events may be written
// and cut without saying anything else, each as the pieces in which it arrives: a
// client that makes something else of one of them misreads the format. The lines of
// the stream have to end in "\n".
func Framings(stream string) map[string][]string {
	events := strings.SplitAfter(stream, "\n\n")
	single := make([]string, len(stream))
	for i := range len(stream) {
		single[i] = stream[i : i+1]
	}
	return map[string][]string{
		"one piece":        {stream},
		"a piece an event": events,
		"a piece a byte":   single,
		"CRLF":             {strings.ReplaceAll(stream, "\n", "\r\n")},
		"CR":               {strings.ReplaceAll(stream, "\n", "\r")},
		"comments":         {strings.Join(events, ": ping\n\nid: 7\nretry: 3\n\n:\n")},
		"byte order mark":  {"\ufeff" + stream},
		"empty events":     {strings.Join(events, "\n\nevent: keepalive\n\n")},
	}
}

// Cuts returns places at which to end a stream early: the end of each of its
// events, and n others that seed chooses.
func Cuts(stream string, n int, seed uint64) []int {
	var places []int
	for i := 0; ; {
		j := strings.Index(stream[i:], "\n\n")
		if j < 0 {
			break
		}
		i += j + 2
		places = append(places, i)
	}
	rnd := rand.New(rand.NewPCG(seed, uint64(len(stream))))
	for range n {
		places = append(places, rnd.IntN(len(stream)))
	}
	return places
}
