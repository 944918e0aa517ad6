package extractive

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/quarry-sdk/quarry/model"
)

// The tools that the model knows, by name.
const (
	searchTool = "search_docs"
	fetchTool  = "fetch_doc"
	submitTool = "submit_answer"
)

// state is what is known at one point of the work.
type state struct {
	model *Model
	*history
	st        stemmer
	df        map[string]int
	documents int
	query     *query
	hits      []hit
	prior     map[string]float64
	order     []string // documents, best first
	pages     []*page
	toolCalls []model.Block
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

// read takes in what the tools have said so far.
func (s *state) read() {
	rounds := make(map[string]float64)
	for _, c := range s.named(searchTool, false) {
		hits, n := readSearch(c.text, s.df)
		s.documents = max(s.documents, n)
		for _, h := range hits {
			rounds[h.doc] += 1 / float64(4+h.rank)
		}
		s.hits = append(s.hits, hits...)
	}
	s.query = analyse(s.question, s.df, s.documents, s.st)
	best := 0.0
	for doc, v := range rounds {
		s.order = append(s.order, doc)
		best = max(best, v)
	}
	sort.Slice(s.order, func(i, j int) bool {
		a, b := s.order[i], s.order[j]
		if rounds[a] != rounds[b] {
			return rounds[a] > rounds[b]
		}
		return a < b
	})
	s.prior = make(map[string]float64)
	for doc, v := range rounds {
		s.prior[doc] = v / best
	}
	for _, c := range s.named(fetchTool, false) {
		if p := readFetch(c.text); p.doc != "" {
			s.pages = append(s.pages, p)
		}
	}
}

// next decides what to do.
func (s *state) next() model.Blocks {
	switch {
	case s.rounds(searchTool) == 0:
		return s.search(s.queries()...)
	case len(s.pages) == 0 && s.rounds(fetchTool) == 0 && len(s.order) > 0:
		return s.fetch(s.order[:min(len(s.order), s.model.cfg.Fetches)]...)
	}
	return s.submit()
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

// submit hands in the answer.
func (s *state) submit() model.Blocks {
	chosen := s.choose()
	type citation struct {
		DocID string `json:"doc_id"`
		Quote string `json:"quote"`
	}
	in := struct {
		Answer      string     `json:"answer"`
		Citations   []citation `json:"citations"`
		NotInCorpus bool       `json:"not_in_corpus"`
	}{Citations: []citation{}}
	var texts []string
	for _, c := range chosen {
		texts = append(texts, c.text)
		in.Citations = append(in.Citations, citation{c.doc, c.text})
	}
	in.Answer = strings.Join(texts, "\n")
	if len(chosen) == 0 {
		in.Answer, in.NotInCorpus = declined, true
	}
	if !s.tools[submitTool] {
		return model.Blocks{&model.Text{Text: in.Answer}}
	}
	return model.Blocks{s.use(0, submitTool, in)}
}

// declined is the whole answer where nothing passes the threshold.
const declined = "The corpus does not answer this question."

// choose picks the sentences of the answer, in the order in which they stand; none
// where the corpus does not answer.
func (s *state) choose() []candidate {
	limit := s.model.cfg.Sentences
	var chosen []candidate
	parts := s.query.parts
	for i := range parts {
		ranked := rank(s.query, &parts[i], s.pages, s.prior, s.st)
		if len(ranked) == 0 {
			continue
		}
		share := (limit - len(chosen)) / (len(parts) - i)
		if i+1 < len(parts) {
			share = max(1, (limit+1)/len(parts))
		}
		chosen = pick(chosen, ranked, max(1, share), s.model.cfg.MinScore)
	}
	return chosen
}

// pick adds up to n sentences of one part: the best one, and others near it.
func pick(chosen, ranked []candidate, n int, floor float64) []candidate {
	best := ranked[0]
	if best.cover < floor {
		return chosen
	}
	added := 0
	for _, c := range ranked {
		if added == n || c.score < 0.6*best.score {
			break
		}
		if c.doc != best.doc && c.score < 0.93*best.score {
			continue
		}
		if slices.ContainsFunc(chosen, func(have candidate) bool { return have.text == c.text }) {
			continue
		}
		chosen = append(chosen, c)
		added++
	}
	return chosen
}

// debug describes a state, for tests.
func (s *state) debug() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d documents, names %q, order %q\n", s.documents, s.query.names, s.order)
	for i := range s.query.parts {
		p := &s.query.parts[i]
		fmt.Fprintf(&b, "part %q want %+v\n", p.text, p.want)
		for _, c := range p.concepts {
			fmt.Fprintf(&b, "   %s %.2f %v\n", c.surface, c.weight, c.alts)
		}
		for j, c := range rank(s.query, p, s.pages, s.prior, s.st) {
			if j == 12 {
				break
			}
			fmt.Fprintf(&b, "  %.3f cover %.3f %s: %s\n", c.score, c.cover, c.doc, c.text)
		}
	}
	return b.String()
}
