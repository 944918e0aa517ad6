package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"time"

	"github.com/quarry-sdk/quarry/blob"
	"github.com/quarry-sdk/quarry/extract"
)

// SnapshotVersion is the version of the record of a snapshot that this package
// writes.
const SnapshotVersion = 1

// Snapshot is what a fetch came to. It is shared by all who asked for it, and must
// not be changed.
type Snapshot struct {
	// Version is that of the record, [SnapshotVersion].
	Version int `json:"version"`
	// Ref is the reference under which the record is kept; empty if it is not.
	Ref string `json:"-"`

	// URL is what was asked for, and FinalURL what answered, both without fragment.
	URL      string `json:"url"`
	FinalURL string `json:"final_url,omitempty"`
	// Redirects are the answers that led from URL to FinalURL.
	Redirects []Redirect `json:"redirects,omitempty"`

	Outcome Outcome `json:"outcome"`
	// Reason is a sentence that tells why.
	Reason string `json:"reason"`
	// Signals are what was seen that led to the outcome, and to no other.
	Signals []Signal `json:"signals,omitempty"`
	// Warnings say what a reader of the body should know: "damaged", "truncated",
	// "encoding" or "cut".
	Warnings []extract.Warning `json:"warnings,omitempty"`

	// Status is the code of the last answer, 0 if there was none.
	Status int `json:"status,omitempty"`
	// Proto is the protocol of the last answer, such as "HTTP/2.0".
	Proto string `json:"proto,omitempty"`
	// Header is that of the last answer, without cookies and what is said to
	// authenticate.
	Header http.Header `json:"header,omitempty"`
	// RequestHeader is that of the last request.
	RequestHeader http.Header `json:"request_header,omitempty"`
	// RemoteAddr is the address and port that answered.
	RemoteAddr string `json:"remote_addr,omitempty"`

	// MediaType is what the body is by its bytes, else by the header, else by the
	// name's ending, such as "text/html" or "application/pdf".
	MediaType string `json:"media_type,omitempty"`
	// Codings are the content codings that were taken off, the last applied first.
	Codings []string `json:"codings,omitempty"`
	// BodyRef is the SHA-256 of the body, as a reference of package blob; empty if
	// no body was kept.
	BodyRef string `json:"body,omitempty"`
	// Size is the length of the body, and WireSize that of what was received for
	// it, codings included; WireRef is the SHA-256 of that.
	Size     int64  `json:"size"`
	WireSize int64  `json:"wire_size"`
	WireRef  string `json:"wire,omitempty"`

	// Started and Finished are when the fetch did.
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	// Requests is how often the host was asked for a page, robots.txt apart.
	Requests int `json:"requests"`
	// RetryAt is when a host that limits the rate may be asked again.
	RetryAt time.Time `json:"retry_at,omitzero"`
	// Revalidated is the reference of the earlier snapshot whose body the host said
	// is still the page (status 304).
	Revalidated string `json:"revalidated,omitempty"`
	// Renderer is the program that ran the page's scripts; the body is then what it
	// made of the page. It is empty for a body that the host sent.
	Renderer string `json:"renderer,omitempty"`
	// Unrendered is the reference of the body that the host sent, where Renderer is
	// set.
	Unrendered string `json:"unrendered,omitempty"`

	body []byte
}

// Redirect is an answer that leads to another URL.
type Redirect struct {
	URL    string `json:"url"`
	Status int    `json:"status"`
	// Location is where it leads, as the answer has it.
	Location string `json:"location"`
}

// Body returns the bytes of the page, content codings taken off. They must not be
// changed.
func (s *Snapshot) Body() []byte { return s.body }

// FetchedAt is the time that the snapshot speaks of: when the answer was complete.
func (s *Snapshot) FetchedAt() time.Time { return s.Finished }

// Blobs keep bytes by their SHA-256; package blob has one in files.
type Blobs interface {
	// Put keeps data and returns its reference.
	Put(ctx context.Context, data []byte) (ref string, err error)
	// Get returns the bytes, checked against the reference.
	Get(ctx context.Context, ref string) ([]byte, error)
}

// Save keeps a snapshot: its body, if it has one, and its record. It sets s.Ref,
// which [Open] takes.
func Save(ctx context.Context, blobs Blobs, s *Snapshot) error {
	if s.BodyRef != "" {
		ref, err := blobs.Put(ctx, s.body)
		if err != nil {
			return fmt.Errorf("save snapshot of %s: %w", clip(s.URL), err)
		}
		if ref != s.BodyRef {
			return fmt.Errorf("save snapshot of %s: the store names its body %s, and it is %s (use a store that names bytes by SHA-256)", clip(s.URL), ref, s.BodyRef)
		}
	}
	record, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("save snapshot of %s: %w", clip(s.URL), err)
	}
	if s.Ref, err = blobs.Put(ctx, record); err != nil {
		return fmt.Errorf("save snapshot of %s: %w", clip(s.URL), err)
	}
	return nil
}

