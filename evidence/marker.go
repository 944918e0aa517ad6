package evidence

import "strings"

// Classes of negations and hedges.
const (
	classNot      = "not"
	classEnded    = "ended" // "no longer", "former"
	classPossible = "possible"
	classReported = "reported"
	classAbout    = "about"
	classAtLeast  = "at least"
	classAtMost   = "at most"
	classPlanned  = "planned"
)

// markerWords are single words that deny or hedge wherever they stand.
var markerWords = wordMap(`not: cannot none nobody nothing nowhere never neither without hardly barely scarcely rarely seldom unable impossible lack lacks lacked lacking deny denies denied denying unlikely
ended: former formerly ceased
possible: might could perhaps possibly probably maybe potentially likely presumably apparently seemingly seems seem seemed unconfirmed
reported: reportedly allegedly alleged purportedly purported supposedly rumored rumoured suspected accused
about: roughly approximately nearly almost circa estimated approx
at least: exceed exceeds exceeded exceeding
planned: expected expects anticipated anticipates forecast forecasts projected proposed scheduled intends intended would`)

// markerBeforeTo are words that hedge or deny what follows their "to".
var markerBeforeTo = wordMap(`not: fail fails failed failing refuse refuses refused refusing decline declines declined declining
possible: appear appears appeared believed thought
reported: said claimed claims
planned: expect plan plans planned planning aim aims aimed aiming intend intending hope hopes hoped hoping set seek seeks sought seeking want wants wanted try tries tried trying attempt attempts attempted attempting considering`)

// markerBeforeNumber are phrases that hedge a number that follows.
var markerBeforeNumber = [...]struct {
	words []string
	class string
}{
	{[]string{"no", "more", "than"}, classAtMost}, {[]string{"not", "more", "than"}, classAtMost}, {[]string{"no", "later", "than"}, classAtMost},
	{[]string{"no", "fewer", "than"}, classAtLeast}, {[]string{"no", "less", "than"}, classAtLeast}, {[]string{"not", "less", "than"}, classAtLeast},
	{[]string{"not", "fewer", "than"}, classAtLeast}, {[]string{"in", "excess", "of"}, classAtLeast}, {[]string{"a", "minimum", "of"}, classAtLeast},
	{[]string{"a", "maximum", "of"}, classAtMost}, {[]string{"as", "many", "as"}, classAtMost}, {[]string{"as", "much", "as"}, classAtMost},
	{[]string{"more", "than"}, classAtLeast}, {[]string{"greater", "than"}, classAtLeast}, {[]string{"upwards", "of"}, classAtLeast},
	{[]string{"less", "than"}, classAtMost}, {[]string{"fewer", "than"}, classAtMost}, {[]string{"lower", "than"}, classAtMost}, {[]string{"up", "to"}, classAtMost},
	{[]string{"close", "to"}, classAbout}, {[]string{"about"}, classAbout}, {[]string{"around"}, classAbout}, {[]string{"some"}, classAbout},
	{[]string{"c", "."}, classAbout}, {[]string{"ca", "."}, classAbout}, {[]string{"~"}, classAbout}, {[]string{"≈"}, classAbout},
	{[]string{"over"}, classAtLeast}, {[]string{"above"}, classAtLeast}, {[]string{">"}, classAtLeast}, {[]string{"≥"}, classAtLeast},
	{[]string{"under"}, classAtMost}, {[]string{"below"}, classAtMost}, {[]string{"<"}, classAtMost}, {[]string{"≤"}, classAtMost},
	{[]string{"rund"}, classAbout}, {[]string{"etwa"}, classAbout}, {[]string{"mindestens"}, classAtLeast}, {[]string{"environ"}, classAbout},
	{[]string{"at", "least"}, classAtLeast}, {[]string{"at", "most"}, classAtMost},
}

