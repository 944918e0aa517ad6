package anthropic

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/quarry-sdk/quarry/model"
)

// TestDamaged: a stream with a few wrong bytes ends, in an answer or in a typed
// error. It is a small FuzzStream that runs each time.
func TestDamaged(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		data := []byte(richStream)
		for range 1 + rnd.IntN(3) {
			i := rnd.IntN(len(data))
			switch rnd.IntN(4) {
			case 0:
				data[i] = byte(rnd.IntN(256))
			case 1:
				data = append(data[:i], data[min(len(data), i+rnd.IntN(40)):]...)
			case 2:
				data = append(data[:i:i], append([]byte{"{}[]\",:\\\n\r"[rnd.IntN(10)]}, data[i:]...)...)
			case 3:
				j := rnd.IntN(len(data))
				data[i], data[j] = data[j], data[i]
			}
			if len(data) == 0 {
				break
			}
		}
		_, err := offline(t, string(data)).Collect()
		var e *model.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("untyped error %#v of %q", err, data)
		}
	}
}
