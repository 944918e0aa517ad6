package evidence

import (
	"math/bits"
	"strings"
	"unicode/utf8"
)

const (
	// prefixLen is how many bytes of a key the index looks up.
	prefixLen = 8
	// crowded is the bucket size above which scanning the text is the better way.
	crowded = 4096
)

// startIndex finds the places where a quote may start by the first eight bytes of its key.
type startIndex struct {
	shift  uint
	bucket []int32 // bucket h is places[bucket[h]:bucket[h+1]]
	places []int32 // ascending in each bucket
}

// indexStarts indexes every place of k where a word may start. Texts over 2 GiB are not indexed (nil).
func indexStarts(k keyString) *startIndex {
	if int64(len(k.key)) >= 1<<31-1 {
		return nil
	}
	n := 0
	eachStart(k, func(int) { n++ })
	size := bits.Len(uint(n)) + 1
	x := &startIndex{shift: uint(64 - size), bucket: make([]int32, 1<<size+2), places: make([]int32, n)}
	eachStart(k, func(p int) { x.bucket[x.hash(k.key[p:])+2]++ })
	for h := 2; h < len(x.bucket); h++ {
		x.bucket[h] += x.bucket[h-1]
	}
	// bucket[h+1] is where bucket h starts, and moves on to its end while it is filled.
	eachStart(k, func(p int) {
		h := x.hash(k.key[p:]) + 1
		x.places[x.bucket[h]] = int32(p)
		x.bucket[h]++
	})
	return x
}

// eachStart calls f, in order, for the places of k where a quote of at least prefixLen bytes may start.
func eachStart(k keyString, f func(p int)) {
	cut := 0
	for p := 0; p+prefixLen <= len(k.key); p++ {
		atCut := cut < len(k.cuts) && k.cuts[cut].at == p
		if atCut {
			cut++
		}
		c := k.key[p]
		if c == ' ' || !utf8.RuneStart(c) {
			continue
		}
		if p > 0 && !atCut && asciiWord(c) && asciiWord(k.key[p-1]) {
			continue
		}
		f(p)
	}
}

func (x *startIndex) hash(s string) uint64 {
	v := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	return v * 0x9E3779B97F4A7C15 >> x.shift // Fibonacci hashing, Knuth, TAOCP 3, 6.4
}

// candidates calls f for the places where key stands in k, in order, until f returns a negative number. f returns the
// place from which to go on.
func candidates(k keyString, x *startIndex, key string, f func(p int) int) {
	if x != nil && len(key) >= prefixLen {
		h := x.hash(key)
		if places := x.places[x.bucket[h]:x.bucket[h+1]]; len(places) <= crowded {
			from := 0
			for _, p := range places {
				if int(p) >= from && strings.HasPrefix(k.key[p:], key) {
					if from = f(int(p)); from < 0 {
						return
					}
				}
			}
			return
		}
	}
	for from := 0; from <= len(k.key); {
		i := strings.Index(k.key[from:], key)
		if i < 0 {
			return
		}
		if from = f(from + i); from < 0 {
			return
		}
	}
}
