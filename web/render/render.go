package render

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/quarry-sdk/quarry/web"
	"github.com/quarry-sdk/quarry/web/guard"
)

// Config says how pages are rendered. The zero value uses the browser of the
// machine on the public web.
type Config struct {
	// Browser is the program. Defaults to what [Find] finds.
	Browser string
	// Concurrency is how many browsers run at the same time. Defaults to 2.
	Concurrency int
	// Guard says which addresses may be reached, as in web.Config. Defaults to the
	// public web.
	Guard guard.Config
	// MaxBytes is how much a page may load, and how large what is made of it may be.
	// Defaults to 32 MiB.
	MaxBytes int64
	// NoSandbox runs the browser without its sandbox, as it has to be where the user
	// is root, or where a container forbids what the sandbox needs. The sandbox is
	// what keeps a page that breaks the browser from the machine: without it, run
	// the program in a container that has nothing to lose. Defaults to false.
	NoSandbox bool
	// Settle is how long nothing on the page may change, and nothing be loaded,
	// before it is taken. Defaults to 500 ms.
	Settle time.Duration
	// Timeout is the time for a page, start of the browser included. A page that
	// does not settle is taken as it is when two thirds of it have passed. Defaults
	// to 30 s.
	Timeout time.Duration
	// UserAgent is the header User-Agent; use that of the fetcher. Defaults to
	// that of web.Config.
	UserAgent string
}

// Renderer renders pages. It may be used by many goroutines at once.
type Renderer struct {
	config Config
	guard  *guard.Guard
	slots  chan struct{}
}

var _ web.Renderer = (*Renderer)(nil)

// New returns a renderer. The error for a machine without a browser is
// [ErrNoBrowser].
func New(c Config) (*Renderer, error) {
	if c.Concurrency < 0 || c.MaxBytes < 0 || c.Settle < 0 || c.Timeout < 0 {
		return nil, errors.New("new renderer: a limit is negative (leave it out for its default)")
	}
	if c.Browser == "" {
		path, err := Find()
		if err != nil {
			return nil, err
		}
		c.Browser = path
	}
	g, err := guard.New(c.Guard)
	if err != nil {
		return nil, fmt.Errorf("new renderer: %w", err)
	}
	if c.Concurrency == 0 {
		c.Concurrency = 2
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = 32 << 20
	}
	if c.Settle == 0 {
		c.Settle = 500 * time.Millisecond
	}
	if c.Timeout == 0 {
		c.Timeout = 30 * time.Second
	}
	if c.UserAgent == "" {
		c.UserAgent = "Quarry/1 (+https://github.com/quarry-sdk/quarry)"
	}
	return &Renderer{config: c, guard: g, slots: make(chan struct{}, c.Concurrency)}, nil
}

// Render loads a page, waits until its scripts have come to rest, and returns what
// they made of it.
func (r *Renderer) Render(ctx context.Context, url string) (*web.Rendered, error) {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, r.config.Timeout)
	defer cancel()
	p, err := newProxy(ctx, r.guard, r.config.MaxBytes)
	if err != nil {
		return nil, err
	}
	defer p.close()
	dir, err := os.MkdirTemp("", "quarry-render-")
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", url, err)
	}
	defer os.RemoveAll(dir)
	if err := writePreferences(dir); err != nil {
		return nil, fmt.Errorf("render %s: %w", url, err)
	}
	got, err := r.visit(ctx, url, dir, p.addr())
	switch {
	case p.left.Load() <= 0:
		return nil, fmt.Errorf("render %s: it loads more than %d bytes", url, r.config.MaxBytes)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("render %s: it is not done within %v: %w", url, r.config.Timeout, context.Cause(ctx))
	case err != nil:
		return nil, fmt.Errorf("render %s: %w", url, err)
	}
	return got, nil
}