// Open reads a snapshot that was kept, with its body: all that later checks need.
// The error for a record or a body that is not there wraps what the store returns.
func Open(ctx context.Context, blobs Blobs, ref string) (*Snapshot, error) {
	record, err := blobs.Get(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("open snapshot %s: %w", ref, err)
	}
	s, err := Parse(record)
	if err != nil {
		return nil, fmt.Errorf("open snapshot %s: %w", ref, err)
	}
	s.Ref = ref
	if s.BodyRef != "" {
		body, err := blobs.Get(ctx, s.BodyRef)
		if err != nil {
			return nil, fmt.Errorf("open snapshot %s: read its body: %w", ref, err)
		}
		if err := s.Attach(body); err != nil {
			return nil, fmt.Errorf("open snapshot %s: %w", ref, err)
		}
	}
	return s, nil
}

// Parse reads the record of a snapshot. [Snapshot.Attach] gives it its body.
func Parse(record []byte) (*Snapshot, error) {
	s := new(Snapshot)
	if err := json.Unmarshal(record, s); err != nil {
		return nil, fmt.Errorf("parse record of a snapshot: %w", err)
	}
	switch {
	case s.Version < 1:
		return nil, errors.New("parse record of a snapshot: it has no version, so it is the record of something else")
	case s.Version > SnapshotVersion:
		return nil, fmt.Errorf("parse record of a snapshot: it is of version %d, and this program reads versions up to %d (use a newer one)", s.Version, SnapshotVersion)
	case s.URL == "" || !slices.Contains(Outcomes(), s.Outcome):
		return nil, fmt.Errorf("parse record of a snapshot: it has no URL or an unknown outcome, %q", clip(string(s.Outcome)))
	case s.BodyRef != "" && blob.CheckRef(s.BodyRef) != nil:
		return nil, fmt.Errorf("parse record of a snapshot: %w", blob.CheckRef(s.BodyRef))
	case s.Size < 0 || s.WireSize < 0:
		return nil, errors.New("parse record of a snapshot: a size is negative")
	}
	return s, nil
}

// Attach gives a snapshot that was parsed its body. It returns an error for bytes
// that are not those of the record.
func (s *Snapshot) Attach(body []byte) error {
	if ref := blob.Ref(body); ref != s.BodyRef {
		return fmt.Errorf("attach body to the snapshot of %s: the bytes are %s, and the record has %q", clip(s.URL), ref, s.BodyRef)
	}
	if int64(len(body)) != s.Size {
		return fmt.Errorf("attach body to the snapshot of %s: there are %d bytes, and the record has %d", clip(s.URL), len(body), s.Size)
	}
	s.body = body
	return nil
}

// setBody makes bytes the body.
func (s *Snapshot) setBody(body []byte) {
	s.body, s.BodyRef, s.Size = body, blob.Ref(body), int64(len(body))
}

// dropBody forgets the body of an outcome that nobody would look at.
func (s *Snapshot) dropBody() {
	s.body, s.BodyRef, s.Size = nil, "", 0
}

// end sets the outcome.
func (s *Snapshot) end(o Outcome, reason string, signals ...Signal) {
	s.Outcome, s.Reason, s.Signals = o, reason, signals
}

func (s *Snapshot) warn(code, message string) {
	s.Warnings = append(s.Warnings, extract.Warning{Code: code, Message: message})
}

// secretHeaders are left out of what is kept.
var secretHeaders = []string{
	"Authentication-Info", "Authorization", "Cookie", "Proxy-Authenticate", "Proxy-Authentication-Info",
	"Proxy-Authorization", "Set-Cookie", "Set-Cookie2", "Www-Authenticate", "X-Csrf-Token", "X-Xsrf-Token",
}

// publicHeader is a copy of h without secrets.
func publicHeader(h http.Header) http.Header {
	h = h.Clone()
	for _, name := range secretHeaders {
		h.Del(name)
	}
	return h
}

func clip(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}

// Hint is what the snapshot knows of its bytes, for package extract.
func (s *Snapshot) Hint() extract.Hint {
	h := extract.Hint{URL: s.FinalURL, ContentType: s.Header.Get("Content-Type")}
	if u, err := url.Parse(s.FinalURL); err == nil {
		h.Name = path.Base(u.Path)
	}
	return h
}
