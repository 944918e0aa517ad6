package fictional_test

import (
	"context"
	"fmt"
	"log"

	"github.com/quarry-sdk/quarry/research/fictional"
	"github.com/quarry-sdk/quarry/web"
	"github.com/quarry-sdk/quarry/web/search"
)

func ExampleListen() {
	site, err := fictional.Listen(fictional.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer site.Close()
	fetcher, err := web.New(web.Config{Guard: site.Guard(), HostInterval: -1})
	if err != nil {
		log.Fatal(err)
	}
	defer fetcher.Close()
	for _, url := range []string{"http://www.lena-hartwig.example/", "http://www.tramora.example/app", "http://elsewhere.example/"} {
		page, err := fetcher.Fetch(context.Background(), web.Request{URL: url})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(page.Outcome, url)
	}
	// Output:
	// ok http://www.lena-hartwig.example/
	// script_shell http://www.tramora.example/app
	// unreachable http://elsewhere.example/
}

func ExampleWeb_Provider() {
	site, err := fictional.New(fictional.Config{})
	if err != nil {
		log.Fatal(err)
	}
	results, err := site.Provider().Search(context.Background(), search.Query{Text: "Sundgate footbridge", Max: 2})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range results {
		fmt.Println(r.URL)
	}
	// Output:
	// http://www.coastdaily.example/2023/09/sundgate-footbridge
	// http://www.idris-molander.example/bridges
}

func ExampleReadTruth() {
	truth, err := fictional.ReadTruth()
	if err != nil {
		log.Fatal(err)
	}
	roles := truth.Subject("hartwig-engineer").Field("current_roles")
	for _, v := range roles.Values {
		fmt.Println(v.Standing, "-", v.Normal)
	}
	// Output:
	// right - Chief technology officer of Tramora since 1 July 2022
	// right - Maintainer of gleis since 2016
	// stale - Chief executive of Tramora
	// false - Professor at Norderhaven University
}
