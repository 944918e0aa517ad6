package evidence

import (
	"strings"
	"unicode/utf8"
)

// hanDigit is the value of a Chinese digit, or -1.
func hanDigit(s string) int {
	switch s {
	case "零", "〇":
		return 0
	case "一", "壹":
		return 1
	case "二", "两", "兩", "贰":
		return 2
	case "三", "叁":
		return 3
	case "四", "肆":
		return 4
	case "五", "伍":
		return 5
	case "六", "陆":
		return 6
	case "七", "柒":
		return 7
	case "八", "捌":
		return 8
	case "九", "玖":
		return 9
	}
	return -1
}

// hanMagnitude is the power of ten of a Chinese magnitude, or 0.
func hanMagnitude(s string) int {
	switch s {
	case "十":
		return 1
	case "百":
		return 2
	case "千":
		return 3
	case "万", "萬":
		return 4
	case "亿", "億":
		return 8
	case "兆":
		return 12
	}
	return 0
}

func pow10(n int) int {
	v := 1
	for ; n > 0; n-- {
		v *= 10
	}
	return v
}

// hanNumber reads a number in Chinese characters, or in digits with Chinese magnitudes, at i.
func (p *parser) hanNumber(i int) (core, bool) {
	if p.tok(i).text == "第" {
		if c, ok := p.hanDigits(i + 1); ok && !strings.Contains(c.value, ".") {
			c.ordinal = true
			return c, true
		}
		if t := p.tok(i + 1); t.kind == numberToken && t.num.bare {
			return core{value: t.num.value, next: i + 2, ordinal: true}, true
		}
		return core{}, false
	}
	if p.han(i, "百分之") {
		if t := p.tok(i + 3); t.kind == numberToken {
			return core{value: t.num.value, next: i + 4, percent: true}, true
		}
		if p.is(i+3, "百") {
			return core{value: "100", next: i + 4, percent: true}, true
		}
		if c, ok := p.hanDigits(i + 3); ok {
			c.percent = true
			return c, true
		}
		return core{}, false
	}
	if p.han(i, "一半") {
		return core{value: "0.5", next: i + 2, half: true}, true
	}
	if p.is(i, "半") && (p.is(i+1, "数") || p.is(i+1, "年") || p.is(i+1, "小")) {
		return core{value: "0.5", next: i + 1, half: true}, true
	}
	c, ok := p.hanDigits(i)
	if !ok {
		return core{}, false
	}
	if p.han(c.next, "分之") {
		if d, ok := p.hanDigits(c.next + 2); ok {
			return core{value: fraction(d.value, c.value), next: d.next, half: true}, true
		}
	}
	if p.is(c.next, "成") && c.next == i+1 && !p.is(c.next+1, "立") && !p.is(c.next+1, "为") && !p.is(c.next+1, "员") {
		c.value, c.percent, c.next = shift(c.value, 1), true, c.next+1
		if d := hanDigit(p.tok(c.next).text); d > 0 {
			c.value, c.next = itoa(atoi(c.value)+d), c.next+1
		}
		return c, true
	}
	if p.tok(i).kind == hanToken && c.next == i+1 && !p.loneHan(i) {
		return core{}, false
	}
	return c, true
}

// loneHan reports whether a single Chinese numeral at i is a number: one before what is counted. "一个" is an article.
func (p *parser) loneHan(i int) bool {
	if c := p.tok(i - 1); c.kind == hanToken {
		switch c.text {
		case "第", "统", "唯", "万", "之", "十", "初", "周", "期", "其":
			return false
		}
	}
	next := p.tok(i + 1).text
	if p.is(i, "十") {
		return strings.Contains(measureWords, next) && next != "" && !p.is(i+1, "分") || p.han(i+1, "分钟")
	}
	if n, unit, money := p.hanUnit(i + 1); n > 0 && (unit != "" || money != "") {
		return true
	}
	return !p.is(i, "一") && next != "" && strings.Contains(measureWords, next)
}

// measureWords are what stands between a number and what is counted.
const measureWords = "个個位名人年月日天次家件条種种项項岁歲元所座只隻台辆艘架届屆层層本部篇张張场場处處支枝份批组組户戶头頭棵间間期轮句章页秒吨米克倍度级級国國省市县州镇村门门栋幢"

