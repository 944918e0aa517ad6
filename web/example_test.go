package web_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/quarry-sdk/quarry/blob"
	"github.com/quarry-sdk/quarry/web"
	"github.com/quarry-sdk/quarry/web/guard"
)

// A site of this machine, which a fetcher reaches only because it is allowed to.
func exampleSite() *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/report", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<title>Report</title><p>The harbour handled 41,250 containers in March.</p>")
	})
	mux.HandleFunc("/members", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<title>Sign in</title><form><input type="password"></form>`)
	})
	return httptest.NewServer(mux)
}

func ExampleFetcher_Fetch() {
	site := exampleSite()
	defer site.Close()
	fetcher, err := web.New(web.Config{
		Guard:        guard.Config{Allow: []string{"127.0.0.1"}},
		HostInterval: -1,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer fetcher.Close()
	for _, url := range []string{site.URL + "/report", site.URL + "/members", site.URL + "/lost", "http://169.254.169.254/latest/meta-data/"} {
		page, err := fetcher.Fetch(context.Background(), web.Request{URL: url})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(page.Outcome, "-", page.Reason)
	}
	// Output:
	// ok - the host sent a page with text.
	// login - the host asks who you are before it shows the page.
	// not_found - the host answered with status 404.
	// forbidden_address - reach address 169.254.169.254: it is not on the public web: link-local, where clouds serve metadata (RFC 3927) (if it is meant to be reached, name it in the list of what is allowed).
}

func ExampleOpen() {
	site := exampleSite()
	dir, err := os.MkdirTemp("", "blobs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	blobs, err := blob.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	fetcher, err := web.New(web.Config{Blobs: blobs, Guard: guard.Config{Allow: []string{"127.0.0.1"}}})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	page, err := fetcher.Fetch(ctx, web.Request{URL: site.URL + "/report"})
	if err != nil {
		log.Fatal(err)
	}
	fetcher.Close()
	site.Close() // the site is gone, and the page is not

	kept, err := web.Open(ctx, blobs, page.Ref)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(kept.Outcome, kept.MediaType, kept.Size)
	fmt.Println(kept.BodyRef)
	// Output:
	// ok text/html 75
	// sha256:651c7dca3588a345c80340e784cbc586384df0d80236ac583553e8ce9de7fef1
}
