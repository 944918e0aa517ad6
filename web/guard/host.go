package guard

import (
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// specialNames are the endings of names that are not of the public web: those of
// RFC 6761, 6762, 7686, 8375 and 9476, and the one that ICANN reserves for private
// use.
var specialNames = []string{
	"alt", "home.arpa", "internal", "invalid", "local", "localdomain", "localhost", "onion", "test",
}

// canonicalHost returns a host as it is looked up: in ASCII and lower case, without
// the dot at the end, an address in its usual form. The error is an *[Error].
func canonicalHost(host string) (name string, addr netip.Addr, err error) {
	if host == "" {
		return "", addr, &Error{Object: "the URL", Code: "host", Reason: "it has no host", Hint: "write it in full, such as https://example.org/page"}
	}
	if strings.Contains(host, ":") {
		addr, err := netip.ParseAddr(host)
		if err != nil {
			return "", addr, &Error{Object: host, Code: "host", Reason: "it is not an address of IPv6", Hint: "write a name or a whole address"}
		}
		return addr.String(), addr, nil
	}
	// Lookup maps full-width digits, circled ones and ideographic full stops to what
	// they are read as, as browsers do.
	name, err = idna.Lookup.ToASCII(host)
	if err != nil {
		// Underscores and leading hyphens occur in names that work.
		if name, err = idna.Punycode.ToASCII(strings.ToLower(host)); err != nil || !isASCIIName(name) {
			return "", addr, &Error{Object: host, Code: "host", Reason: "it is not the name of a host", Hint: "look for a character that does not belong there"}
		}
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if name == "" || len(name) > 253 || !isASCIIName(name) {
		return "", addr, &Error{Object: host, Code: "host", Reason: "it is not the name of a host", Hint: "look for a character that does not belong there"}
	}
	if addr, err := netip.ParseAddr(name); err == nil {
		return name, addr, nil
	}
	if endsInNumber(name) {
		return "", addr, &Error{Object: host, Code: "number", Reason: "some programs read it as an address of IPv4, and it is not written as one", Hint: "write the address as four decimal numbers"}
	}
	return name, addr, nil
}

func isASCIIName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '-' && c != '.' && c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return !strings.Contains(s, "..") && !strings.HasPrefix(s, ".")
}

// endsInNumber tells whether the last part of a name is a number, decimal, octal or
// hexadecimal, which makes it an address to the URL standard of the WHATWG ("ends
// in a number checker") and to inet_aton.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if digits, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// localName says why a name is not one of the public web; it returns "" for one
// that may be.
func localName(name string) string {
	if !strings.Contains(name, ".") {
		return "it is a name without a dot, which only a local network knows"
	}
	for _, end := range specialNames {
		if name == end || strings.HasSuffix(name, "."+end) {
			return "names that end in ." + end + " are not of the public web"
		}
	}
	return ""
}

// closedPorts are those that the Fetch standard of the WHATWG calls bad ("port
// blocking"), and those of databases, caches and control planes that take orders
// from anyone who speaks something like HTTP to them.
var closedPorts = []uint16{
	0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
	111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540,
	548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566,
	6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,

	445, 1433, 1521, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 4001, 5432, 5672, 5900, 5984, 6379, 6443, 8086, 9042, 9092,
	9200, 9300, 10250, 10255, 11211, 15672, 27017, 27018, 50000,
}

// parsePort returns the port of a URL, that of its scheme by default.
func parsePort(scheme, port string) (uint16, *Error) {
	if port == "" {
		if scheme == "http" {
			return 80, nil
		}
		return 443, nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return 0, &Error{Object: "port " + port, Code: "port", Reason: "it is not a port", Hint: "leave it out, or write a number up to 65535"}
	}
	return uint16(n), nil
}
