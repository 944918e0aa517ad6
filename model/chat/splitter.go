package chat

import "bytes"

// splitMode says what a splitter looks for.
type splitMode uint8

const (
	splitOff     splitMode = iota // nothing: text passes through
	splitLeading                  // a tag at the very beginning
	splitAny                      // a tag anywhere, any number of times
	splitInside                   // the end of a tag
	splitTrim                     // the first character behind the tag that is no space
)

// splitter takes text that comes in pieces apart at a pair of tags. It holds
// back only what may be a part of a tag, or what is wanted whole.
type splitter struct {
	mode        splitMode
	open, close []byte
	again       splitMode // the mode behind the closing tag
	whole       bool      // what is inside is passed on in one piece
	held        []byte
}

var (
	openThink, closeThink = []byte("<think>"), []byte("</think>")
	openCall, closeCall   = []byte("<tool_call>"), []byte("</tool_call>")
)

// newThink splits reasoning off the content, by the quirk ThinkTags. Only the
// first tag counts: behind it the model may write about tags.
func newThink(tags string, buf []byte) splitter {
	s := splitter{open: openThink, close: closeThink, again: splitOff, held: buf[:0]}
	switch tags {
	case "leading":
		s.mode = splitLeading
	case "implied":
		s.mode = splitInside
	}
	return s
}

// newCalls splits calls off the text.
func newCalls(buf []byte) splitter {
	return splitter{mode: splitAny, open: openCall, close: closeCall, again: splitAny, whole: true, held: buf[:0]}
}

// feed takes a piece of text and passes on what is sure, with whether it stood
// inside the tags.
func (s *splitter) feed(text []byte, emit func(inside bool, piece []byte) error) error {
	if s.mode == splitOff && len(s.held) == 0 {
		return emit(false, text)
	}
	s.held = append(s.held, text...)
	for {
		again, err := s.step(emit)
		if err != nil || !again {
			return err
		}
	}
}

// step does one thing with what is held; false if more text is needed.
func (s *splitter) step(emit func(bool, []byte) error) (bool, error) {
	switch s.mode {
	case splitLeading:
		rest := bytes.TrimLeft(s.held, " \t\r\n")
		switch {
		case bytes.HasPrefix(rest, s.open):
			s.drop(len(s.held) - len(rest) + len(s.open))
			s.mode = splitInside
		case bytes.HasPrefix(s.open, rest):
			return false, nil
		default:
			s.mode = splitOff
		}
		return true, nil
	case splitAny:
		i := bytes.Index(s.held, s.open)
		if i < 0 {
			return false, s.pass(false, len(s.held)-overlap(s.held, s.open), emit)
		}
		if err := s.pass(false, i, emit); err != nil {
			return false, err
		}
		s.drop(len(s.open))
		s.mode = splitInside
		return true, nil
	case splitInside:
		i := bytes.Index(s.held, s.close)
		if i < 0 {
			if s.whole {
				return false, nil
			}
			return false, s.pass(true, len(s.held)-overlap(s.held, s.close), emit)
		}
		if err := s.pass(true, i, emit); err != nil {
			return false, err
		}
		s.drop(len(s.close))
		s.mode = splitTrim
		return true, nil
	case splitTrim:
		rest := bytes.TrimLeft(s.held, " \t\r\n")
		s.drop(len(s.held) - len(rest))
		if len(rest) == 0 {
			return false, nil
		}
		s.mode = s.again
		return true, nil
	}
	return false, s.pass(false, len(s.held), emit)
}

// flush passes on what is held at the end of the text. A tag that was never
// closed ends with it; one that was never completed is text.
func (s *splitter) flush(emit func(bool, []byte) error) error {
	inside := s.mode == splitInside
	return s.pass(inside, len(s.held), emit)
}

// pass emits the first n bytes.
func (s *splitter) pass(inside bool, n int, emit func(bool, []byte) error) error {
	if n == 0 {
		return nil
	}
	err := emit(inside, s.held[:n])
	s.drop(n)
	return err
}

func (s *splitter) drop(n int) { s.held = s.held[:copy(s.held, s.held[n:])] }

// overlap is the length of the longest end of text that is a beginning of tag.
func overlap(text, tag []byte) int {
	for n := min(len(text), len(tag)-1); n > 0; n-- {
		if bytes.HasSuffix(text, tag[:n]) {
			return n
		}
	}
	return 0
}
