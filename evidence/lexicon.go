package evidence

import (
	_ "embed"
	"strings"
	"sync"
)

// wordSet returns a function that makes a set of the words of s once.
func wordSet(s string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for w := range strings.FieldsSeq(s) {
			m[w] = true
		}
		return m
	})
}

// wordMap returns a function that reads lines of the form "meaning: word word" once. An underscore in a meaning is a blank.
func wordMap(lines string) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		m := map[string]string{}
		for line := range strings.Lines(lines) {
			meaning, words, _ := strings.Cut(line, ":")
			for w := range strings.FieldsSeq(words) {
				m[w] = strings.ReplaceAll(strings.TrimSpace(meaning), "_", " ")
			}
		}
		return m
	})
}

//go:embed words_en.txt
var englishWords string

// commonWords are frequent words that are no name when a sentence starts with them.
var commonWords = wordSet(englishWords)

var abbreviations = wordSet("mr mrs ms dr prof st mt ft no nos vs inc ltd co corp jr sr gen sen rep gov lt col capt sgt rev hon " +
	"jan feb mar apr jun jul aug sep sept oct nov dec approx est etc fig vol dept univ bros mio mrd bzw ca ggf nr hr mme mlle art")

// magnitudeWords give the power of ten of a word. They are matched in small letters.
var magnitudeWords = wordMap(`3: k thousand tausend mille mil duizend тысяча тысячи тысяч тыс tsd
2: hundred hundert
5: lakh lakhs lac lacs
6: mn mln mio million millions millionen millón millones milione milioni milhão milhões miljoen миллион миллиона миллионов млн
7: crore crores
9: bn billion billions mrd mia milliarde milliarden milliard milliards miliardo miliardi bilhão bilhões miljard миллиард миллиарда миллиардов млрд md
12: tn trn trillion trillions billón billones trilhão trilhões триллион триллиона триллионов трлн`)

// longScale are words that mean another number in languages of the long scale.
var longScale = wordMap(`12: billion billionen billions biljoen bilione bilioni
18: trillion trillionen trillions triljoen`)

// unitWords are units in small letters; each is known by its first word. The age of a person is no unit: "45 years old" is 45.
var unitWords = wordMap(`km: kilometre kilometres kilometer kilometers kms kilomètres kilómetros
m: metre metres meter meters
cm: centimetre centimetres centimeter centimeters
mm: millimetre millimetres millimeter millimeters
mile: mile miles
ft: ft foot feet
inch: inch inches
yard: yard yards yds
kg: kilogram kilograms kilogramme kilogrammes kilo kilos kgs
g: gram grams gramme grammes
mg: milligram milligrams
t: tonne tonnes ton tons
lb: lb lbs
oz: oz ounce ounces
L: litre litres liter liters
mL: millilitre millilitres milliliter milliliters
gallon: gallon gallons
barrel: barrel barrels bbl
acre: acre acres
ha: hectare hectares
second: sec secs seconds
minute: min mins minute minutes minuten
hour: hr hrs hour hours stunde stunden heures horas ore
day: day days tag tage tagen jours días giorni
week: week weeks woche wochen semaines semanas
month: month months monat monate monaten mois meses mesi
year: yr yrs year years jahr jahre jahren ans años anni anos
decade: decade decades
century: centuries
W: watt watts
kW: kw kilowatt kilowatts
MW: megawatt megawatts
GW: gigawatt gigawatts
kWh: kwh kilowatt-hours
MWh: mwh
GWh: gwh
TWh: twh
V: volt volts
Hz: hertz
MHz: megahertz
GHz: gigahertz
kB: kilobyte kilobytes
MB: megabyte megabytes
GB: gigabyte gigabytes
TB: terabyte terabytes
degree: degree degrees grad
mph: mph
knot: knot knots
x: times fold
dozen: dozens
calorie: calorie calories kcal
pixel: pixel pixels px
light-year: light-years
kelvin: kelvin kelvins
tesla: teslas
MP: megapixel megapixels`)

// unitSigns are units whose letter case matters.
var unitSigns = wordMap(`km: km
m: m
cm: cm
mm: mm
nm: nm
kg: kg
g: g
mg: mg
t: t
L: l L
mL: ml mL
ha: ha
second: s
hour: h
minute: min
W: W
kW: kW
MW: MW
GW: GW
TW: TW
kWh: kWh
MWh: MWh
GWh: GWh
TWh: TWh
mAh: mAh
Wh: Wh
V: V
Hz: Hz
kHz: kHz
MHz: MHz
GHz: GHz
kB: kB KB
MB: MB
GB: GB
TB: TB
MP: MP
mph: mph
km/h: kmh kph
km2: km²
m2: m²
m3: m³
°C: ℃
°F: ℉
dB: dB
hp: hp
inch: in
fps: fps
x: x
pp: pp ppt pps
bp: bp bps`)

