package corpus

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAnalyze(t *testing.T) {
	tests := []struct{ text, words, wholes string }{
		{"The databases' settings aren't running", "databas set run", ""},
		{"pg_stat_activity", "pg stat activ", "pg_stat_activity"},
		{"ON_ERROR_STOP=1", "error stop 1", "on_error_stop"},
		{"error 23505.", "error 23505", ""},
		{"(server.crt)", "server crt", "server.crt"},
		{"use --no-owner or -j 4", "use owner j 4", "--no-owner -j"},
		{"a - b -- c", "b c", ""},
		{"see 15.20, 9:30 and http://x.example/y", "see 15 20 9 30 http x exampl y", "15.20 9:30 x.example/y"},
		{"Müller Ｆｕｌｌ ﬁle", "muller full file", ""},
		{"work_\u200bmem co\u00adoperate", "work mem cooper", "work_mem"},
		{"it’s John's", "john", ""},
		{"数据库 用pg", "数据 据库 用 pg", ""},
		{"データ", "デー ータ", ""},
		{"데이터를", "데이 이터 터를", ""},
		{"ｶﾞ", "ガ", ""},
		{"", "", ""},
		{strings.Repeat("x", 500), "", ""},
	}
	for _, test := range tests {
		var words, wholes []string
		for _, term := range newAnalyzer().terms(nil, test.text) {
			if term.start < 0 || term.end > len(test.text) || term.start >= term.end {
				t.Errorf("%q: %+v lies outside", test.text, term)
			}
			if term.kind == wholeTerm {
				wholes = append(wholes, term.text)
			} else {
				words = append(words, term.text)
			}
		}
		if diff := cmp.Diff(test.words, strings.Join(words, " ")); diff != "" {
			t.Errorf("%q: words (-want +got):\n%s", test.text, diff)
		}
		if diff := cmp.Diff(test.wholes, strings.Join(wholes, " ")); diff != "" {
			t.Errorf("%q: wholes (-want +got):\n%s", test.text, diff)
		}
	}
}
