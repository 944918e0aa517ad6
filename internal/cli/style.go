package cli

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// style colours text; the zero value leaves it plain.
type style struct{ on bool }

// styleOf colours only on a terminal, and never where NO_COLOR is set.
func styleOf(w io.Writer) style {
	f, ok := w.(*os.File)
	return style{ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))}
}

func (s style) paint(code, text string) string {
	if !s.on {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(text string) string { return s.paint("1", text) }
func (s style) dim(text string) string  { return s.paint("2", text) }
func (s style) warn(text string) string { return s.paint("33", text) }

func width(s string) int { return uniseg.StringWidth(s) }

func itoa(n int) string { return strconv.Itoa(n) }

// tokens shows a number of tokens in few characters.
func tokens(n int64) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%.1fM tokens", float64(n)/1e6)
	case n >= 10_000:
		return fmt.Sprintf("%.1fk tokens", float64(n)/1e3)
	case n == 1:
		return "1 token"
	}
	return fmt.Sprintf("%d tokens", n)
}

// seconds shows a duration in few characters.
func seconds(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}
