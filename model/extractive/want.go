package extractive

import (
	"strings"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// want is what kind of answer a question asks for.
type want struct {
	number, time, size bool
	byDefault          bool
	limit              bool // a greatest or smallest value
	identifier, file   bool
	reason, way, when  bool
	meaning            bool
}

var (
	asksNumber  = lazyregexp.New(`\bhow (many|much|long|large|big|often|far|high|fast|small|old|wide|deep|soon|frequently)\b|\b(what|which) (is the |are the )?(tcp |udp |default |maximum |minimum |hard |upper |exact |exit )*(size|port|number|percentage|share|limit|maximum|minimum|value|score|threshold|version|year|cost|code|codes|status|amount|length|interval|delay|timeout|date)\b|\b(longest|largest|biggest|smallest|shortest|maximum|minimum|upper limit|cap on|at most|at least|default size|which port|what port|exit (code|status))\b|多少|几个|几次|多久|多大|多长|最多|最大|最小|最长`)
	asksTime    = lazyregexp.New(`\bhow (long|often|soon|frequently)\b|\b(pause|timeout|delay|interval|duration|seconds|minutes)\b|多久|多长时间|超时`)
	asksSize    = lazyregexp.New(`\bhow (big|large|much (ram|memory|space|disk|storage|data|log))\b|\b(size|bytes|megabytes|memory|ram)\b|多大|大小|内存`)
	asksDefault = lazyregexp.New(`\bdefaults?\b|\bout of the box\b|\bstock (settings|configuration)\b|\bunless (i|you|we|one|told|otherwise|specified|someone|anyone|said)\b|\bif (nobody|no one|nothing|none|you do nothing|i do nothing)\b|\b(left|leave) (it )?(alone|untouched|unset)\b|\bsays? nothing\b|\bwithout (changing|further|any|touching|setting|configuring)\b|\bfreshly installed\b|\bstandard (build|configuration|installation|settings?)\b|\bgives? no (number|value|size)\b|\bno (unit|value|number) is given\b|\bbuilt-in (value|setting)\b|\buntouched\b|默认|缺省|預設|デフォルト|기본`)
	asksLimit   = lazyregexp.New(`\b(longest|largest|biggest|smallest|shortest|maximum|minimum|upper|limits?|cap|at most|at least|up to|worst case|how (many|much|big|large|long) (may|can|could))\b|最多|最大|最小|最长|上限`)
	asksName    = lazyregexp.New(`\b(which|what|name the|name of the)\b[^?.,;]{0,60}\b(settings?|parameters?|options?|commands?|functions?|tools?|programs?|utilit(y|ies)|variables?|views?|extensions?|modules?|operators?|codes?|signals?|keywords?|clauses?|statements?|methods?|privileges?|roles?|catalogs?|formats?|algorithms?|plugins?|switch(es)?|flags?|fields?|types?|levels?|modes?|class(es)?|sslmode)\b|哪个(参数|命令|函数|选项|工具|设置)|什么(参数|命令|函数|选项|工具)`)
	asksFile    = lazyregexp.New(`\b(which|what) [^?.,;]{0,30}\bfiles?\b|哪个文件|什么文件`)
	asksReason  = lazyregexp.New(`\bwhy\b|\bhow come\b|\bwhat causes?\b|\breason\b|为什么|为何|原因`)
	asksWay     = lazyregexp.New(`\bhow (do|can|could|should|would|to|must|might)\b|\bwhat (do|must|should|can) (i|we|you|one)\b|\bway out\b|\b(quickest|best|clean|right|proper) (order|sequence|way)\b|\bset up\b|如何|怎样|怎么|怎麼`)
	asksWhen    = lazyregexp.New(`\bwhen\b|什么时候|何时`)
	asksMeaning = lazyregexp.New(`\bwhat (is|are) (a|an|the)?\b|\bwhat does\b[^?]*\b(mean|do|stand for)\b|什么是|是什么`)
)

// wants reads what kind of answer a part of a question asks for. What is said of
// defaults anywhere in the question holds for each part.
func wants(part, whole string) want {
	return want{
		number:     asksNumber().MatchString(part),
		time:       asksTime().MatchString(part),
		size:       asksSize().MatchString(part),
		byDefault:  asksDefault().MatchString(whole),
		limit:      asksLimit().MatchString(part),
		identifier: asksName().MatchString(part),
		file:       asksFile().MatchString(part),
		reason:     asksReason().MatchString(part),
		way:        asksWay().MatchString(part),
		when:       asksWhen().MatchString(part),
		meaning:    asksMeaning().MatchString(part),
	}
}

var (
	// reference is a number that points to a place and says nothing.
	reference    = lazyregexp.New(`(?i)\b(section|chapter|table|figure|appendix|example|part|page|step|note|release|version)s? [0-9A-Z]+(\.[0-9]+)*|\bSQL:\d{4}|\bRFC ?\d+`)
	hasNumber    = lazyregexp.New(`(?i)(^|[^\w.])[-+]?\d[\d,]*(\.\d+)?|\b(zero|one|two|three|four|five|six|seven|eight|nine|ten|twelve|hundred|thousand|million|billion|half|unlimited|no limit)\b|[零一二三四五六七八九十百千万]`)
	hasTime      = lazyregexp.New(`(?i)\b(milli|micro|nano)?seconds?\b|\b\d+ ?(ms|s|min|h|d)\b|\bminutes?\b|\bhours?\b|\bdays?\b|\bweeks?\b|\byears?\b|秒|分钟|小时|天`)
	hasSize      = lazyregexp.New(`(?i)\b\d+ ?(k|m|g|t)?i?b\b|\b(kilo|mega|giga|tera)?bytes?\b|\bcharacters?\b|\b(MB|kB|GB|TB)\b|字节|字符`)
	hasDefault   = lazyregexp.New(`(?i)\bdefaults?\b|默认|缺省|预设|デフォルト|기본`)
	hasLimit     = lazyregexp.New(`(?i)\b(maximum|minimum|limit(s|ed)?|at most|at least|more than|less than|fewer than|up to|exceed(s|ing)?|cannot|longer than|shorter than|greater than|smaller than|unlimited)\b|最多|最大|不超过|上限`)
	identifiers  = lazyregexp.New(`[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+|\b[A-Za-z0-9_-]+\.[a-z]{2,6}\b|\b[A-Z]{3,}(?: [A-Z]{2,})*\b|--[a-z][a-z-]+|\\[a-z]+|\b[0-9A-Z]{5}\b|\b[a-z]+[A-Z]\w*|\b\w+\(\)|“[^”]{1,40}”`)
	fileNames    = lazyregexp.New(`\b[A-Za-z0-9_-]+\.[a-z]{2,10}\b|(^|[\s"“])[.~]?/[\w./-]+`)
	hasReason    = lazyregexp.New(`(?i)\b(because|since|therefore|thus|hence|due to|so that|as a result|results? in|resulting|reason|cause[sd]?|in order to|means that|this is|to avoid|require[sd]?|will need|can lead|leads? to)\b|因为|由于|所以|因此`)
	hasWay       = lazyregexp.New(`(?i)\b(must|should|can be|you can|use|using|set|setting|need(s|ed)? to|recommended|require[sd]?|first|then|instead|run|enable[ds]?|create|consider|possible to|method|option|by)\b|可以|必须|需要|使用|应该`)
	hasCondition = lazyregexp.New(`(?i)\b(when|if|after|until|unless|once|while|whenever|during|in cases?)\b|[12]\d{3}|当|时|如果`)
)

// fit tells how well the form of a sentence answers what is wanted: above 0 where
// it does, below 0 where it can't.
func (w want) fit(sentence, question string) float64 {
	plain := sentence
	if strings.ContainsAny(plain, "0123456789") {
		plain = reference().ReplaceAllString(plain, " ")
	}
	v := 0.0
	if w.number {
		switch {
		case !hasNumber().MatchString(plain):
			v -= 0.2
		default:
			v += 0.15
			if w.time && hasTime().MatchString(plain) || w.size && hasSize().MatchString(plain) {
				v += 0.1
			}
		}
	}
	if w.byDefault {
		if hasDefault().MatchString(plain) {
			v += 0.3
		}
	}
	if w.limit && hasLimit().MatchString(plain) {
		v += 0.1
	}
	if w.identifier && newIdentifier(sentence, question) {
		v += 0.15
	}
	if w.file {
		if fileNames().MatchString(sentence) {
			v += 0.25
		}
	}
	if w.reason && hasReason().MatchString(plain) {
		v += 0.15
	}
	if w.way && hasWay().MatchString(plain) {
		v += 0.1
	}
	if w.when && hasCondition().MatchString(plain) {
		v += 0.05
	}
	return v
}

// newIdentifier tells whether a sentence names something that the question does
// not.
func newIdentifier(sentence, question string) bool {
	for _, id := range identifiers().FindAllString(sentence, -1) {
		if !strings.Contains(question, strings.ToLower(strings.Trim(id, "“”"))) {
			return true
		}
	}
	return false
}
