// Package render runs the scripts of pages in a headless Chromium that is installed
// on the machine, for pages that are empty without them. It downloads nothing.
//
//	r, err := render.New(render.Config{})
//	if errors.Is(err, render.ErrNoBrowser) {
//		... // go on without: such pages end as web.ScriptShell
//	}
//	fetcher, err := web.New(web.Config{Renderer: r, Blobs: blobs})
//
// Most callers need [New] and give what it returns to web.Config.Renderer.
//
// What is promised: all that the browser sends goes through a proxy in this process
// that dials by a guard as the fetcher does, so that no script reaches the machine
// or the networks around it; the browser itself resolves no names. Each page has a
// browser and a profile of its own, which are gone when it is done. Time and bytes
// are bounded.
//
// What is not promised: that a page is complete when it is taken, and what stands in
// frames and shadow trees. A browser runs the code of strangers: give the program
// that uses this package no more rights than it needs.
package render