// options are the flags of the browser.
func (r *Renderer) options(dir, proxy string) []chromedp.ExecAllocatorOption {
	opts := append(chromedp.DefaultExecAllocatorOptions[:len(chromedp.DefaultExecAllocatorOptions):len(chromedp.DefaultExecAllocatorOptions)],
		chromedp.ExecPath(r.config.Browser),
		chromedp.UserDataDir(dir),
		chromedp.UserAgent(r.config.UserAgent),
		chromedp.DisableGPU,
		chromedp.NoInheritEnv,
		chromedp.Env("HOME="+dir, "PATH="+os.Getenv("PATH"), "TMPDIR="+dir),
		// All goes through the proxy, what is meant for loopback too; what would go
		// around it is switched off, and no name is resolved.
		chromedp.ProxyServer("http://"+proxy),
		chromedp.Flag("proxy-bypass-list", "<-loopback>"),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("force-webrtc-ip-handling-policy", "disable_non_proxied_udp"), // its name in older versions
		chromedp.Flag("webrtc-ip-handling-policy", "disable_non_proxied_udp"),
		chromedp.Flag("dns-prefetch-disable", true),
		chromedp.Flag("no-pings", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-domain-reliability", true),
		chromedp.Flag("blink-settings", "imagesEnabled=false"),
		chromedp.Flag("js-flags", "--max-old-space-size=256"),
		chromedp.Flag("mute-audio", true),
		chromedp.WSURLReadTimeout(r.config.Timeout),
	)
	if r.config.NoSandbox {
		opts = append(opts, chromedp.NoSandbox)
	}
	return opts
}

// preferences keep WebRTC from sending packets around the proxy. The flags for it
// have changed their names, and a browser does not tell that it ignores one.
const preferences = `{"webrtc": {"ip_handling_policy": "disable_non_proxied_udp", "multiple_routes_enabled": false, "nonproxied_udp_enabled": false},
"profile": {"default_content_setting_values": {"popups": 2, "notifications": 2, "geolocation": 2, "media_stream": 2}}}`

// writePreferences prepares the profile of a browser.
func writePreferences(dir string) error {
	if err := os.Mkdir(filepath.Join(dir, "Default"), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "Default", "Preferences"), []byte(preferences), 0o600)
}

// visit runs a browser for one page.
func (r *Renderer) visit(ctx context.Context, url, dir, proxy string) (*web.Rendered, error) {
	alloc, endAlloc := chromedp.NewExecAllocator(ctx, r.options(dir, proxy)...)
	defer endAlloc()
	var l loads
	dialogs := make(chan struct{}, 1)
	tab, endTab := chromedp.NewContext(alloc, chromedp.WithErrorf(func(string, ...any) {}), chromedp.WithLogf(func(string, ...any) {}),
		chromedp.WithListener(func(ev any) {
			l.see(ev)
			if _, ok := ev.(*page.EventJavascriptDialogOpening); ok {
				select {
				case dialogs <- struct{}{}:
				default:
				}
			}
		}))
	defer endTab()
	return chromedp.Run(tab, func(ctx context.Context, t *chromedp.Target) (*web.Rendered, error) {
		ctx, end := context.WithCancel(ctx)
		var closing sync.WaitGroup
		defer closing.Wait()
		defer end()
		closing.Go(func() { closeDialogs(ctx, t, dialogs) })
		return r.read(ctx, t, &l, url)
	})
}

// closeDialogs answers the dialogs that scripts open, which would stop the page.
func closeDialogs(ctx context.Context, t *chromedp.Target, opened <-chan struct{}) {
	for {
		select {
		case <-opened:
			cdp.Call(ctx, t, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{})
		case <-ctx.Done():
			return
		}
	}
}

