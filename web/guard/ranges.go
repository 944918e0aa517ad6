package guard

import "net/netip"

// special is a range of addresses that is not part of the public web.
type special struct {
	prefix netip.Prefix
	name   string
}

// specials are the entries of IANA's registries "IPv4 Special-Purpose Address
// Space" and "IPv6 Special-Purpose Address Space", and of RFC 5771 and RFC 4291 for
// multicast, as far as no page of the public web can be there. Addresses of
// platforms that serve metadata from global ranges are added.
func specials() []special {
	list := []struct{ prefix, name string }{
		{"0.0.0.0/8", "this network (RFC 791)"},
		{"10.0.0.0/8", "private (RFC 1918)"},
		{"100.64.0.0/10", "shared by carriers (RFC 6598)"},
		{"127.0.0.0/8", "loopback (RFC 1122)"},
		{"168.63.129.16/32", "the platform service of Azure"},
		{"169.254.0.0/16", "link-local, where clouds serve metadata (RFC 3927)"},
		{"172.16.0.0/12", "private (RFC 1918)"},
		{"192.0.0.0/24", "protocol assignments (RFC 6890)"},
		{"192.0.2.0/24", "documentation (RFC 5737)"},
		{"192.31.196.0/24", "AS112 (RFC 7535)"},
		{"192.52.193.0/24", "AMT (RFC 7450)"},
		{"192.88.99.0/24", "relays of 6to4 (RFC 7526)"},
		{"192.168.0.0/16", "private (RFC 1918)"},
		{"192.175.48.0/24", "AS112 (RFC 7534)"},
		{"198.18.0.0/15", "benchmarks (RFC 2544)"},
		{"198.51.100.0/24", "documentation (RFC 5737)"},
		{"203.0.113.0/24", "documentation (RFC 5737)"},
		{"224.0.0.0/4", "multicast (RFC 5771)"},
		{"240.0.0.0/4", "reserved or broadcast (RFC 1112, RFC 8190)"},

		{"::1/128", "loopback (RFC 4291)"},
		{"::/128", "unspecified (RFC 4291)"},
		{"::/96", "IPv4-compatible, which is deprecated (RFC 4291)"},
		{"64:ff9b:1::/48", "local translation to IPv4 (RFC 8215)"},
		{"100::/64", "discard (RFC 6666)"},
		{"100:0:0:1::/64", "dummy prefix (RFC 9780)"},
		{"2001::/32", "Teredo (RFC 4380)"},
		{"2001:db8::/32", "documentation (RFC 3849)"},
		{"2001::/23", "protocol assignments (RFC 2928)"},
		{"2002::/16", "6to4, which is deprecated (RFC 7526)"},
		{"2620:4f:8000::/48", "AS112 (RFC 7534)"},
		{"3fff::/20", "documentation (RFC 9637)"},
		{"5f00::/16", "segment routing (RFC 9602)"},
		{"fc00::/7", "unique local (RFC 4193)"},
		{"fe80::/10", "link-local (RFC 4291)"},
		{"fec0::/10", "site-local, which is deprecated (RFC 3879)"},
		{"ff00::/8", "multicast (RFC 4291)"},
	}
	ranges := make([]special, len(list))
	for i, s := range list {
		ranges[i] = special{netip.MustParsePrefix(s.prefix), s.name}
	}
	return ranges
}

var (
	// globalUnicast is what IANA gives out of IPv6 (RFC 4291, section 2.4).
	globalUnicast = netip.PrefixFrom(netip.AddrFrom16([16]byte{0x20}), 3)
	// wellKnownNAT64 carries an address of IPv4 in its last four bytes (RFC 6052).
	wellKnownNAT64 = netip.PrefixFrom(netip.AddrFrom16([16]byte{0x00, 0x64, 0xff, 0x9b}), 96)
)

// notGlobal says why an address is not one of the public web; it returns "" for
// one that is.
func notGlobal(ranges []special, a netip.Addr) string {
	if !a.IsValid() {
		return "not an address"
	}
	if a.Zone() != "" {
		return "bound to a network interface"
	}
	a = a.Unmap()
	if wellKnownNAT64.Contains(a) {
		if name := notGlobal(ranges, lastFour(a)); name != "" {
			return "translated (RFC 6052) to " + lastFour(a).String() + ", which is " + name
		}
		return ""
	}
	for _, s := range ranges {
		if s.prefix.Contains(a) {
			return s.name
		}
	}
	if a.Is4() {
		return ""
	}
	if !globalUnicast.Contains(a) {
		return "outside of global unicast (RFC 4291)"
	}
	// ISATAP (RFC 5214) has an address of IPv4 behind ::5efe.
	if b := a.As16(); b[8]&^0x02 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe {
		if name := notGlobal(ranges, lastFour(a)); name != "" {
			return "tunnelled (RFC 5214) to " + lastFour(a).String() + ", which is " + name
		}
	}
	return ""
}

// lastFour is the address of IPv4 in the last four bytes of one of IPv6.
func lastFour(a netip.Addr) netip.Addr {
	b := a.As16()
	return netip.AddrFrom4([4]byte(b[12:]))
}
