package search

import (
	"net"
	"net/url"
	"path"
	"slices"
	"strings"
)

// Key is what all usual addresses of one page have in common: two URLs with the same
// key are taken for the same page. It is for comparing, not for fetching. In a key

//   - the scheme, "www.", the hosts and parameters of AMP and of mobile versions, and
//     the fragment are left out,
//   - parameters that only track are left out, and the others are sorted,
//   - the host is in lower case and without a default port, percent-encoding is in
//     one form, and the path has no slash at its end.
//
// Brackets in an address belong to it. A string that is no absolute URL of http or
// https is its own key.
func Key(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return address
	}
	if inner := throughAMP(u); inner != nil {
		u = inner
	}
	host := keyHost(u)
	if host == "" {
		return address
	}
	p := keyPath(u)
	q := keyQuery(u.Query())
	key := host + p
	if q != "" {
		key += "?" + q
	}
	return key
}

// throughAMP is the address that a cache of AMP pages leads to; nil if it is none.
func throughAMP(u *url.URL) *url.URL {
	host, rest := strings.ToLower(u.Hostname()), ""
	switch {
	case strings.HasSuffix(host, ".cdn.ampproject.org"):
		// /c/s/example.org/page, /v/s/…, where s is for https
		parts := strings.SplitN(strings.TrimPrefix(u.EscapedPath(), "/"), "/", 3)
		if len(parts) < 2 {
			return nil
		}
		rest = strings.Join(parts[1:], "/")
		if parts[1] == "s" {
			rest = parts[len(parts)-1]
		}
	case strings.HasPrefix(host, "www.google.") || strings.HasPrefix(host, "google."):
		var found bool
		if rest, found = strings.CutPrefix(u.EscapedPath(), "/amp/"); !found {
			return nil
		}
		rest = strings.TrimPrefix(rest, "s/")
	default:
		return nil
	}
	inner, err := url.Parse("https://" + rest)
	if err != nil || !strings.Contains(inner.Host, ".") {
		return nil
	}
	inner.RawQuery = u.RawQuery
	return inner
}

// mobileLabels are the names of hosts for small screens and for AMP.
var mobileLabels = []string{"amp", "m", "mobile", "touch", "wap"}

func keyHost(u *url.URL) string {
	host := strings.ToLower(u.Hostname())
	if net.ParseIP(host) == nil {
		labels := slices.DeleteFunc(strings.Split(host, "."), func(l string) bool { return l == "" })
		for len(labels) > 2 && (labels[0] == "www" || slices.Contains(mobileLabels, labels[0])) {
			labels = labels[1:]
		}
		// en.m.wikipedia.org
		if len(labels) > 3 && labels[1] == "m" {
			labels = slices.Delete(labels, 1, 2)
		}
		host = strings.Join(labels, ".")
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := u.Port(); port != "" && port != "80" && port != "443" {
		host += ":" + port
	}
	return host
}

func keyPath(u *url.URL) string {
	p := u.Path // decoded, so that all ways to write a character are one
	if p == "" {
		return ""
	}
	if cleaned := path.Clean("/" + p); cleaned != "/" {
		p = cleaned
	} else {
		return ""
	}
	for _, end := range []string{"/amp", ".amp", "/index.html", "/index.htm", "/index.php"} {
		if base, found := strings.CutSuffix(p, end); found {
			p = base
			break
		}
	}
	return plainSigns.Replace((&url.URL{Path: p}).EscapedPath())
}

// plainSigns need no encoding in a path, and people do not write it.
var plainSigns = strings.NewReplacer("%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")

// tracking are parameters that say where a visitor came from.
var tracking = []string{
	"_ga", "_gl", "_hsenc", "_hsmi", "cmpid", "dclid", "fbclid", "gbraid", "gclid", "gclsrc", "guccounter", "guce_referrer",
	"guce_referrer_sig", "igsh", "igshid", "li_fat_id", "mc_cid", "mc_eid", "mkt_tok", "msclkid", "ncid", "oly_anon_id", "oly_enc_id",
	"ref_src", "ref_url", "s_cid", "spm", "srsltid", "ttclid", "twclid", "vero_conv", "vero_id", "wbraid", "wickedid", "yclid",
}

func keyQuery(values url.Values) string {
	for name, v := range values {
		lower := strings.ToLower(name)
		amp := lower == "amp" || lower == "outputtype" && len(v) == 1 && strings.EqualFold(v[0], "amp")
		if amp || strings.HasPrefix(lower, "utm_") || strings.HasPrefix(lower, "at_c") || slices.Contains(tracking, lower) {
			delete(values, name)
		}
	}
	return values.Encode()
}
