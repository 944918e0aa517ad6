package extractive

import (
	"context"
	"encoding/json"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
	"github.com/quarry-sdk/quarry/model"
)

// The tools that the model knows, by name.
const (
	searchTool = "search_docs"
	fetchTool  = "fetch_doc"
	submitTool = "submit_answer"
)

// state is what is known at one point of the work. It is made anew of each
// request.
type state struct {
	model *Model
	*history
	st        stemmer
	df        map[string]int
	documents int
	query     *query
	prior     map[string]float64
	order     []string // documents, best first
	pages     []*page
	first     int // how many pages were read before the first hop
	hops      []hop
	// searched tells which steps were taken: the translated search, the hops.
	translated, hopped bool
}

// answer is the model's whole response to a request.
func (m *Model) answer(ctx context.Context, req *model.Request) model.Blocks {
	h := readHistory(req)
	if h.question == "" || !h.tools[searchTool] || !h.tools[fetchTool] {
		return model.Blocks{&model.Text{Text: introduction}}
	}
	s := &state{model: m, history: h, st: make(stemmer), df: make(map[string]int)}
	s.read()
	if ctx.Err() != nil {
		return nil
	}
	return s.next()
}

// introduction is what the model says of itself where it can't work.
const introduction = "I am Quarry's built-in extractive model. I find sentences in documents and quote them; I do not write, chat or reason. " +
	"Give me a question and the tools search_docs, fetch_doc and submit_answer over a corpus, or choose a language model with --model."

// The weight of a search by its place among the first ones: the question itself,
// then what was made of it.
const (
	rawSearch  = 1
	madeSearch = 0.5
)

// read takes in what the tools have said so far.
func (s *state) read() {
	votes := make(map[string]float64)
	firstFetch := 0
	for _, c := range s.calls {
		if c.name == fetchTool {
			firstFetch = c.round
			break
		}
	}
	var early []hit // of the very first search
	n := 0
	for _, c := range s.named(searchTool, false) {
		hits, documents := readSearch(c.text, s.df)
		s.documents = max(s.documents, documents)
		weight := float64(rawSearch)
		if n > 0 {
			weight = madeSearch
		}
		if n == 0 {
			early = hits
		}
		n++
		if firstFetch > 0 && c.round > firstFetch {
			s.hopped = true
		} else if c.round > 1 {
			s.translated = true
			weight = rawSearch
		}
		for _, h := range hits {
			votes[h.doc] += weight / float64(4+h.rank)
		}
	}
	s.query = analyse(s.question, s.df, s.documents, s.st)
	if s.query.eastAsian && unknown(s.query, s.df) && !s.query.english(s.df, s.documents, s.st) {
		s.query.translate(early, s.df, s.documents, s.st)
	}
	best := 0.0
	for doc, v := range votes {
		s.order = append(s.order, doc)
		best = max(best, v)
	}
	sort.Slice(s.order, func(i, j int) bool {
		a, b := s.order[i], s.order[j]
		if votes[a] != votes[b] {
			return votes[a] > votes[b]
		}
		return a < b
	})
	s.prior = make(map[string]float64)
	for doc, v := range votes {
		s.prior[doc] = v / best
	}
	for _, c := range s.named(fetchTool, false) {
		p := readFetch(c.text)
		if p.doc == "" {
			continue
		}
		s.pages = append(s.pages, p)
		if c.round == firstFetch {
			s.first = len(s.pages)
		}
	}
	if s.first > 0 {
		s.hops = s.findHops()
	}
	if s.hopped {
		for _, h := range s.hops {
			h.apply(&s.query.parts[h.part], s.df, s.documents, s.st)
		}
	}
}

// next decides what to do.
func (s *state) next() model.Blocks {
	fetches := s.model.cfg.Fetches
	switch {
	case s.rounds(searchTool) == 0:
		return s.search(s.queries()...)
	case s.first == 0 && len(s.query.translation) > 0 && !s.translated:
		return s.search(strings.Join(s.query.translation, " "))
	case s.rounds(fetchTool) == 0 && len(s.order) > 0:
		return s.fetch(s.order[:min(len(s.order), fetches)]...)
	case len(s.hops) > 0 && !s.hopped:
		var queries []string
		for _, h := range s.hops {
			queries = append(queries, h.query)
		}
		return s.search(unique(queries)...)
	case s.hopped && s.rounds(fetchTool) == 1:
		if fresh := s.fresh(); len(fresh) > 0 {
			return s.fetch(fresh...)
		}
	}
	return s.submit()
}

// fresh are the best documents of the hops that were not read yet.
func (s *state) fresh() []string {
	read := make(map[string]bool)
	for _, p := range s.pages {
		read[p.doc] = true
	}
	var list []string
	for _, c := range s.named(searchTool, false) {
		if c.round <= s.fetchRound() {
			continue
		}
		hits, _ := readSearch(c.text, map[string]int{})
		for _, h := range hits[:min(len(hits), 2)] {
			if !read[h.doc] && len(list) < 4 {
				read[h.doc] = true
				list = append(list, h.doc)
			}
		}
	}
	return list
}

