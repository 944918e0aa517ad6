package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// scheme begins each reference.
const scheme = "sha256:"

// Ref returns the reference of data: "sha256:" and 64 lower-case hexadecimal
// digits.
func Ref(data []byte) string {
	sum := sha256.Sum256(data)
	return scheme + hex.EncodeToString(sum[:])
}

// CheckRef returns an error that says what is wrong with a reference, or nil. It
// does not tell whether there is such a blob.
func CheckRef(ref string) error {
	digits, ok := strings.CutPrefix(ref, scheme)
	switch {
	case !ok:
		return refError(ref, `does not begin with "sha256:"`)
	case !isHex(digits):
		return refError(ref, "has something else than lower-case hexadecimal digits")
	case len(digits) != 2*sha256.Size:
		return refError(ref, fmt.Sprintf("has %d digits", len(digits)))
	}
	return nil
}

func refError(ref, problem string) error {
	return fmt.Errorf(`blob reference %.80q %s; it must be "sha256:" and 64 lower-case hexadecimal digits, as Put returned it`, ref, problem)
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
