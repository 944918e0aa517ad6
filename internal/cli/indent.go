package cli

import (
	"bytes"
	"io"
)

// indenter puts a lead before each line. It is given whole lines.
type indenter struct {
	w    io.Writer
	lead string
}

// Write implements io.Writer.
func (i *indenter) Write(p []byte) (int, error) {
	var out bytes.Buffer
	for l := range bytes.Lines(p) {
		out.WriteString(i.lead)
		out.Write(l)
	}
	if _, err := i.w.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}
