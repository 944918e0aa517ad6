package session

import "sync"

// mailbox takes mail from any number of goroutines without ever blocking them,
// also when nobody reads any more.
type mailbox struct {
	// ready holds a token whenever mail may have arrived.
	ready chan struct{}
	// room has a token for each observation that may still be put in; see seen.
	room  chan struct{}
	mu    sync.Mutex
	items []mail
}

// mail is the outcome of an effect, or something to be seen of a child.
type mail struct {
	// effect is what has come to its end; nil where seen is set.
	effect  Effect
	outcome Event
	// spent is what a child used that was stopped.
	spent *Spent
	err   error
	seen  *Observation
}

// mailboxRoom is how many observations of children may wait to be read.
const mailboxRoom = 256

func newMailbox() *mailbox {
	return &mailbox{ready: make(chan struct{}, 1), room: make(chan struct{}, mailboxRoom)}
}

func (m *mailbox) put(item mail) {
	m.mu.Lock()
	m.items = append(m.items, item)
	m.mu.Unlock()
	m.signal()
}

// see puts in an observation. It waits while there is no room, unless done is
// closed: an observation is then lost, which the journal has anyway.
func (m *mailbox) see(o Observation, done <-chan struct{}) {
	select {
	case m.room <- struct{}{}:
		m.put(mail{seen: &o})
		return
	default:
	}
	select {
	case m.room <- struct{}{}:
		m.put(mail{seen: &o})
	case <-done:
	}
}

// take removes the oldest mail. The token stays where more is left.
func (m *mailbox) take() (item mail, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.items) == 0 {
		return mail{}, false
	}
	item = m.items[0]
	m.items[0] = mail{}
	m.items = m.items[1:]
	if len(m.items) > 0 {
		m.signal()
	}
	if item.seen != nil {
		<-m.room
	}
	return item, true
}

func (m *mailbox) signal() {
	select {
	case m.ready <- struct{}{}:
	default:
	}
}
