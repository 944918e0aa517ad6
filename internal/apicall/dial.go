package apicall

import (
	"context"
	"io"
	"net"
	"sync"
)

// pooledConn is a connection that copies request bodies through a buffer that
// it shares. Without it net/http makes a new buffer, as large as the body, for
// each request that goes over plain HTTP/1.
type pooledConn struct{ net.Conn }

var copyBuffers = sync.Pool{New: func() any { return new([16 << 10]byte) }}

// ReadFrom implements io.ReaderFrom.
func (c pooledConn) ReadFrom(r io.Reader) (int64, error) {
	buf := copyBuffers.Get().(*[16 << 10]byte)
	defer copyBuffers.Put(buf)
	// The bare writer keeps io.CopyBuffer from coming back here.
	return io.CopyBuffer(struct{ io.Writer }{c.Conn}, r, buf[:])
}

func pooledDial(dial func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return pooledConn{c}, nil
	}
}
