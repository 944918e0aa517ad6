package extract

import (
	"strings"
	"unicode"
)

// languageBytes is how much of a text its language is told from.
const languageBytes = 64 << 10

// DetectLanguage tells the language of a text from its script and its most frequent
// words, as a BCP 47 tag such as "en", "ja" or "zh-Hans". It returns "" for a text
// that is too short or in a language it does not know.
func DetectLanguage(text string) string {
	text = cutText(text, languageBytes)
	switch script := mainScript(text); script {
	case "":
		return ""
	case "kana":
		return "ja"
	case "hangul":
		return "ko"
	case "han":
		return chinese(text)
	case "greek":
		return "el"
	case "hebrew":
		return "he"
	case "thai":
		return "th"
	case "georgian":
		return "ka"
	case "armenian":
		return "hy"
	case "tamil":
		return "ta"
	default:
		return byWords(text, script)
	}
}

// scripts are told apart by ranges of characters.
var scripts = []struct {
	name  string
	table *unicode.RangeTable
}{
	{"latin", unicode.Latin}, {"han", unicode.Han}, {"cyrillic", unicode.Cyrillic}, {"arabic", unicode.Arabic},
	{"kana", unicode.Hiragana}, {"kana", unicode.Katakana}, {"hangul", unicode.Hangul}, {"greek", unicode.Greek},
	{"hebrew", unicode.Hebrew}, {"thai", unicode.Thai}, {"devanagari", unicode.Devanagari}, {"georgian", unicode.Georgian},
	{"armenian", unicode.Armenian}, {"tamil", unicode.Tamil}, {"bengali", unicode.Bengali},
}

// scriptOf is the script of the languages that are not written in Latin letters, and
// of some that are.
var scriptOf = map[string]string{
	"ja": "kana", "ko": "hangul", "zh": "han", "el": "greek", "he": "hebrew", "th": "thai", "ka": "georgian", "hy": "armenian",
	"ta": "tamil", "ru": "cyrillic", "uk": "cyrillic", "bg": "cyrillic", "be": "cyrillic", "mk": "cyrillic", "ar": "arabic",
	"fa": "arabic", "ur": "arabic", "hi": "devanagari", "mr": "devanagari", "ne": "devanagari", "bn": "bengali",
	"en": "latin", "de": "latin", "fr": "latin", "es": "latin", "it": "latin", "pt": "latin", "nl": "latin", "sv": "latin",
	"da": "latin", "no": "latin", "nb": "latin", "fi": "latin", "pl": "latin", "cs": "latin", "tr": "latin", "vi": "latin",
	"id": "latin", "hu": "latin", "ro": "latin",
}

// mainScript names the script of most letters of a text, "" if it has fewer than ten
// or no script prevails. A few kana among Han are Japanese, some Hangul Korean.
func mainScript(text string) string {
	counts := make(map[string]int)
	all := 0
	last := 0
	for _, r := range cutText(text, languageBytes) {
		if r < 0x80 {
			if isASCIILetter(r) {
				counts["latin"]++
				all++
			}
			continue
		}
		if !unicode.IsLetter(r) {
			continue
		}
		weight := 1
		if r >= 0x2E80 && r < 0xD7B0 {
			weight = 3 // a character is about a word
		}
		for i := range scripts {
			k := (last + i) % len(scripts)
			if unicode.Is(scripts[k].table, r) {
				counts[scripts[k].name] += weight
				last = k
				break
			}
		}
		all += weight
	}
	if all < 10 {
		return ""
	}
	eastAsian := counts["han"] + counts["kana"] + counts["hangul"]
	if eastAsian*2 > all {
		switch {
		case counts["kana"]*20 > eastAsian:
			return "kana"
		case counts["hangul"]*4 > eastAsian:
			return "hangul"
		}
		return "han"
	}
	for name, n := range counts {
		if n*2 > all {
			return name
		}
	}
	return ""
}

// Characters that only one of the two ways to write Chinese has, frequent ones.
const (
	onlySimplified  = "这们说为国来时个会对学过发后还没开关问题经东车长门见语话让请进远运动电业产员实现应该认识记设计论证词点线级约纪红纯纳纸细组织结给统绝继续维绿网罗义习书买乱争亚"
	onlyTraditional = "這們說為國來時個會對學過發後還沒開關問題經東車長門見語話讓請進遠運動電業產員實現應該認識記設計論證詞點線級約紀紅純納紙細組織結給統絕繼續維綠網羅義習書買亂爭亞"
)