// read loads a page in a tab and takes it when it has come to rest.
func (r *Renderer) read(ctx context.Context, t *chromedp.Target, l *loads, url string) (*web.Rendered, error) {
	got := new(web.Rendered)
	version, err := chromedp.CallBrowser(ctx, browser.GetVersion, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	got.Renderer = "chromium/" + version.Product[strings.LastIndexByte(version.Product, '/')+1:]
	if _, err := chromedp.CallBrowser(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorDeny}); err != nil {
		return nil, err
	}
	if _, err := cdp.Call(ctx, t, network.Enable, network.EnableParams{}); err != nil {
		return nil, err
	}
	went, err := cdp.Call(ctx, t, page.Navigate, page.NavigateParams{URL: url})
	if err != nil {
		return nil, err
	}
	if went.ErrorText != "" {
		return nil, errors.New(went.ErrorText)
	}
	if err := r.settle(ctx, t, l); err != nil {
		return nil, err
	}
	return got, r.take(ctx, t, got)
}

// loads counts what a page is loading.
type loads struct {
	mu   sync.Mutex
	open map[network.RequestID]bool
	last time.Time
}

func (l *loads) see(ev any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = make(map[network.RequestID]bool)
	}
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		l.open[ev.RequestID] = true
	case *network.EventLoadingFinished:
		delete(l.open, ev.RequestID)
	case *network.EventLoadingFailed:
		delete(l.open, ev.RequestID)
	default:
		return
	}
	l.last = time.Now()
}

// quiet tells whether nothing has been loaded for a time.
func (l *loads) quiet(d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open) == 0 && time.Since(l.last) >= d
}

// restScript is done when nothing has changed for a time, or after two seconds.
const restScript = `new Promise(done => {
	const rest = %d;
	let timer = setTimeout(done, rest);
	new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(done, rest) })
		.observe(document, {subtree: true, childList: true, characterData: true});
	setTimeout(done, 2000);
})`

// settle waits until the page has loaded and does not change any more, or until two
// thirds of the time have passed.
func (r *Renderer) settle(ctx context.Context, t *chromedp.Target, l *loads) error {
	deadline := time.Now().Add(r.config.Timeout * 2 / 3)
	if d, ok := ctx.Deadline(); ok && deadline.After(d.Add(-r.config.Timeout/3)) {
		deadline = d.Add(-r.config.Timeout / 3)
	}
	for time.Now().Before(deadline) {
		began := time.Now()
		state, err := evaluate[string](ctx, t, fmt.Sprintf(restScript, r.config.Settle.Milliseconds())+`.then(() => document.readyState)`)
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			// The page went elsewhere meanwhile: its world is gone.
			if err := pause(ctx, 50*time.Millisecond); err != nil {
				return err
			}
			continue
		}
		if state == "complete" && l.quiet(r.config.Settle) && time.Since(began) < 2*time.Second {
			return nil
		}
	}
	return nil
}

// take reads the page as it is.
func (r *Renderer) take(ctx context.Context, t *chromedp.Target, got *web.Rendered) error {
	const html = `((document.doctype ? "<!DOCTYPE " + document.doctype.name + ">\n" : "") + document.documentElement.outerHTML)`
	size, err := evaluate[int64](ctx, t, html+".length")
	if err != nil {
		return err
	}
	if size > r.config.MaxBytes {
		return fmt.Errorf("its scripts made a page of %d characters, and no more than %d are taken", size, r.config.MaxBytes)
	}
	text, err := evaluate[string](ctx, t, html)
	if err != nil {
		return err
	}
	got.HTML = []byte(text)
	got.FinalURL, err = evaluate[string](ctx, t, "location.href")
	return err
}

// evaluate runs a script in a world of its own, where the page's scripts cannot
// have changed what functions do.
func evaluate[T any](ctx context.Context, t *chromedp.Target, script string) (T, error) {
	var zero T
	tree, err := cdp.Call(ctx, t, page.GetFrameTree, cdp.Empty{})
	if err != nil {
		return zero, err
	}
	world, err := cdp.Call(ctx, t, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: tree.FrameTree.Frame.ID, WorldName: "quarry"})
	if err != nil {
		return zero, err
	}
	wait := true
	return chromedp.Evaluate[T](script, func(p *runtime.EvaluateParams) {
		p.ContextID, p.AwaitPromise = world.ExecutionContextID, &wait
	})(ctx, t)
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
