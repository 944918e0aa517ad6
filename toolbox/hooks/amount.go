package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// maxAmountBytes bounds what is read as a number. No amount is longer.
const maxAmountBytes = 64

// number is a decimal number as JSON writes it, or with commas between thousands.
// A comma could also be meant as a decimal point; read as it is here, the number is
// the larger one. The exponent is short, since a number is worked out in full.
var number = lazyregexp.New(`^-?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:[eE][+-]?\d{1,2})?$`)

// amountAt reads the amount at a path of a tool's input; written is how it stands
// there. Its errors go on after the name of the field.
func amountAt(input json.RawMessage, path []string) (written string, amount *big.Rat, err error) {
	for _, name := range path {
		if input, err = fieldOf(input, name); err != nil {
			return "", nil, err
		}
	}
	written = string(bytes.TrimSpace(input))
	if len(written) > 0 && written[0] == '"' {
		if err := json.Unmarshal(input, &written); err != nil {
			return "", nil, errors.New("cannot be read")
		}
		written = strings.TrimSpace(written)
	}
	amount, err = readAmount(written)
	return written, amount, err
}

// fieldOf returns a field of a JSON object. The name's case does not count, as for
// encoding/json, which fills the field of a struct from any of them and from the
// last of several: so a field that is there twice is an error.
func fieldOf(object json.RawMessage, name string) (json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("is missing")
	}
	var found json.RawMessage
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, errors.New("cannot be read")
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, errors.New("cannot be read")
		}
		if key, ok := key.(string); !ok || !strings.EqualFold(key, name) {
			continue
		}
		if found != nil {
			return nil, errors.New("is there twice")
		}
		found = value
	}
	if _, err := dec.Token(); err != nil {
		return nil, errors.New("cannot be read")
	}
	if found == nil {
		return nil, errors.New("is missing")
	}
	return found, nil
}

// readAmount reads a decimal number that is not negative.
func readAmount(s string) (*big.Rat, error) {
	if len(s) > maxAmountBytes {
		return nil, errors.New("is too long for a number")
	}
	if !number().MatchString(s) {
		return nil, fmt.Errorf("is no number: %q", s)
	}
	amount, ok := new(big.Rat).SetString(strings.ReplaceAll(s, ",", ""))
	if !ok {
		return nil, fmt.Errorf("is no number: %q", s)
	}
	if amount.Sign() < 0 {
		return nil, fmt.Errorf("is negative: %s", s)
	}
	return amount, nil
}