// markers finds negations and hedges.
func (p *parser) markers() {
	starts, ends := map[int]int{}, map[int]bool{}
	for _, f := range p.facts {
		if f.Kind != Ordinal && f.Kind != Date {
			starts[f.from] = f.from
			ends[f.to] = true
		}
		if f.Kind == Date {
			starts[f.from] = f.from
		}
	}
	heads := map[int]int{} // the end of a number to its first token
	for _, f := range p.facts {
		if f.Kind != Ordinal {
			heads[f.to] = f.from
		}
	}
	inside := map[int]int{} // tokens of a number to its first
	for _, f := range p.facts {
		if f.Kind != Date && f.Kind != Name {
			for i := f.from + 1; i < f.to; i++ {
				inside[i] = f.from
			}
		}
	}
	named := make([]bool, len(p.tokens))
	for _, f := range p.facts {
		if f.Kind == Name && (f.to > f.from+1) {
			for i := f.from; i < f.to; i++ {
				named[i] = true
			}
		}
	}
	for i := 0; i < len(p.tokens); {
		n := 0
		if named[i] {
			i++
			continue
		}
		if !p.used[i] || p.han(i, "多") || p.han(i, "余") {
			if p.tokens[i].kind == hanToken {
				n = p.hanMarker(i, starts, heads, inside)
			} else {
				n = p.marker(i, starts, heads)
			}
		}
		i += max(n, 1)
	}
}

// mark records a marker of n tokens at i and returns n.
func (p *parser) mark(kind Kind, i, n, number int, class string) int {
	f := p.add(kind, i, i+n, class)
	f.number = number
	return n
}

// marker reads a negation or a hedge of a script with blanks at i and returns its number of tokens. Zero is none; what
// looks like one but is not is stepped over.
func (p *parser) marker(i int, starts, heads map[int]int) int {
	t := p.tokens[i]
	if t.kind == punctToken && !strings.Contains("~≈<>≥≤+", t.text) {
		return 0
	}
	for _, m := range markerBeforeNumber {
		if t.low != m.words[0] || !p.phrase(i, m.words...) {
			continue
		}
		if n := p.numberNear(i+len(m.words), starts); n >= 0 {
			return p.mark(Hedge, i, len(m.words), n, m.class)
		}
		if m.words[0] == "at" {
			return p.mark(Hedge, i, 2, -1, m.class)
		}
	}
	if head, ok := heads[i]; ok {
		switch {
		case t.text == "+" && p.glue(i):
			return p.mark(Hedge, i, 1, head, classAtLeast)
		case p.phrase(i, "or", "more"), p.phrase(i, "or", "above"), p.phrase(i, "or", "older"), p.phrase(i, "or", "over"):
			return p.mark(Hedge, i, 2, head, classAtLeast)
		case p.phrase(i, "or", "less"), p.phrase(i, "or", "fewer"), p.phrase(i, "or", "under"), p.phrase(i, "or", "below"):
			return p.mark(Hedge, i, 2, head, classAtMost)
		case p.phrase(i, "or", "so"):
			return p.mark(Hedge, i, 2, head, classAbout)
		}
	}
	if t.kind != wordToken {
		return 0
	}
	switch t.low {
	case "not":
		switch p.low(i + 1) {
		case "only", "just", "merely", "simply", "solely":
			return 2
		case "until":
			return 2
		}
		if p.low(i-1) == "or" {
			return 0
		}
		return p.mark(Negation, i, 1, -1, classNot)
	case "no":
		next := p.tok(i + 1)
		switch {
		case next.low == "longer":
			return p.mark(Negation, i, 2, -1, classEnded)
		case next.text == "." && p.tok(i+2).kind == numberToken, next.low == "doubt", next.low == "matter", next.low == "wonder", next.text == ",", next.low == "sooner":
			return 2
		case next.low == "one":
			return p.mark(Negation, i, 2, -1, classNot)
		}
		return p.mark(Negation, i, 1, -1, classNot)
	case "nos":
		return 0
	case "nor":
		if p.deniedBefore(i) {
			return 0
		}
		return p.mark(Negation, i, 1, -1, classNot)
	case "nothing", "none":
		if low := p.low(i + 1); low == "but" || low == "other" {
			return 2
		}
	case "may":
		if t.text == "may" || t.first && p.tok(i+1).text == p.tok(i+1).low {
			return p.mark(Hedge, i, 1, -1, classPossible)
		}
		return 0
	case "ex":
		if p.is(i+1, "-") && p.glue(i+1) && p.glue(i+2) {
			return p.mark(Negation, i, 2, -1, classEnded)
		}
		return 0
	case "almost", "nearly", "roughly", "approximately", "estimated", "approx", "circa":
		return p.mark(Hedge, i, 1, p.numberNear(i+1, starts), classAbout)
	case "exceeding", "exceeded", "exceeds", "exceed":
		if n := p.numberNear(i+1, starts); n >= 0 {
			return p.mark(Hedge, i, 1, n, classAtLeast)
		}
		return 0
	case "could":
		if low := p.low(i + 1); low == "not" {
			return 0
		}
	case "nicht", "kein", "keine", "keinen", "keiner", "nie", "niemals", "ohne":
		if p.lang == german {
			return p.mark(Negation, i, 1, -1, classNot)
		}
	case "не", "нет", "никогда", "без":
		return p.mark(Negation, i, 1, -1, classNot)
	case "pas", "jamais", "sans":
		if p.lang == french && !p.phrase(i, "pas", "seulement") {
			return p.mark(Negation, i, 1, -1, classNot)
		}
	}
	if strings.HasSuffix(t.low, "n't") {
		if low := p.low(i + 1); low == "only" || low == "just" {
			return 2
		}
		return p.mark(Negation, i, 1, -1, classNot)
	}
	if class := markerWords()[t.low]; class != "" {
		return p.mark(kindOf(class), i, 1, -1, class)
	}
	if class := markerBeforeTo()[t.low]; class != "" && p.low(i+1) == "to" && p.tok(i+2).kind == wordToken && p.tok(i+2).text == p.tok(i+2).low && !p.used[i+2] {
		return p.mark(kindOf(class), i, 1, -1, class)
	}
	return 0
}

