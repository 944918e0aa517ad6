package web

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// robotsMaxBytes is how much of a robots.txt is read, the least that RFC 9309 allows.
const robotsMaxBytes = 500 << 10

// robotsRules are the rules of a robots.txt for one program.
type robotsRules struct {
	rules []robotsRule
	// delay is the Crawl-delay, 0 if there is none.
	delay time.Duration
}

type robotsRule struct {
	allow bool
	path  string
	line  int
}

// parseRobots reads the rules for a product by RFC 9309: those of all groups that
// name it, without regard to case, or else those of all groups for "*". Crawl-delay
// is read too, in seconds; the RFC does not know it.
func parseRobots(data []byte, product string) *robotsRules {
	data = data[:min(len(data), robotsMaxBytes)]
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var named, star robotsRules
	isNamed := false
	var inNamed, inStar, inRules bool
	line := 0
	for raw := range bytes.FieldsFuncSeq(data, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line++
		text, _, _ := strings.Cut(string(raw), "#")
		key, value, ok := strings.Cut(text, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "user-agent":
			if inRules {
				inNamed, inStar, inRules = false, false, false
			}
			switch {
			case value == "*":
				inStar = true
			case strings.EqualFold(productName(value), product):
				inNamed, isNamed = true, true
			}
		case "allow", "disallow":
			inRules = true
			rule := robotsRule{strings.EqualFold(strings.TrimSpace(key), "allow"), normalPath(value), line}
			if rule.path == "" {
				continue // an empty rule says nothing
			}
			if inNamed {
				named.rules = append(named.rules, rule)
			}
			if inStar {
				star.rules = append(star.rules, rule)
			}
		case "crawl-delay": // which does not end a list of agents: it is none of the RFC's rules
			seconds, err := strconv.ParseFloat(value, 64)
			if err != nil || !(seconds > 0 && seconds <= 1e6) { // NaN is none of both
				continue
			}
			if inNamed {
				named.delay = time.Duration(seconds * float64(time.Second))
			}
			if inStar {
				star.delay = time.Duration(seconds * float64(time.Second))
			}
		}
	}
	if isNamed {
		return &named
	}
	return &star
}

// productName is the beginning of a user agent that robots.txt files name.
func productName(agent string) string {
	end := strings.IndexFunc(agent, func(r rune) bool {
		return r != '-' && r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	if end < 0 {
		return agent
	}
	return agent[:end]
}

// allowed tells whether a path with its query may be fetched, and the rule that
// forbids it. The longest rule counts, and of two equally long ones that which
// allows.
func (r *robotsRules) allowed(path string) (bool, robotsRule) {
	if path == "/robots.txt" {
		return true, robotsRule{}
	}
	path = normalPath(path)
	best := robotsRule{allow: true}
	for _, rule := range r.rules {
		longer := len(rule.path) > len(best.path)
		if (longer || len(rule.path) == len(best.path) && rule.allow) && matchPath(rule.path, path) {
			best = rule
		}
	}
	return best.allow, best
}

// matchPath tells whether a pattern fits the beginning of a path; "*" in it stands
// for anything, and "$" at its end for the end of the path. It takes the leftmost
// place for each piece, so that time grows with the product of the lengths at most.
func matchPath(pattern, path string) bool {
	pattern, toEnd := strings.CutSuffix(pattern, "$")
	pieces := strings.Split(pattern, "*")
	if !strings.HasPrefix(path, pieces[0]) {
		return false
	}
	path = path[len(pieces[0]):]
	if len(pieces) == 1 {
		return !toEnd || path == ""
	}
	last := pieces[len(pieces)-1]
	for _, piece := range pieces[1 : len(pieces)-1] {
		i := strings.Index(path, piece)
		if i < 0 {
			return false
		}
		path = path[i+len(piece):]
	}
	if toEnd {
		return strings.HasSuffix(path, last)
	}
	return strings.Contains(path, last)
}

// normalPath writes a path so that paths that mean the same are the same: bytes that
// are not ASCII encoded, encoded letters, digits and the like decoded, and the digits
// of what stays encoded in upper case (RFC 9309, section 2.2.2).
func normalPath(path string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		switch {
		case c == '%' && i+2 < len(path) && isHex(path[i+1]) && isHex(path[i+2]):
			v, _ := strconv.ParseUint(path[i+1:i+3], 16, 8)
			if d := byte(v); isUnreserved(d) {
				b.WriteByte(d)
			} else {
				b.WriteString("%" + string(hex[d>>4]) + string(hex[d&15]))
			}
			i += 2
		case c <= ' ' || c >= 0x7f:
			b.WriteString("%" + string(hex[c>>4]) + string(hex[c&15]))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func isUnreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}
