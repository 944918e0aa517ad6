package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxMessage bounds one message of a server, in bytes.
const maxMessage = 64 << 20

// errTooLong ends a connection.
var errTooLong = fmt.Errorf("the server sent a message of more than %d MiB", maxMessage>>20)

// errHalfWritten ends a connection: what follows would be read as the rest of
// the message.
var errHalfWritten = errors.New("a message was written in part")

// stream is what lines go over: the pipes of a process, or one in memory.
type stream interface {
	io.ReadWriteCloser
	SetWriteDeadline(time.Time) error
}

// lineConn is a connection with a JSON-RPC message in each line. A line that is
// no message, as of a server that greets on stdout, is handed to noise and
// passed over.
type lineConn struct {
	stream stream
	reader *bufio.Reader
	tap    *tap
	noise  func(line []byte)
	limit  int
	// queue are the messages of a batch that were not read yet.
	queue []jsonrpc.Message

	mu     sync.Mutex // one writer at a time
	broken bool
}

func newLineConn(s stream, t *tap, noise func([]byte)) *lineConn {
	return &lineConn{stream: s, reader: bufio.NewReaderSize(s, 64<<10), tap: t, noise: noise, limit: maxMessage}
}

// Connect implements sdk.Transport.
func (c *lineConn) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// SessionID implements sdk.Connection.
func (c *lineConn) SessionID() string { return "" }

// Close implements sdk.Connection.
func (c *lineConn) Close() error { return c.stream.Close() }

// Read implements sdk.Connection. Close ends it.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(c.queue) > 0 {
			msg := c.queue[0]
			c.queue = c.queue[1:]
			return msg, nil
		}
		line, err := readLine(c.reader, c.limit)
		if line = bytes.TrimSpace(line); len(line) > 0 && err == nil {
			c.decode(line)
		}
		if err != nil {
			return nil, err
		}
	}
}

// decode queues the messages of a line.
func (c *lineConn) decode(line []byte) {
	parts := []json.RawMessage{line}
	if line[0] == '[' && json.Unmarshal(line, &parts) != nil {
		c.noise(line)
		return
	}
	for _, part := range parts {
		msg, err := jsonrpc.DecodeMessage(c.tap.received(part))
		if err != nil {
			c.noise(part)
			continue
		}
		c.queue = append(c.queue, msg)
	}
}

// Write implements sdk.Connection. A server that does not read blocks it until
// ctx ends.
func (c *lineConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.broken {
		return errHalfWritten
	}
	c.tap.sent(data)
	fired := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = c.stream.SetWriteDeadline(time.Unix(1, 0))
		close(fired)
	})
	n, err := c.stream.Write(append(data, '\n'))
	if !stop() {
		<-fired
		_ = c.stream.SetWriteDeadline(time.Time{})
	}
	switch {
	case err == nil:
		return nil
	case n > 0:
		c.broken = true
		return errHalfWritten
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return err
}

// readLine reads a line of at most limit bytes.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > limit {
			return nil, errTooLong
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