func kindOf(class string) Kind {
	if class == classNot || class == classEnded {
		return Negation
	}
	return Hedge
}

// numberNear returns the first token of the number that starts at i, or behind an article there; -1 if there is none.
func (p *parser) numberNear(i int, starts map[int]int) int {
	for k := range 2 {
		if n, ok := starts[i+k]; ok {
			return n
		}
		switch p.low(i + k) {
		case "a", "an", "the", "another", "as", "at", "of":
		default:
			return -1
		}
	}
	return -1
}

// deniedBefore reports whether the clause at i is denied already: the "nor" of "neither … nor" is no second negation.
func (p *parser) deniedBefore(i int) bool {
	for j := i - 1; j >= 0 && p.tokens[j].sentence == p.tokens[i].sentence && i-j < 40; j-- {
		switch low := p.low(j); {
		case low == "neither", low == "not", low == "no", strings.HasSuffix(low, "n't"), low == "never":
			return true
		}
	}
	return false
}

// hanMarkers are negations, hedges and what only looks like one, by their class; the longest that fits counts. A class with a
// "#" needs a number behind it, one with a "<" a number before it.
var hanMarkers = wordMap(`-: 不仅 不但 不只 不光 不单 不少 不断 不过 不同 不久 不错 不管 不论 不得不 不禁 不妨 不惜 不愧 不一 不由 不料 不外 不约而同 不锈钢 不等 不时 对不起 了不起 不良 不动产 不亚于 不懈 不朽 不凡 不乏 不已 不无
-: 没收 没落 淹没 沉没 出没 埋没 吞没 湮没 未来 未免 未遂 未婚 无论 无线 无人机 无人驾驶 无疑 无数 无非 无锡 无偿 无限 无奈 无比 无私 无辜 非常 非洲 非凡 非法 非但 除非 南非 是非 非盟 莫非 非遗 可能性 约翰 条约 合约 节约 纽约 契约 预约 违约 公约 签约 约定 约束 约会 莫斯科 莫名 莫过于 拟定 模拟 虚拟
not: 不 没有 没 未 无 非 莫 勿 否认 拒绝 并非 绝非 不可能 无法 从未 尚未 从不 毫无 未能 不能 不会 不是 并不 并未 并没有 不必 不得
ended: 不再 前任 前总统 前主席 前总理 前首相 前董事 前总裁 前首席 前部长 前市长 前州长 前经理 前教练 前球员 前官员 前雇员 前员工 前队长 前国务卿 前局长 前副总统 前议员 前妻 前夫 原董事长 原总经理 原局长 原部长 原主任 已卸任
possible: 可能 或许 也许 大概 恐怕 疑似 似乎 好像 看似 或将 或会 有可能
reported: 据称 据说 据报道 据报 据悉 据传 传闻 传言 涉嫌 被指 自称 声称
about#: 约 大约 近 将近 接近 差不多 约为 约有 约占 估计 几 约合
about: 大约 几乎 大致
about<: 左右 上下 前后 多 余
at least#: 超过 逾 高于 多于 超 突破
at least: 至少 最少 不少于 不低于 不止 不小于
at least<: 以上
at most#: 不到 不足 低于 少于 不满 最多
at most: 至多 最多 不超过 不高于 不多于 不大于
at most<: 以下 以内
planned: 预计 计划 拟 打算 有望 预期 预测 旨在 希望 力争 争取 试图 企图 考虑 即将 预定 准备 将要`)

