package article

import "testing"

func TestParseStamp(t *testing.T) {
	t.Parallel()
	tests := []struct{ raw, lang, want string }{
		// For machines.
		{"2019-11-18", "", "2019-11-18"},
		{"2019-11-18T08:30:00+02:00", "", "2019-11-18T08:30:00+02:00"},
		{"2019-11-18T08:30:00.123Z", "", "2019-11-18T08:30:00Z"},
		{"2019-11-18T08:30+0100", "", "2019-11-18T08:30:00+01:00"},
		{"2019-11-18 08:30:00 UTC", "", "2019-11-18T08:30:00Z"},
		{"2019-11-18T08:30:00", "", "2019-11-18"}, // the offset is not known
		{"2019-11-18T99:30:00Z", "", "2019-11-18"},
		{"2019-11", "", "2019-11"},
		{"2019", "", "2019"},
		{"20191118", "", "2019-11-18"},
		{"20191118T083000Z", "", "2019-11-18T08:30:00Z"},
		{"1574065800", "", "2019-11-18T08:30:00Z"},
		{"1574065800000", "", "2019-11-18T08:30:00Z"},
		{"Mon, 18 Nov 2019 08:30:00 GMT", "", "2019-11-18T08:30:00Z"},
		{"Mon, 18 Nov 2019 08:30:00 -0500", "", "2019-11-18T08:30:00-05:00"},
		// English.
		{"article.Published 17 May 2019", "en", "2019-05-17"},
		{"Posted on Nov. 20th, 2019 at 5:52 AM EST", "en", "2019-11-20"},
		{"Monday November 18, 2019 7:45 am PST by", "en", "2019-11-18"},
		{"By Jane DoeNov 18, 2019", "en", ""}, // lines are read with blanks between elements
		{"18-Nov-2019", "en", "2019-11-18"},
		{"the 3rd of March 2020", "en", "2020-03-03"},
		{"21:17 18.11.2019", "en", "2019-11-18"},
		{"11.15.2019 10:09 AM", "en", "2019-11-15"},
		{"5:45 AM PST 11/19/2019", "en", "2019-11-19"},
		{"10:48, Tue, Nov 19, 2019", "en", "2019-11-19"},
		// German.
		{"Veröffentlicht am 25. September 2018", "de", "2018-09-25"},
		{"Stand: 1. März 2020, 12:00 Uhr", "de", "2020-03-01"},
		{"13.11.2019, 23:06", "de", "2019-11-13"},
		{"31.10.23", "de", "2023-10-31"},
		{"12. Jänner 2021", "de", "2021-01-12"},
		// French.
		{"Publié le 1er février 2021 à 10h00", "fr", "2021-02-01"},
		{"mis à jour le 14 août 2020", "fr", "2020-08-14"},
		{"le 03/04/2019", "fr", "2019-04-03"},
		// Spanish.
		{"5 de mayo de 2015", "es", "2015-05-05"},
		{"martes, 12 de septiembre del 2017", "es", "2017-09-12"},
		// Portuguese.
		{"sexta-feira, 22 de outubro de 2010 às 20:13", "pt", "2010-10-22"},
		{"27/09/2018Comente!", "pt-BR", "2018-09-27"},
		{"3 de março de 2020", "pt", "2020-03-03"},
		// Italian.
		{"Pubblicato il 7 luglio 2022", "it", "2022-07-07"},
		// Dutch.
		{"Gepubliceerd op 3 maart 2021 om 12:00", "nl", "2021-03-03"},
		// Polish.
		{"4 maja 2021 r.", "pl", "2021-05-04"},
		{"Publikacja: 04.05.2021, 18:22", "pl", "2021-05-04"},
		{"1 września 2022", "pl", "2022-09-01"},
		// Russian.
		{"Опубликовано 9 мая 2020, 10:00", "ru", "2020-05-09"},
		{"12 декабря 2019 года", "ru", "2019-12-12"},
		// Chinese, Japanese, Korean.
		{"2019年5月17日", "zh", "2019-05-17"},
		{"TNW中文站2016年10月14日07:17", "zh", "2016-10-14"},
		{"公開日：2018年8月16日（木）", "ja", "2018-08-16"},
		{"2016.12.01", "ja", "2016-12-01"},
		{"2021년 3월 2일 입력", "ko", "2021-03-02"},
		{"2021. 3. 2. 입력", "ko", "2021-03-02"},
		// Indonesian.
		{"Posted on Maret 30, 2015 by Admin", "id", "2015-03-30"},
		// Two orders: only a language or a number above 12 tells.
		{"03/04/2019", "en", ""},
		{"03/04/2019", "", ""},
		{"03/04/2019", "en-US", "2019-03-04"},
		{"03/04/2019", "en-GB", "2019-04-03"},
		{"03/04/2019", "en_AU", "2019-04-03"},
		{"03/04/2019", "de-AT", "2019-04-03"},
		{"25/04/2019", "", "2019-04-25"},
		{"04/25/2019", "", "2019-04-25"},
		{"04/04/2019", "", "2019-04-04"},
		// Months, and what is no date.
		{"May 2019", "en", "2019-05"},
		{"12 May", "en", ""},
		{"© 2019 Example Ltd", "en", ""},
		{"version 1.2.2019.4", "en", ""},
		{"192.168.2.2019", "en", ""},
		{"30 February 2019", "en", ""},
		{"17 May 1889", "en", ""},
		{"in 2019 some 12 people", "en", ""},
		{"+49 30 12345678", "en", ""},
		{"", "en", ""},
	}
	for _, test := range tests {
		got := ""
		if m, ok := parseStamp(test.raw, test.lang); ok {
			got = m.String()
		}
		if got != test.want {
			t.Errorf("parseStamp(%q, %q) is %q, want %q", test.raw, test.lang, got, test.want)
		}
	}
}

func TestMonthsAreOfOneNumber(t *testing.T) {
	t.Parallel()
	if months()["mai"] != 5 || months()["listopada"] != 11 || months()["mar"] != 3 || months()["ago"] != 8 {
		t.Errorf("months are %v", months())
	}
}

func TestMendJSON(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, src, want string }{
		{"sound", `{"a": [1,"x,}"]}`, `{"a": [1,"x,}"]}`},
		{"comma before a bracket", `{"a":[1,2,],}`, `{"a":[1,2]}`},
		{"commas in a run", `{"a":1,,"b":2}`, `{"a":1,"b":2}`},
		{"comma behind a bracket", `[,1]`, `[1]`},
		{"comment", "{/* x */\"a\":1 // y\n}", "{\"a\":1 }"},
		{"address in a string", `{"a":"http://x/*y*/"}`, `{"a":"http://x/*y*/"}`},
		{"CDATA", "<![CDATA[{\"a\":1}]]>", `{"a":1}`},
		{"CDATA in comments", "//<![CDATA[\n{\"a\":1}\n//]]>", "\n{\"a\":1}\n"},
		{"line end in a string", "{\"a\":\"x\ny\"}", `{"a":"x y"}`},
		{"bad escape", `{"a":"it\'s"}`, `{"a":"it's"}`},
		{"semicolon", `{"a":1};`, `{"a":1}`},
		{"cut in a comment", `{"a":1}/*`, `{"a":1}`},
	}
	for _, test := range tests {
		if got := mendJSON(test.src); got != test.want {
			t.Errorf("%s: mendJSON(%q) is %q, want %q", test.name, test.src, got, test.want)
		}
	}
}