// currencyWords give the code of a currency's name.
var currencyWordMap = wordMap(`USD: dollar dollars buck bucks dólares dólar
EUR: euro euros евро
GBP: sterling
JPY: yen
CNY: yuan renminbi rmb
INR: rupee rupees
RUB: rouble roubles ruble rubles рубль рубля рублей руб
CHF: franken
KRW: won
MXN: peso pesos
SEK: kronor krona
NOK: kroner
BRL: reais real
ILS: shekel shekels
TRY: lira
BTC: bitcoin bitcoins
GBP|lb: pound pounds`)

// currencyCodeSet are codes that stand before or after an amount.
var currencyCodeSet = wordSet("USD EUR GBP JPY CNY RMB HKD CHF INR AUD CAD NZD RUB KRW SEK NOK DKK SGD BRL TWD ZAR MXN TRY PLN ILS BTC AED SAR THB")

// currencyPrefixes are letters directly before a dollar sign.
var currencyPrefixes = wordMap(`USD: US U.S.
AUD: A AU
CAD: C CA
HKD: HK
NZD: NZ
SGD: S
TWD: NT
BRL: R
MXN: Mex MX`)

// dollarOwners are words before "dollars".
var dollarOwners = wordMap(`USD: us u.s american
AUD: australian
CAD: canadian
HKD: kong
NZD: zealand
SGD: singapore
TWD: taiwan taiwanese`)

// currencySigns give the code of a currency's sign; a yen sign stands for two.
var currencySigns = wordMap(`USD: $ ＄
EUR: €
GBP: £ ￡
CNY|JPY: ¥ ￥
INR: ₹
RUB: ₽
KRW: ₩
ILS: ₪
TRY: ₺
VND: ₫
NGN: ₦
UAH: ₴
BTC: ₿`)

// monthNames give the number of a month, in small letters.
var monthNames = wordMap(`01: january jan januar januari janvier enero gennaio janeiro января январь январе
02: february feb februar februari février febrero febbraio fevereiro февраля февраль феврале
03: march mar märz maart mars marzo março марта март марте
04: april apr avril abril aprile апреля апрель апреле
05: may mai mei mayo maggio maio мая май мае
06: june jun juni juin junio giugno junho июня июнь июне
07: july jul juli juillet julio luglio julho июля июль июле
08: august aug augustus août agosto августа август августе
09: september sept sep septembre septiembre settembre setembro сентября сентябрь сентябре
10: october oct oktober octobre octubre ottobre outubro октября октябрь октябре
11: november nov novembre noviembre novembro ноября ноябрь ноябре
12: december dec dezember décembre diciembre dicembre dezembro декабря декабрь декабре`)

var weekdays = wordMap(`Monday: monday montag lundi lunes понедельник
Tuesday: tuesday dienstag mardi martes вторник
Wednesday: wednesday mittwoch mercredi miércoles среду
Thursday: thursday donnerstag jeudi jueves четверг
Friday: friday freitag vendredi viernes пятницу
Saturday: saturday samstag samedi sábado субботу
Sunday: sunday sonntag dimanche domingo воскресенье`)

func magnitudeOf(w string, lang language) (int, bool) {
	switch w {
	case "K":
		return 3, true
	case "M":
		return 6, true
	case "B", "b":
		return 9, true
	}
	low := strings.ToLower(w)
	if lang == french || lang == german || lang == spanish || lang == italian || lang == dutch {
		if n, ok := longScale()[low]; ok {
			return atoi(n), true
		}
	}
	n, ok := magnitudeWords()[low]
	return atoi(n), ok
}

func unitOf(w string) (string, bool) {
	if u, ok := unitSigns()[w]; ok {
		return u, true
	}
	u, ok := unitWords()[strings.ToLower(w)]
	return u, ok
}

// atoi reads the few digits of a table.
func atoi(s string) int {
	n := 0
	for i := 0; i < len(s) && i < 9; i++ {
		if s[i] >= '0' && s[i] <= '9' {
			n = n*10 + int(s[i]-'0')
		}
	}
	return n
}