// hanMarker is marker for Chinese.
func (p *parser) hanMarker(i int, starts, heads, inside map[int]int) int {
	text := ""
	best, n := "", 0
	for k := 0; k < 4 && p.tok(i+k).kind == hanToken; k++ {
		text += p.tokens[i+k].text
		class := hanMarkers()[text]
		if class == "" {
			continue
		}
		best, n = class, k+1
	}
	if n == 0 {
		return 0
	}
	number := -1
	switch class := best[len(best)-1]; class {
	case '-':
		return n
	case '#':
		best = best[:len(best)-1]
		at, ok := starts[i+n]
		if !ok {
			return p.hanUnmarked(i, n)
		}
		number = at
	case '<':
		best = best[:len(best)-1]
		head, ok := heads[i]
		if !ok && p.used[i] {
			head, ok = inside[i] // 30多人: the marker is part of the number
		}
		if !ok || p.han(i, "前后") && n == 1 || n == 1 && p.tok(i+1).kind != hanToken {
			return n
		}
		number = head
	default:
		if at, ok := starts[i+n]; ok {
			number = at
		}
	}
	switch before := p.tok(i - 1).text; {
	case before == "能" && p.is(i, "不") && p.is(i+1, "能"): // whether or not
		return 2
	case n == 1 && strings.Contains("淹沉出埋吞湮泯", before) && before != "" && p.is(i, "没"):
		return 1
	case n == 1 && strings.Contains("除南是东西", before) && before != "" && p.is(i, "非"):
		return 1
	case p.is(i, "计") && n == 2 && p.tok(i+2).kind != hanToken, p.han(i, "计划的"), p.han(i, "计划书"), p.han(i, "准备金"):
		return n
	}
	return p.mark(kindOf(best), i, n, number, best)
}

// hanUnmarked decides on a marker that needs a number and has none: the denial in it stays.
func (p *parser) hanUnmarked(i, n int) int {
	if p.is(i, "不") {
		return p.mark(Negation, i, 1, -1, classNot)
	}
	return n
}
