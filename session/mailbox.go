package session

import "sync"

// mailbox takes outcomes from any number of goroutines without ever blocking
// them, also when nobody reads any more.
type mailbox struct {
	// ready holds a token whenever outcomes may have arrived.
	ready chan struct{}
	mu    sync.Mutex
	items []Event
}

func newMailbox() *mailbox { return &mailbox{ready: make(chan struct{}, 1)} }

func (m *mailbox) put(ev Event) {
	m.mu.Lock()
	m.items = append(m.items, ev)
	m.mu.Unlock()
	m.signal()
}

// take removes the oldest outcome. The token stays where more are left.
func (m *mailbox) take() (ev Event, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.items) == 0 {
		return nil, false
	}
	ev = m.items[0]
	m.items[0] = nil
	m.items = m.items[1:]
	if len(m.items) > 0 {
		m.signal()
	}
	return ev, true
}

func (m *mailbox) signal() {
	select {
	case m.ready <- struct{}{}:
	default:
	}
}