func chinese(text string) string {
	simplified, traditional := 0, 0
	s, t := runeSet(onlySimplified), runeSet(onlyTraditional)
	for _, r := range text {
		switch {
		case s[r] && !t[r]:
			simplified++
		case t[r] && !s[r]:
			traditional++
		}
	}
	switch {
	case simplified > traditional:
		return "zh-Hans"
	case traditional > simplified:
		return "zh-Hant"
	}
	return "zh"
}

// functionWords are the most frequent small words of languages, by script.
var functionWords = map[string]map[string]string{
	"latin": {
		"en": "the of and to in is that it for was on are with as his they be at this have from or had by not but what all were when your can said there use an each which she do how their if will",
		"de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man sein wurde",
		"fr": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont la mais avec ou son ses cette comme nous vous aux leur être fait été on même",
		"es": "de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin sobre este ya entre cuando todo esta ser son dos también fue había era muy años hasta",
		"it": "di che e la il un a per in una mi sono ho non ma lo con si del della le dei da al come più o anche nel alla ha gli delle questo essere è stato dal",
		"pt": "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso",
		"nl": "de van een het en in is dat op te zijn met voor niet aan er die om ook als maar bij of uit nog door naar heeft hij ze over tot je worden wordt kan geen deze dan was",
		"sv": "och i att det som en på är av för med till den har de inte om ett han men var jag sig från vi så kan när nu efter också",
		"da": "og i at det er en til af på for de med den der ikke som har et han fra var om sig men vi jeg kan blev efter også",
		"nb": "og i det på som er en til å at for av med de har ikke den et om var fra han men seg jeg vi ble etter også kan",
		"fi": "ja on ei että se oli hän mutta ovat kun myös niin kuin tai joka sen ole olla mukaan jos sekä vain",
		"pl": "w i na z się nie do to że jest o jak po co ale za od przez przy dla są tym jego być może oraz był już tylko ze",
		"cs": "a se v na je že to s z do i o k ve pro za by ale jako po od jsem však jsou nebo které který byl tak již",
		"hu": "a az és hogy nem is egy ez csak meg volt de már még mint ha van ki vagy azt el kell lesz",
		"ro": "de și în a la cu pe o că nu un din mai pentru este care să ca sunt au fost prin sau ce dar",
		"tr": "ve bir bu da de için ile olarak çok daha olan gibi sonra kadar ne var en ise değil ama ya ki her",
		"vi": "và của là có không được cho các trong một với người những để khi này đã về như từ cũng đến",
		"id": "yang dan di dengan untuk dari ini dalam itu tidak pada akan juga oleh ke ada adalah dapat sebagai mereka karena",
	},
	"cyrillic": {
		"ru": "и в не на что с по как это он но из у за от все так о для же было его к только бы еще а или они при был когда",
		"uk": "і в на що не з та до у як це за від про він але його для є які так було бути або також ми ще вже",
		"bg": "на и да в за не се от с е че са по като до това си но към при ще или който бе след има",
		"sr": "је и у да се на за су од са што не као које који из али то или био",
		"be": "і ў не на што з як да гэта за па ад у але для якія быў ён таксама",
	},
	"arabic": {
		"ar": "في من على إلى أن عن التي الذي هذا هذه مع كان ما لا قد بعد كل بين ذلك أو",
		"fa": "و در به از که این است را با برای آن یک خود شد می بر تا های شده هم",
		"ur": "کے کی میں ہے اور سے کا کو پر نے کہ یہ ہیں اس بھی کر تھا ایک",
	},
	"devanagari": {
		"hi": "के में है की और से का को पर ने कि यह हैं भी एक नहीं इस हो था लिए",
		"mr": "आहे आणि या च्या ते हे व मध्ये आहेत होते की ही एक",
		"ne": "को छ र मा हो यो पनि गर्न भएको छन् लागि एक",
	},
	"bengali": {"bn": "এবং এই করে থেকে ও জন্য একটি হয়"},
}

// byWords returns the language of a script whose words are the most in text, if they
// are a tenth of all words of a text, and at least three.
func byWords(text, script string) string {
	languages := functionWords[script]
	index := make(map[string][]string)
	for language, words := range languages {
		for w := range strings.FieldsSeq(words) {
			index[w] = append(index[w], language)
		}
	}
	counts := make(map[string]float64)
	all := 0
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		all++
		for _, language := range index[w] {
			counts[language] += 1 / float64(len(index[w])+1) // what few languages share tells more
		}
	}
	best, most := "", 0.0
	for language, n := range counts {
		if n > most || n == most && language < best {
			best, most = language, n
		}
	}
	if most < 1.5 || most*20 < float64(all) {
		return ""
	}
	return best
}
