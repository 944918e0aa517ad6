package fictional

import "time"

// Config says how the web behaves. The zero value answers at once, but for the page that
// is slow.
type Config struct {
	// Latency is how long every answer waits. Defaults to 0.
	Latency time.Duration
	// SlowPage is how long the one slow page waits. Defaults to 2 s; negative means not
	// at all.
	SlowPage time.Duration
}

func (c Config) filled() Config {
	switch {
	case c.SlowPage == 0:
		c.SlowPage = 2 * time.Second
	case c.SlowPage < 0:
		c.SlowPage = 0
	}
	c.Latency = max(c.Latency, 0)
	return c
}
