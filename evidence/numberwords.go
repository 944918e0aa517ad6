package evidence

import "strings"

// smallNumbers are the words below one hundred.
var smallNumbers = wordMap(`0: zero
1: one
2: two
3: three
4: four
5: five
6: six
7: seven
8: eight
9: nine
10: ten
11: eleven
12: twelve
13: thirteen
14: fourteen
15: fifteen
16: sixteen
17: seventeen
18: eighteen
19: nineteen
20: twenty
30: thirty
40: forty
50: fifty
60: sixty
70: seventy
80: eighty
90: ninety`)

var ordinalWords = wordMap(`1: first
2: second
3: third
4: fourth
5: fifth
6: sixth
7: seventh
8: eighth
9: ninth
10: tenth
11: eleventh
12: twelfth
13: thirteenth
14: fourteenth
15: fifteenth
16: sixteenth
17: seventeenth
18: eighteenth
19: nineteenth
20: twentieth
30: thirtieth
40: fortieth
50: fiftieth
60: sixtieth
70: seventieth
80: eightieth
90: ninetieth
100: hundredth`)

var fractionWords = wordMap(`2: half halves
3: third thirds
4: quarter quarters
5: fifth fifths
6: sixth sixths
8: eighth eighths
10: tenth tenths`)

// numberWords reads an English number in words at i.
func (p *parser) numberWords(i int) (core, bool) {
	low := p.low(i)
	article := low == "a" || low == "an"
	switch {
	case low == "half":
		return p.half(i)
	case article && (p.low(i+1) == "half" || p.low(i+1) == "quarter" || p.low(i+1) == "third" || p.low(i+1) == "fifth" || p.low(i+1) == "tenth"):
		if p.low(i+2) == "of" || p.low(i+1) == "half" && p.low(i+2) != "time" {
			return core{value: fraction("1", fractionWords()[p.low(i+1)]), next: i + 2, half: true}, true
		}
		return core{}, false
	case article:
		switch p.low(i + 1) {
		case "dozen", "hundred", "thousand", "million", "billion", "trillion", "crore", "lakh":
			return p.scaled(core{value: "1"}, 1, i+1), true
		}
		return core{}, false
	case vagueNumber(low) && p.tok(i-1).kind != numberToken:
		return core{value: "~" + strings.TrimSuffix(low, "s"), next: i + 1}, true
	case (low == "several" || low == "few" || low == "many") && vagueNumber(p.low(i+1)+"s"):
		return core{value: "~" + p.low(i+1), next: i + 2}, true
	}
	if v, ok := ordinalWords()[low]; ok && !(low == "second" && p.low(i-1) == "per") {
		if low == "second" && (p.low(i-1) == "a" || p.low(i-1) == "each" || p.low(i-1) == "every") && p.tok(i+1).kind != wordToken {
			return core{}, false
		}
		return core{value: v, next: i + 1, ordinal: true}, true
	}
	v, ok := smallNumbers()[low]
	if !ok {
		return core{}, false
	}
	if low == "one" && (p.low(i-1) == "no" || p.low(i+1) == "another") {
		return core{}, false
	}
	c := core{value: v, next: i + 1, word: low == "one"}
	n := atoi(v)
	at := i + 1
	if p.is(at, "-") && p.glue(at) && p.glue(at+1) || n >= 20 {
		j := at
		if p.is(at, "-") && p.glue(at) {
			j++
		}
		if f, ok := fractionWords()[p.low(j)]; ok && j > at && n < 20 {
			return core{value: fraction(v, f), next: j + 1, half: true}, true
		}
		if n >= 20 {
			if u, ok := smallNumbers()[p.low(j)]; ok && len(u) == 1 && u != "0" {
				n += atoi(u)
				at = j + 1
			} else if u, ok := ordinalWords()[p.low(j)]; ok && len(u) == 1 {
				return core{value: itoa(n + atoi(u)), next: j + 1, ordinal: true}, true
			}
		}
	}
	if f, ok := fractionWords()[p.low(at)]; ok && n < 10 && p.low(at) != "half" && (f != "4" || n < 4) {
		if last := p.low(at); n == 1 || last[len(last)-1] == 's' {
			return core{value: fraction(v, f), next: at + 1, half: true}, true
		}
	}
	if p.phrase(at, "and", "a", "half") {
		return core{value: itoa(n) + ".5", next: at + 3}, true
	}
	if p.phrase(at, "point") {
		if u, ok := smallNumbers()[p.low(at+1)]; ok && len(u) == 1 {
			return core{value: decimal(itoa(n), u), next: at + 2}, true
		}
	}
	return p.scaled(c, n, at), true
}

func vagueNumber(low string) bool {
	switch low {
	case "dozens", "hundreds", "thousands", "millions", "billions", "trillions":
		return true
	}
	return false
}

// scaled goes on with hundreds and with smaller parts behind a magnitude: "two thousand three hundred and five".
func (p *parser) scaled(c core, n, at int) core {
	total, current := 0, n
	for range 8 {
		low := p.low(at)
		if low == "-" && p.glue(at) && p.glue(at+1) && (p.low(at+1) == "hundred" || p.low(at+1) == "thousand") {
			at++
			low = p.low(at)
		}
		scale := scaleOf(low)
		if scale == 0 || current == 0 || current > 999 || scale == 100 && current > 99 {
			break
		}
		if scale == 100 {
			current *= 100
		} else {
			total, current = total+current*scale, 0
		}
		at++
		c.word = false
		j := at
		if p.low(j) == "and" {
			j++
		}
		rest, next := p.belowHundred(j)
		if next == j {
			if current == 0 || p.low(at) == "hundred" {
				break
			}
			continue
		}
		current += rest
		at = next
	}
	c.value, c.next = itoa(total+current), at
	return c
}

func scaleOf(low string) int {
	switch low {
	case "hundred":
		return 100
	case "thousand":
		return 1000
	case "million":
		return 1e6
	case "billion":
		return 1e9
	}
	return 0
}

// belowHundred reads a word below one hundred at i.
func (p *parser) belowHundred(i int) (int, int) {
	v, ok := smallNumbers()[p.low(i)]
	if !ok || v == "0" {
		return 0, i
	}
	n := atoi(v)
	if n < 20 {
		return n, i + 1
	}
	j := i + 1
	if p.is(j, "-") && p.glue(j) {
		j++
	}
	if u, ok := smallNumbers()[p.low(j)]; ok && len(u) == 1 && u != "0" {
		return n + atoi(u), j + 1
	}
	return n, i + 1
}

// half reads "half", "half a million" and "half of".
func (p *parser) half(i int) (core, bool) {
	switch p.low(i - 1) {
	case "first", "second", "other", "latter", "better", "top", "bottom", "this", "last":
		return core{}, false
	}
	if p.is(i-1, "-") || p.is(i+1, "-") {
		return core{}, false
	}
	if p.low(i+1) == "a" || p.low(i+1) == "an" {
		if p.low(i+2) == "dozen" {
			return core{value: "6", next: i + 3}, true
		}
		if _, ok := magnitudeWords()[p.low(i+2)]; ok {
			return core{value: "0.5", next: i + 2}, true
		}
	}
	return core{value: "0.5", next: i + 1, half: true}, true
}
