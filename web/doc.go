// Package web fetches pages of the public web and keeps them, so that what was
// quoted from them can be checked later without a network.
//
//	blobs, err := blob.Open(".quarry/blobs")
//	if err != nil {
//		return err
//	}
//	fetcher, err := web.New(web.Config{Blobs: blobs})
//	if err != nil {
//		return err
//	}
//	page, err := fetcher.Fetch(ctx, web.Request{URL: "https://example.org/report"})
//	if err != nil {
//		return err // the context has ended, or the disk is full
//	}
//	if page.Outcome != web.OK {
//		return errors.New(page.Reason) // "the host asks who you are before it shows the page."
//	}
//	page, err = web.Open(ctx, blobs, page.Ref) // the very same, next year
//
// Most callers need [New], [Fetcher.Fetch] and [Open].
//
// What is promised:
//
//   - Each fetch ends in one [Outcome], whatever the network and the host do, with
//     the [Signal]s that led to it. Walls that are served as pages are told from
//     pages.
//   - No address is reached that is not on the public web, unless the configuration
//     names it; see package guard. Proxies of the environment are not used.
//   - Time, size and decompression are bounded. robots.txt is honoured, hosts are not
//     asked too often, and what they say of when to come back holds for all who
//     share the fetcher. No cookies are kept, and no referrer is sent.
//   - A snapshot has the bytes of the page, content codings taken off, under their
//     SHA-256, and what was said with them. The same bytes are kept once.
//
// What is not promised: that a page is recognised as a wall, or is none; the
// wording of reasons; the set of signals. Walls change.
package web
