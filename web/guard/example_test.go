package guard_test

import (
	"fmt"
	"log"
	"net/url"

	"github.com/quarry-sdk/quarry/web/guard"
)

func ExampleGuard_CheckURL() {
	g, err := guard.New(guard.Config{Allow: []string{"10.1.0.0/16", ".lan"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, raw := range []string{"https://example.org/page", "http://10.1.2.3:8080/", "http://wiki.lan/", "http://10.2.0.1/", "http://0x7f.1/", "ftp://example.org/"} {
		u, err := url.Parse(raw)
		if err != nil {
			log.Fatal(err)
		}
		if err := g.CheckURL(u); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(raw, "may be fetched")
	}
	// Output:
	// https://example.org/page may be fetched
	// http://10.1.2.3:8080/ may be fetched
	// http://wiki.lan/ may be fetched
	// reach address 10.2.0.1: it is not on the public web: private (RFC 1918) (if it is meant to be reached, name it in the list of what is allowed)
	// reach 0x7f.1: some programs read it as an address of IPv4, and it is not written as one (write the address as four decimal numbers)
	// reach the URL: its scheme is "ftp" (only http and https are fetched)
}
