// Package fictional is a small web of our own: some eighty pages on two dozen hosts, and
// a truth file that says what is right on them. The tests, the demonstration and the
// evaluation of the research engine run on it, without a network and without anything of
// other people's.
//
//	site, err := fictional.Listen(fictional.Config{})
//	if err != nil {
//		return err
//	}
//	defer site.Close()
//	fetcher, err := web.New(web.Config{Guard: site.Guard(), HostInterval: -1})
//	if err != nil {
//		return err
//	}
//	page, err := fetcher.Fetch(ctx, web.Request{URL: "http://www.lena-hartwig.example/"})
//
// Most callers need [Listen], [Server.Guard], [Web.Provider] and [ReadTruth].
//
// Two people are called Lena Hartwig: one is an ecologist who counts seagrass, the other
// writes software for trams. An engineer who builds bridges and a maker of probes are
// there so that rules are not made for one subject. The pages disagree, grow old, copy
// each other, hide behind walls and lie, as pages do; [Truth] lists what is right, what
// was right once, on what the sources disagree, what is hearsay, what is false, and every
// trap that was set. The day on which the web is looked at is [Truth.AsOf].
//
// All persons, institutions, companies and events are invented, and their hosts are below
// .example, which RFC 2606 keeps from being anybody's. Likeness to anyone is chance.
//
// What is promised: the same bytes at every request, pages found by their words and
// nothing else, and quotes in the truth file that stand in their pages. What is not: that
// pages and truth stay the same in the next version.
package fictional
