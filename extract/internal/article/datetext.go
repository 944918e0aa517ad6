package article

import (
	"regexp"
	"strings"
	"sync"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// months are the names of months, whole and short, in the languages whose dates
// are read. No name stands for two months in them.
var months = sync.OnceValue(func() map[string]int {
	return monthTable(
		// English
		"january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug", "september sept sep", "october oct", "november nov", "december dec",
		// German
		"januar jänner jan", "februar feber feb", "märz mär mrz", "april", "mai", "juni", "juli", "august", "september", "oktober okt", "november", "dezember dez",
		// French
		"janvier janv", "février fevrier févr fév", "mars", "avril avr", "mai", "juin", "juillet juil", "août aout", "septembre", "octobre", "novembre", "décembre decembre déc",
		// Spanish
		"enero ene", "febrero", "marzo", "abril abr", "mayo", "junio", "julio", "agosto ago", "septiembre setiembre", "octubre", "noviembre", "diciembre dic",
		// Portuguese
		"janeiro", "fevereiro fev", "março marco", "abril", "maio", "junho", "julho", "agosto", "setembro set", "outubro out", "novembro", "dezembro",
		// Italian
		"gennaio gen", "febbraio", "marzo", "aprile", "maggio mag", "giugno giu", "luglio lug", "agosto", "settembre", "ottobre ott", "novembre", "dicembre",
		// Dutch
		"januari", "februari", "maart mrt", "april", "mei", "juni", "juli", "augustus", "september", "oktober", "november", "december",
		// Polish
		"stycznia styczeń sty", "lutego luty lut", "marca marzec", "kwietnia kwiecień kwi", "maja maj", "czerwca czerwiec cze", "lipca lipiec lip", "sierpnia sierpień sie", "września wrzesień wrz", "października październik paź", "listopada listopad lis", "grudnia grudzień gru",
		// Russian
		"января январь янв", "февраля февраль фев", "марта март мар", "апреля апрель апр", "мая май", "июня июнь июн", "июля июль июл", "августа август авг", "сентября сентябрь сен сент", "октября октябрь окт", "ноября ноябрь ноя", "декабря декабрь дек",
		// Indonesian
		"januari", "februari", "maret", "april", "mei", "juni", "juli", "agustus", "september", "oktober", "november", "desember",
	)
})

func monthTable(lists ...string) map[string]int {
	table := map[string]int{}
	for i, list := range lists {
		for name := range strings.FieldsSeq(list) {
			table[name] = i%12 + 1
		}
	}
	return table
}

var (
	dayMonthForm = lazyregexp.New(`(?i)(?:^|[^\d\pL])(\d{1,2})(?:st|nd|rd|th|er|º|ª|\.)?[\s\-/]*(?:of |de |di |d')?[\s\-/]*(\pL{3,12})\.?,?[\s\-/]*(?:de |del |do )?\s*(\d{4})(?:$|[^\d\pL]|\pL)`)
	monthDayForm = lazyregexp.New(`(?i)(?:^|[^\pL])(\pL{3,12})\.?[\s\-]*(\d{1,2})(?:st|nd|rd|th)?\s*,?\s*(?:at \d{1,2}:\d{2}\s*[ap]m,?\s*)?(\d{4})(?:$|[^\d])`)
	monthForm    = lazyregexp.New(`(?i)(?:^|[^\pL\d\s.,]\s*|\pL[,.:]?\s+)(\pL{3,12})\.?,? (?:de |del )?(\d{4})(?:$|[^\d])`)
	hanForm      = lazyregexp.New(`(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월](?:\s*(\d{1,2})\s*[日일号號])?`)
	yearForm     = lazyregexp.New(`(?:^|[^\d./-])(\d{4})\s?([-/.])\s?(\d{1,2})\s?[-/.]\s?(\d{1,2})(?:$|[^\d./-]|\.(?:$|\D))`)
	dottedForm   = lazyregexp.New(`(?:^|[^\d.])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4}|\d{2})(?:$|[^\d.]|\.(?:$|\D))`)
	slashForm    = lazyregexp.New(`(?:^|[^\d/-])(\d{1,2})([/-])(\d{1,2})[/-](\d{4})(?:$|[^\d/-])`)
)

// parseText reads the first date that a text holds as people write it. A month
// without a day counts only if there is nothing better.
func parseText(text, lang string) (moment, bool) {
	type find struct {
		at int
		m  moment
	}
	best := find{at: -1}
	try := func(at int, m moment) {
		if m.valid() && (best.at < 0 || at < best.at) {
			best = find{at, m}
		}
	}
	each := func(re func() *regexp.Regexp, read func(m []string) moment) {
		for _, x := range re().FindAllStringSubmatchIndex(text, 8) {
			m := make([]string, len(x)/2)
			for i := range m {
				if x[2*i] >= 0 {
					m[i] = text[x[2*i]:x[2*i+1]]
				}
			}
			try(x[2], read(m))
		}
	}
	each(dayMonthForm, func(m []string) moment { return named(m[3], m[2], m[1]) })
	each(monthDayForm, func(m []string) moment { return named(m[3], m[1], m[2]) })
	each(hanForm, func(m []string) moment { return moment{year: atoi(m[1]), month: atoi(m[2]), day: atoi(m[3])} })
	each(yearForm, func(m []string) moment { return moment{year: atoi(m[1]), month: atoi(m[3]), day: atoi(m[4])} })
	each(dottedForm, func(m []string) moment {
		year := atoi(m[3])
		if year < 100 {
			year += 2000
		}
		if atoi(m[2]) > 12 {
			return moment{year: year, month: atoi(m[1]), day: atoi(m[2])}
		}
		return moment{year: year, month: atoi(m[2]), day: atoi(m[1])}
	})
	each(slashForm, func(m []string) moment { return slashed(atoi(m[1]), atoi(m[3]), atoi(m[4]), lang) })
	if best.at < 0 {
		each(monthForm, func(m []string) moment { return named(m[2], m[1], "") })
	}
	return best.m, best.at >= 0
}

func named(year, month, day string) moment {
	number := months()[strings.ToLower(month)]
	if number == 0 {
		return moment{}
	}
	return moment{year: atoi(year), month: number, day: atoi(day)}
}

// slashed reads 03/04/2019 by the language of the page. English has both orders,
// so that it needs a region; without one the date is not read.
func slashed(a, b, year int, lang string) moment {
	language, region, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(lang, "_", "-")), "-")
	switch {
	case a == b || a > 12:
		return moment{year: year, month: b, day: a}
	case b > 12:
		return moment{year: year, month: a, day: b}
	case language == "en" && region == "us":
		return moment{year: year, month: a, day: b}
	case language == "en" && region != "" && region != "ca" && region != "ph":
		return moment{year: year, month: b, day: a}
	case strings.Contains(" de fr es it pt nl pl ru uk id tr el da fi cs sk ro vi ca gl ", " "+language+" ") && language != "":
		return moment{year: year, month: b, day: a}
	}
	return moment{}
}
