package model

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

func TestEncodingOnce(t *testing.T) {
	t.Parallel()
	for name, encoding := range map[string]func(string, func() ([]byte, error)) ([]byte, error){
		"message":  UserText("a").Encoding,
		"tool set": (&ToolSet{}).Encoding,
	} {
		calls := 0
		encode := func(data string, err error) func() ([]byte, error) {
			return func() ([]byte, error) {
				calls++
				return []byte(data), err
			}
		}
		own := errors.New("own")
		if _, err := encoding("a", encode("", own)); err != own {
			t.Errorf("%s: error %v", name, err)
		}
		for i, tc := range []struct{ key, data, want string }{
			{"a", "one", "one"}, // the failure was not kept
			{"a", "two", "one"},
			{"b", "three", "three"},
			{"a", "four", "one"},
			{"b", "five", "three"},
		} {
			if got, err := encoding(tc.key, encode(tc.data, nil)); string(got) != tc.want || err != nil {
				t.Errorf("%s, call %d: %q, error %v", name, i, got, err)
			}
		}
		if calls != 3 {
			t.Errorf("%s: encoded %d times", name, calls)
		}
	}
}

// Whatever the order of goroutines, each gets the encoding of its own key, and
// once they are done the message is encoded for all keys after one more round.
func TestEncodingRace(t *testing.T) {
	t.Parallel()
	const keys, callers = 4, 16
	m := UserText("a")
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range keys * callers {
		wg.Go(func() {
			key := fmt.Sprint(i % keys)
			<-start
			for range 10 {
				got, err := m.Encoding(key, func() ([]byte, error) { return []byte("for " + key), nil })
				if err != nil || string(got) != "for "+key {
					t.Errorf("key %s: %q, error %v", key, got, err)
				}
			}
		})
	}
	close(start)
	wg.Wait()
	var calls atomic.Int32
	for range 2 {
		calls.Store(0)
		for k := range keys {
			_, _ = m.Encoding(fmt.Sprint(k), func() ([]byte, error) { calls.Add(1); return []byte("for " + fmt.Sprint(k)), nil })
		}
	}
	if calls.Load() != 0 {
		t.Errorf("encoded %d times again", calls.Load())
	}
}
