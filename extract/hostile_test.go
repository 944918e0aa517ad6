package extract

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

const (
	hostileTime   = 10 * time.Second
	hostileMemory = 300 << 20
)

// TestHostile reads what is made to use up memory or time. Each input must end, with
// a document or an error, within the limits.
func TestHostile(t *testing.T) {
	if raceEnabled || testing.Short() {
		t.Skip("time and memory are measured, in full runs without the race detector")
	}
	times := strings.Repeat
	tests := []struct {
		name   string
		format Format
		src    func() string
		text   string // that must be there
	}{
		{"a hundred thousand levels", HTML, func() string {
			return "<p>start</p>" + times("<div>", 100_000) + "inside" + times("</div>", 100_000) + "<p>end"
		}, "start\n\ninside\n\nend"},
		{"levels of formatting", HTML, func() string { return times("<div><b><span><i>", 50_000) + "inside<p>end" }, "end"},
		{"formatting that is never closed", HTML, func() string { return times("<p><font a=1><font b>x</p>", 100_000) }, "x\n\nx"},
		{"tables in tables", HTML, func() string { return times("<table><tr><td>", 100_000) + "x" }, "x"},
		{"a million attributes", HTML, func() string {
			var sb strings.Builder
			for i := range 1_000_000 {
				fmt.Fprintf(&sb, "a%d=1 ", i)
			}
			return "<p>start<p " + sb.String()[:8_000_000] + ">text</p>after"
		}, "start\n\ntext\n\nafter"},
		{"many attributes in many elements", HTML, func() string { return times("<p "+times("a ", 400)+">x", 18_000) }, "x\n\nx"},
		{"five million elements", HTML, func() string { return times("<p>x", 4<<20) }, "x\n\nx"},
		{"five million links", HTML, func() string { return times("<a href=x>x", 16<<20/11) }, "xxx"},
		{"cells that span", HTML, func() string { return "<table>" + times("<tr><td rowspan=60000>x<td colspan=60000>y", 1<<18) }, "x\ty"},
		{"comments", HTML, func() string { return "<p>x" + times("<!--", 4<<20) }, ""},
		{"a comment without end", HTML, func() string { return "<p>x<!-- " + times("a b", 5<<20) }, "x"},
		{"less than", HTML, func() string { return times("<", 16<<20) }, "<<<"},
		{"rules of style", HTML, func() string {
			return "<style>" + times(".a .b .c .d{display:none}", 40_000) + "</style>" + times("<div class='d a'>x", 400) + times("<p class='d'>x</p>", 200_000)
		}, "x\n\nx"},
		{"classes", HTML, func() string {
			return "<style>" + times(".a{display:none}", 40_000) + "</style><p class='" + times("a ", 1_000_000) + "'>x</p>y"
		}, "y"},
		{"a long text", Plain, func() string { return times("words and words ", 4<<20-1) }, "words"},
		{"values in values", JSON, func() string { return times(`{"a":`, 2<<20) }, ""},
		{"values", JSON, func() string { return "[" + times("1,", 4<<20) + "1]" }, "1\n1"},
		{"elements of XML in elements", Feed, func() string { return "<rss>" + times("<a>", 4<<20) }, ""},
		{"entries", Feed, func() string { return "<rss>" + times("<item><title>x</title></item>", 200_000) }, "x"},
		{"entities", Feed, func() string {
			return `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><rss><channel><title>x&b;</title></channel></rss>`
		}, "x"},
		{"quotations in quotations", Markdown, func() string { return times("> ", 100_000) + "x" }, "x"},
		{"lists in lists", Markdown, func() string { return times("- ", 100_000) + "x" }, "x"},
		{"emphasis", Markdown, func() string { return times("*a_ ", 100_000) + "x" }, "a_"},
		{"lines of Markdown", Markdown, func() string { return times("- a\n> b\n", 200_000) }, "a\n\nb"},
		{"numbers in numbers", RST, func() string { return times("1. ", 1_000_000) + "x" }, "x"},
		{"backquotes", RST, func() string { return times("`a ", 1_000_000) + "x" }, "x"},
		{"rows", CSV, func() string { return times("a,b,c\n", 2<<20) }, "a\tb\tc"},
		{"cells", CSV, func() string { return times(",", 12<<20) }, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			data := []byte(test.src())
			debug.FreeOSMemory()
			var before, now runtime.MemStats
			runtime.ReadMemStats(&before)
			var peak uint64
			stop, stopped := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(stopped)
				tick := time.NewTicker(20 * time.Millisecond)
				defer tick.Stop()
				for {
					select {
					case <-stop:
						return
					case <-tick.C:
						runtime.ReadMemStats(&now)
						peak = max(peak, now.HeapInuse+now.StackInuse)
					}
				}
			}()
			start := time.Now()
			doc, err := Read(t.Context(), data, Hint{Format: test.format})
			took := time.Since(start)
			close(stop)
			<-stopped
			used := int64(peak) - int64(before.HeapInuse)
			t.Logf("%d KiB: %v, %d MiB, %v", len(data)>>10, took.Round(time.Millisecond), used>>20, err)
			if took > hostileTime || used > hostileMemory {
				t.Errorf("took %v and %d MiB, more than %v or %d MiB", took, used>>20, hostileTime, hostileMemory>>20)
			}
			if err != nil {
				if test.text != "" || !errors.Is(err, ErrTooLarge) && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrEmpty) {
					t.Error(err)
				}
				return
			}
			check(t, doc)
			if !strings.Contains(doc.Text, test.text) {
				t.Errorf("%q is not in the text", test.text)
			}
		})
	}
}