// hanDigits reads the number itself.
func (p *parser) hanDigits(i int) (core, bool) {
	start := i
	if d := hanDigit(p.tok(i).text); d < 0 && p.tok(i).kind != numberToken && !p.is(i, "十") {
		return core{}, false
	}
	// A row of digits: 二〇二四.
	row := ""
	for j := i; hanDigit(p.tok(j).text) >= 0 && len(row) < 20; j++ {
		row += itoa(hanDigit(p.tok(j).text))
	}
	if n := utf8.RuneCountInString(row); n > 1 && hanMagnitude(p.tok(i+n).text) == 0 && !(n == 2 && row[0] != '0' && !p.is(i+n, "年") && !p.is(i+n, "点")) {
		return core{value: decimal(row, ""), next: i + n}, true
	}
	total, section, last := 0, 0, 0
	for {
		t := p.tok(i)
		var value string
		switch {
		case i > start && t.gap:
			return p.hanDone(start, i, total+section)
		case t.kind == numberToken && (i == start || p.glue(i)):
			value = t.num.value
		case hanDigit(t.text) >= 0:
			value = itoa(hanDigit(t.text))
			if p.is(i+1, "点") || p.is(i+1, "點") {
				j, frac := i+2, ""
				for hanDigit(p.tok(j).text) >= 0 && len(frac) < 20 {
					frac += itoa(hanDigit(p.tok(j).text))
					j++
				}
				if frac != "" {
					v := decimal(itoa(total+section+atoi(value)), frac)
					for exp := hanMagnitude(p.tok(j).text); exp > 0; exp = hanMagnitude(p.tok(j).text) {
						v = shift(v, exp)
						j++
					}
					return core{value: v, next: j}, true
				}
			}
		case t.text == "十":
			value = "1"
			i--
		default:
			return p.hanDone(start, i, total+section)
		}
		i++
		exp := 0
		for p.tok(i).kind == hanToken && hanMagnitude(p.tok(i).text) > 0 {
			m := hanMagnitude(p.tok(i).text)
			if m >= 4 && (section > 0 || value == "0") {
				break
			}
			exp += m
			i++
		}
		if p.is(i, "几") && exp == 0 || p.is(i, "多") || p.is(i, "余") {
			if m := hanMagnitude(p.tok(i + 1).text); m >= 4 && section == 0 {
				exp += m
				i += 2
				for m := hanMagnitude(p.tok(i).text); m >= 4; m = hanMagnitude(p.tok(i).text) {
					exp += m
					i++
				}
			}
		}
		if strings.ContainsAny(value, "./") || len(value)+exp > 16 {
			if total+section > 0 {
				return p.hanDone(start, i-1, total+section)
			}
			return core{value: shift(value, exp), next: i, bare: false}, true
		}
		n := 0
		for _, c := range value {
			if c < '0' || c > '9' {
				return core{value: value, next: i}, true
			}
			n = n*10 + int(c-'0')
		}
		if exp == 0 && last > 1 && n < 10 && value != "0" && !p.is(i-2, "零") && !p.is(i-2, "〇") && p.tok(i-1).kind == hanToken && hanDigit(p.tok(i).text) < 0 {
			exp = last - 1 // 两万五
		}
		section += n * pow10(exp)
		last = exp
		// A magnitude of ten thousand or more closes what stands before it.
		for m := hanMagnitude(p.tok(i).text); m >= 4 && p.tok(i).kind == hanToken && section < 1e8; m = hanMagnitude(p.tok(i).text) {
			section *= pow10(m)
			last = m
			i++
		}
		if exp >= 4 || last >= 4 {
			total, section = total+section, 0
		}
		if total > 1e15 || i-start > 24 {
			return p.hanDone(start, i, total+section)
		}
		if n := p.tok(i); !(n.kind == numberToken && p.glue(i) && exp > 0) && hanDigit(n.text) < 0 && n.text != "十" {
			return p.hanDone(start, i, total+section)
		}
	}
}

func (p *parser) hanDone(start, next, n int) (core, bool) {
	if next <= start {
		return core{}, false
	}
	return core{value: itoa(n), next: next}, true
}

// hanUnits are units in Chinese, the longest first where one starts with another.
var hanUnits = [...]struct{ han, unit, money string }{
	{"个百分点", "pp", ""}, {"個百分點", "pp", ""}, {"百分点", "pp", ""}, {"个基点", "bp", ""},
	{"平方公里", "km2", ""}, {"平方千米", "km2", ""}, {"平方米", "m2", ""}, {"立方米", "m3", ""},
	{"公里", "km", ""}, {"千米", "km", ""}, {"厘米", "cm", ""}, {"毫米", "mm", ""}, {"米", "m", ""},
	{"公斤", "kg", ""}, {"千克", "kg", ""}, {"毫克", "mg", ""}, {"克", "g", ""}, {"吨", "t", ""}, {"噸", "t", ""}, {"升", "L", ""},
	{"公顷", "ha", ""}, {"英里", "mile", ""}, {"亩", "mu", ""},
	{"个小时", "hour", ""}, {"小时", "hour", ""}, {"小時", "hour", ""}, {"分钟", "minute", ""}, {"分鐘", "minute", ""}, {"秒", "second", ""},
	{"个月", "month", ""}, {"個月", "month", ""}, {"个星期", "week", ""}, {"星期", "week", ""}, {"周", "week", ""},
	{"周年", "year", ""}, {"年", "year", ""}, {"天", "day", ""}, {"倍", "x", ""}, {"摄氏度", "°C", ""}, {"度", "degree", ""},
	{"千瓦时", "kWh", ""}, {"千瓦", "kW", ""}, {"兆瓦", "MW", ""}, {"瓦", "W", ""},
	{"美元", "", "USD"}, {"美金", "", "USD"}, {"欧元", "", "EUR"}, {"歐元", "", "EUR"}, {"英镑", "", "GBP"}, {"英鎊", "", "GBP"},
	{"日元", "", "JPY"}, {"日圆", "", "JPY"}, {"港元", "", "HKD"}, {"港币", "", "HKD"}, {"澳元", "", "AUD"}, {"加元", "", "CAD"},
	{"韩元", "", "KRW"}, {"卢布", "", "RUB"}, {"卢比", "", "INR"}, {"瑞士法郎", "", "CHF"}, {"新台币", "", "TWD"},
	{"元人民币", "", "CNY"}, {"人民币", "", "CNY"}, {"元", "", "CNY"}, {"块钱", "", "CNY"}, {"円", "", "JPY"},
}

// hanUnit reads a Chinese unit at i; 多 and 余 may stand before it.
func (p *parser) hanUnit(i int) (n int, unit, money string) {
	skip := 0
	if p.is(i, "多") || p.is(i, "余") || p.is(i, "几") {
		skip = 1
	}
	if p.tok(i+skip).kind != hanToken {
		return 0, "", ""
	}
	if p.is(i+skip, "周") && p.is(i+skip+1, "年") {
		return skip + 2, "year", ""
	}
	for _, u := range hanUnits {
		if p.han(i+skip, u.han) {
			return skip + utf8.RuneCountInString(u.han), u.unit, u.money
		}
	}
	return 0, "", ""
}
