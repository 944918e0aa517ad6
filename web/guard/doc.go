// Package guard keeps programs that fetch addresses of others from reaching what
// is not on the public web: the machine itself, the networks around it, the
// metadata services of clouds.
//
//	g, err := guard.New(guard.Config{Allow: []string{"wiki.example.internal"}})
//	if err != nil {
//		return err
//	}
//	transport := &http.Transport{DialContext: g.DialContext, Proxy: nil}
//	if err := g.CheckURL(u); err != nil { // before each request and each redirect
//		return err // a *guard.Error that says what is wrong and how to mend it
//	}
//
// Most callers need [New], [Guard.CheckURL] and [Guard.DialContext].
//
// What is promised: no connection is opened to an address that is not global by
// the registries of IANA, unless [Config.Allow] names it. The address is checked
// after the name was resolved, and that very address is dialled, so a name that
// changes its answer between check and connection gains nothing; it is checked
// again on the socket. An address of IPv6 that carries one of IPv4 is judged by
// the one that it carries.
//
// What is not promised: anything about what a host on the public web does with a
// request, or about programs that dial by themselves.
package guard
