package prices

import (
	"fmt"
	"strconv"
	"strings"
)

// Rate is a price in USD for a number of units. The zero value is unknown, which
// is not zero.
type Rate struct {
	micros int64 // millionths of a USD
	known  bool
}

// unknown is how a file writes what is not known.
const unknown = "-"

// maxWhole bounds the digits before the point, so that sums stay in range.
const maxWhole = 9

// ParseRate reads a decimal number such as 3.75, of at most six digits behind
// the point, or "-" for unknown.
func ParseRate(s string) (Rate, error) {
	if s == unknown {
		return Rate{}, nil
	}
	whole, frac, point := strings.Cut(s, ".")
	if !digits(whole) || point && !digits(frac) {
		return Rate{}, fmt.Errorf("%q is no price; write USD such as 3.75, or - for unknown", s)
	}
	if len(whole) > maxWhole || len(frac) > 6 {
		return Rate{}, fmt.Errorf("%q has too many digits; there may be %d before the point and 6 behind it", s, maxWhole)
	}
	n, err := strconv.ParseInt(whole+frac+strings.Repeat("0", 6-len(frac)), 10, 64)
	if err != nil {
		return Rate{}, err
	}
	return Rate{n, true}, nil
}

// USD is the rate in USD, and whether it is known.
func (r Rate) USD() (usd float64, known bool) {
	return float64(r.micros) / 1e6, r.known
}

// String returns the rate with at least two digits behind the point, or "-".
func (r Rate) String() string {
	if !r.known {
		return unknown
	}
	cents := fmt.Sprintf("%d.%02d", r.micros/1e6, r.micros%1e6/1e4)
	return cents + strings.TrimRight(fmt.Sprintf("%04d", r.micros%1e4), "0")
}

// MarshalJSON writes a number, or null for unknown.
func (r Rate) MarshalJSON() ([]byte, error) {
	if !r.known {
		return []byte("null"), nil
	}
	usd, _ := r.USD()
	return strconv.AppendFloat(nil, usd, 'f', -1, 64), nil
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
