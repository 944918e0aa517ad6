package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// KindUnanswerable is the kind of the questions that the corpus does not answer.
const KindUnanswerable = "unanswerable"

// Question is one line of a question set.
type Question struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	// Kind groups the questions in reports, such as "fact" or "multihop".
	// KindUnanswerable has a meaning of its own.
	Kind string `json:"kind"`
	// GoldDocs are the documents that hold the answer. A question of several
	// parts may need all of them.
	GoldDocs []string `json:"gold_docs"`
	// AlsoOK are the other documents that may be cited.
	AlsoOK []string `json:"also_ok"`
	// AnswerAny are regular expressions in RE2 syntax, matched without regard to
	// case on the answer with its white space collapsed. One of them must match.
	AnswerAny []string `json:"answer_any"`
	// AnswerAll must all occur in the answer, without regard to case.
	AnswerAll []string `json:"answer_all"`
	// Quote and Quote2 are the reference passages.
	Quote  string `json:"quote"`
	Quote2 string `json:"quote2,omitempty"`
	Note   string `json:"note,omitempty"`

	any []*regexp.Regexp
}

// Answerable tells whether the corpus answers the question.
func (q *Question) Answerable() bool { return q.Kind != KindUnanswerable }

// Matches tells whether an answer passes AnswerAny and AnswerAll.
func (q *Question) Matches(answer string) bool {
	answer = collapse(answer)
	lower := strings.ToLower(answer)
	for _, s := range q.AnswerAll {
		if !strings.Contains(lower, strings.ToLower(s)) {
			return false
		}
	}
	for _, re := range q.any {
		if re.MatchString(answer) {
			return true
		}
	}
	return false
}

// accepts tells whether a document may be cited.
func (q *Question) accepts(doc string) bool {
	for _, list := range [][]string{q.GoldDocs, q.AlsoOK} {
		for _, d := range list {
			if d == doc {
				return true
			}
		}
	}
	return false
}

func (q *Question) init() error {
	if q.Question == "" {
		return errors.New("it has no question")
	}
	if len(q.AnswerAny) == 0 {
		return errors.New("its answer_any is empty")
	}
	if (len(q.GoldDocs) > 0) != q.Answerable() {
		return fmt.Errorf("its gold_docs do not fit its kind %q", q.Kind)
	}
	for _, p := range q.AnswerAny {
		re, err := regexp.Compile("(?i)" + p)
		if err != nil {
			return fmt.Errorf("its answer_any: %w", err)
		}
		q.any = append(q.any, re)
	}
	return nil
}

// Set is a question set.
type Set []*Question

// Read reads a question set: one JSON object a line, empty lines left out. Keys
// that it does not know are ignored.
func Read(r io.Reader) (Set, error) {
	var set Set
	ids := make(map[string]bool)
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 16<<20)
	for line := 1; sc.Scan(); line++ {
		data := bytes.TrimSpace(sc.Bytes())
		if len(data) == 0 {
			continue
		}
		q := &Question{}
		if err := json.Unmarshal(data, q); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if q.ID == "" {
			q.ID = fmt.Sprintf("line-%d", line)
		}
		if err := q.init(); err != nil {
			return nil, fmt.Errorf("line %d: question %s: %w", line, q.ID, err)
		}
		if ids[q.ID] {
			return nil, fmt.Errorf("line %d: there are two questions %s", line, q.ID)
		}
		ids[q.ID] = true
		set = append(set, q)
	}
	if err := sc.Err(); err != nil {
		return nil, err
	}
	if len(set) == 0 {
		return nil, errors.New("there is no question in it")
	}
	return set, nil
}

// ReadFile reads a question set from a file.
func ReadFile(name string) (Set, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read question set: %w", err)
	}
	defer f.Close()
	set, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("read question set %s: %w", name, err)
	}
	return set, nil
}

// collapse makes one blank of each run of white space.
func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }
