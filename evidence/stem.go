package evidence

import (
	"strings"
)

// collect adds two words with a meaning, or the pairs of four Chinese characters, from i on in a direction.
func (p *parser) collect(scope map[string]bool, i, step int) {
	words, chars := 0, 0
	for ; i >= 0 && i < len(p.tokens) && words < 2 && chars < 4; i += step {
		t := p.tokens[i]
		switch {
		case t.kind == punctToken && strings.Contains(",;:.!?，。；：！？", t.text) && len(scope) > 0, t.kind == punctToken && strings.Contains(".!?。！？", t.text):
			return
		case len(scope) > 0 && step > 0 && subordinates(t.low):
			return
		case t.kind == hanToken:
			chars++
			if j := i + 1; p.tok(j).kind == hanToken {
				scope[t.text+p.tokens[j].text] = true
			}
		case t.kind == numberToken:
			scope[t.num.value] = true
			words++
		case t.kind == wordToken && !functionStems()[t.low] && !strings.HasSuffix(t.low, "n't"):
			scope[stem(t.low)] = true
			words++
		}
	}
}

// subordinates reports whether a word starts a clause that a denial before it need not reach: "did not say why".
func subordinates(low string) bool {
	switch low {
	case "why", "whether", "that", "when", "if", "how", "who", "what", "where", "because", "although", "while", "which":
		return true
	}
	return false
}

// stems are the words with a meaning in tokens[from:to], without their endings, and the pairs of Chinese characters.
func stems(p *parser, from, to int) map[string]bool {
	m := make(map[string]bool, to-from)
	for i := from; i < to; i++ {
		t := p.tokens[i]
		switch t.kind {
		case hanToken:
			if p.tok(i+1).kind == hanToken && i+1 < to {
				m[t.text+p.tokens[i+1].text] = true
			}
		case numberToken:
			m[t.num.value] = true
		case wordToken:
			if !functionStems()[t.low] {
				m[stem(t.low)] = true
			}
		}
	}
	return m
}

// functionStems are words without a meaning of their own.
var functionStems = wordSet("the a an and or but of in on at to for from with by as is are was were be been being has have had do does did will would shall should can could may might must it its he she they them his her their him " +
	"we us our you your i my me this that these those there here who whom which what when where why how if then than so also not no any all some each both more most very into over under about after before since until while during only own " +
	"did does just yet still even ever never get got it's that's up out off again against between through because such other")

// irregular gives the first form of verbs whose past has no usual ending.
var irregular = wordMap(`rise: rose risen
fall: fell fallen
sell: sold
buy: bought
win: won
lose: lost
grow: grew grown
make: made
pay: paid
lead: led
leave: left
meet: met
become: became
begin: began begun
build: built
come: came
choose: chose chosen
draw: drew drawn
drive: drove driven
find: found
give: gave given
hold: held
keep: kept
know: knew known
say: said
send: sent
spend: spent
speak: spoke spoken
stand: stood
steal: stole stolen
take: took taken
teach: taught
tell: told
think: thought
write: wrote written
run: ran
see: saw seen
seek: sought
go: went gone
bring: brought
break: broke broken
catch: caught
eat: ate eaten
fight: fought
fly: flew flown
forget: forgot forgotten
hear: heard
hide: hid hidden
mean: meant
shoot: shot
show: shown
sink: sank sunk
sleep: slept
strike: struck
swim: swam swum
throw: threw thrown
wear: wore worn
withdraw: withdrew withdrawn
overtake: overtook overtaken
undergo: underwent undergone`)

// stem cuts the usual endings of English words.
func stem(w string) string {
	w = strings.TrimSuffix(w, "'s")
	if first := irregular()[w]; first != "" {
		w = first
	}
	for _, end := range []string{"ations", "ation", "ings", "ing", "ied", "ies", "ed", "es", "ly", "er", "s", "e", "y"} {
		if s, ok := strings.CutSuffix(w, end); ok && len(s) >= 3 {
			if n := len(s); n > 3 && s[n-1] == s[n-2] && (end == "ing" || end == "ed" || end == "er") {
				s = s[:n-1]
			}
			return s
		}
	}
	return w
}