func (s *state) fetchRound() int {
	for _, c := range s.calls {
		if c.name == fetchTool {
			return c.round
		}
	}
	return 0
}

// queries are the first searches: the question, what pages may say instead, and
// each part of it.
func (s *state) queries() []string {
	list := []string{clip(s.question, 900)}
	if extra := unique(s.query.thesaurus); len(extra) > 0 {
		list = append(list, clip(content(s.question)+" "+strings.Join(extra, " "), 900))
	}
	if len(s.query.parts) > 1 {
		for _, p := range s.query.parts {
			list = append(list, clip(p.text, 900))
		}
	}
	return unique(list)
}

// content drops the words that say nothing.
func content(text string) string {
	var list []string
	for _, f := range strings.Fields(text) {
		low := strings.ToLower(strings.Trim(f, ".,;:?!()\"'“”‘’"))
		if low == "" || stopWords[low] || fillers[low] {
			continue
		}
		list = append(list, strings.Trim(f, ".,;:?!()\"'“”‘’"))
	}
	return strings.Join(list, " ")
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:runeUp(s, n-3)]
}

func unique(list []string) []string {
	var out []string
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func (s *state) search(queries ...string) model.Blocks {
	var blocks model.Blocks
	for _, q := range queries {
		blocks = append(blocks, s.use(len(blocks), searchTool, map[string]any{"query": q, "limit": 10}))
	}
	return blocks
}

func (s *state) fetch(docs ...string) model.Blocks {
	var blocks model.Blocks
	for _, d := range docs {
		blocks = append(blocks, s.use(len(blocks), fetchTool, map[string]any{"doc_id": d}))
	}
	return blocks
}

func (s *state) use(i int, name string, input any) *model.ToolUse {
	data, err := json.Marshal(input)
	if err != nil {
		data = []byte("{}")
	}
	return &model.ToolUse{ID: "extractive_" + strconv.Itoa(s.made+i+1), Name: name, Input: data}
}

// citation is a quote as submit_answer takes it.
type citation struct {
	DocID string `json:"doc_id"`
	Quote string `json:"quote"`
}

// submission is the input of submit_answer.
type submission struct {
	Answer      string     `json:"answer"`
	Citations   []citation `json:"citations"`
	NotInCorpus bool       `json:"not_in_corpus"`
}

// submit hands in the answer, without what was refused before.
func (s *state) submit() model.Blocks {
	if why := s.blind(); why != "" {
		return model.Blocks{&model.Text{Text: why}}
	}
	in := submission{Citations: []citation{}}
	var texts []string
	if refused, mendable := s.refused(); mendable && s.knowsNames() {
		for _, p := range s.passages(s.choose()) {
			if c := (citation{p.doc, p.text}); !refused[c] {
				texts = append(texts, p.text)
				in.Citations = append(in.Citations, c)
			}
		}
	}
	in.Answer = strings.Join(texts, "\n")
	if len(texts) == 0 {
		in.Answer, in.NotInCorpus = declined, true
	}
	if !s.tools[submitTool] {
		return model.Blocks{&model.Text{Text: in.Answer}}
	}
	return model.Blocks{s.use(0, submitTool, in)}
}

// blind says why nothing can be told about the corpus: a tool that fails is no
// sign that the answer is not in it.
func (s *state) blind() string {
	for _, tool := range []string{searchTool, fetchTool} {
		if failed := s.named(tool, true); len(failed) > 0 && len(s.named(tool, false)) == 0 {
			return "I could not read the corpus: " + tool + " failed: " + clip(strings.TrimSpace(failed[0].text), 300)
		}
	}
	return ""
}

var refusedCitation = lazyregexp.New(`(?m)^Citation (\d+)\b`)

// refused are the citations that submit_answer did not take. Where a refusal
// names none, nothing can be mended.
func (s *state) refused() (refused map[citation]bool, mendable bool) {
	refused = make(map[citation]bool)
	for _, c := range s.named(submitTool, true) {
		var in submission
		data, err := json.Marshal(c.input)
		if err != nil || json.Unmarshal(data, &in) != nil {
			return nil, false
		}
		numbers := refusedCitation().FindAllStringSubmatch(c.text, -1)
		if len(numbers) == 0 {
			return nil, false
		}
		for _, m := range numbers {
			if n, _ := strconv.Atoi(m[1]); n >= 1 && n <= len(in.Citations) {
				refused[in.Citations[n-1]] = true
			}
		}
	}
	return refused, true
}

// declined is the whole answer where nothing passes the threshold.
const declined = "The corpus does not answer this question."
