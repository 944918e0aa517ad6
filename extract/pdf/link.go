package pdf

import (
	"context"
	"net/url"
)

// link is a link of a page, before it is known where its text is.
type link struct {
	area box
	url  string
}

// linkLimit is how many links of a page are read.
const linkLimit = 500

// links reads the links of a page to addresses of the web.
func (in *instance) links(ctx context.Context, doc, handle uint64) ([]link, error) {
	p, err := in.buffer(ctx)
	if err != nil {
		return nil, err
	}
	var out []link
	at, annotation, area := uint64(p), uint64(p)+4, uint64(p)+8
	in.module.Memory().WriteUint32Le(p, 0)
	for range linkLimit {
		more, err := in.call(ctx, "FPDFLink_Enumerate", handle, at, annotation)
		if err != nil {
			return nil, err
		}
		if int32(more) == 0 {
			break
		}
		position := in.uint32(p)
		handle := uint64(in.uint32(p + 4))
		action, err := in.call(ctx, "FPDFLink_GetAction", handle)
		if err != nil {
			return nil, err
		}
		ok, err := in.call(ctx, "FPDFLink_GetAnnotRect", handle, area)
		if err != nil {
			return nil, err
		}
		b := box{left: in.float32(p + 8), top: in.float32(p + 12), right: in.float32(p + 16), bottom: in.float32(p + 20)}
		if uint32(action) != 0 && int32(ok) != 0 {
			raw, err := in.narrow(ctx, "FPDFAction_GetURIPath", doc, action)
			if err != nil {
				return nil, err
			}
			if u := address(raw); u != "" {
				out = append(out, link{b, u})
			}
		}
		in.module.Memory().WriteUint32Le(p, position) // narrow has written over it
	}
	return out, nil
}

// address returns an absolute address of the web, or nothing.
func address(raw []byte) string {
	if n := len(raw); n > 0 && raw[n-1] == 0 {
		raw = raw[:n-1]
	}
	u, err := url.Parse(string(raw))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.String()
}
