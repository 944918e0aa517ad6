package extract

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"github.com/quarry-sdk/quarry/internal/sharedtest"
)

func encode16(order binary.AppendByteOrder, s string) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, u)
	}
	return out
}

func encodeAs(t *testing.T, e encoding.Encoding, s string) []byte {
	t.Helper()
	out, err := e.NewEncoder().Bytes([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDecode(t *testing.T) {
	t.Parallel()
	chinese := "数据库的默认端口是五四三二，请在配置文件中修改。"
	taiwan := "資料庫的預設連接埠是五四三二，請在設定檔中修改。"
	japanese1 := "データベースの設定を変更する方法について説明します。"
	korean1 := "데이터베이스의 기본 설정을 바꾸는 방법을 설명합니다."
	russian := "Настройки базы данных хранятся в файле, который читается при запуске сервера."
	meta := func(name string) string { return `<meta charset="` + name + `">` }
	tests := []struct {
		name    string
		data    []byte
		header  string
		syntax  syntax
		want    string
		charset string
		source  string
		warning string
		err     error
	}{
		{name: "plain ASCII", data: []byte("abc"), want: "abc", charset: "windows-1252", source: "default"},
		{name: "UTF-8 with a byte order mark", data: []byte("\xEF\xBB\xBFgrün"), header: "text/plain; charset=iso-8859-1", want: "grün", charset: "utf-8", source: "bom"},
		{name: "UTF-16 LE with a mark", data: append([]byte{0xFF, 0xFE}, encode16(binary.LittleEndian, "grün 数据 😀")...), want: "grün 数据 😀", charset: "utf-16le", source: "bom"},
		{name: "UTF-16 BE with a mark", data: append([]byte{0xFE, 0xFF}, encode16(binary.BigEndian, "grün 数据")...), want: "grün 数据", charset: "utf-16be", source: "bom"},
		{name: "UTF-16 LE without a mark", data: encode16(binary.LittleEndian, "<p>hello there</p>"), syntax: htmlSyntax, want: "<p>hello there</p>", charset: "utf-16le", source: "content"},
		{name: "UTF-16 BE without a mark", data: encode16(binary.BigEndian, "hello there"), want: "hello there", charset: "utf-16be", source: "content"},
		{name: "header", data: encodeAs(t, charmap.ISO8859_2, `Łódź`), header: `text/html; charset="ISO-8859-2"`, syntax: htmlSyntax, want: `Łódź`, charset: "iso-8859-2", source: "header"},
		{name: "header before meta", data: encodeAs(t, charmap.ISO8859_2, meta("windows-1252")+`Łódź`), header: `text/html;charset=iso-8859-2;x`, syntax: htmlSyntax, want: meta("windows-1252") + `Łódź`, charset: "iso-8859-2", source: "header"},
		{name: "declared in a meta element", data: encodeAs(t, charmap.ISO8859_2, meta("iso-8859-2")+`Łódź`), syntax: htmlSyntax, want: meta("iso-8859-2") + `Łódź`, charset: "iso-8859-2", source: "meta"},
		{name: "gb2312 is read as GB18030", data: encodeAs(t, simplifiedchinese.GB18030, meta("gb2312")+`镕㐀`), syntax: htmlSyntax, want: meta("gb2312") + `镕㐀`, charset: "gbk", source: "meta"},
		{name: "declared in XML", data: encodeAs(t, charmap.Windows1251, `<?xml version="1.0" encoding="windows-1251"?><p>Привет</p>`), syntax: htmlSyntax, want: `<?xml version="1.0" encoding="windows-1251"?><p>Привет</p>`, charset: "windows-1251", source: "xml"},
		{name: "a declaration in plain text is text", data: []byte(meta("iso-8859-2") + " grün"), want: meta("iso-8859-2") + " grün", charset: "utf-8", source: "content"},
		{name: "an unknown label", data: []byte(meta("nonsense") + " grün"), syntax: htmlSyntax, want: meta("nonsense") + " grün", charset: "utf-8", source: "content"},

		{name: "Latin-1 is declared over UTF-8", data: []byte(meta("iso-8859-1") + " grün"), syntax: htmlSyntax, want: meta("iso-8859-1") + " grün", charset: "utf-8", source: "content", warning: "charset_mended"},
		{name: "gb2312 is declared over UTF-8", data: []byte(meta("gb2312") + chinese), syntax: htmlSyntax, want: meta("gb2312") + chinese, charset: "utf-8", source: "content", warning: "charset_mended"},
		{name: "UTF-8 is declared over Latin-1", data: encodeAs(t, charmap.Windows1252, meta("utf-8")+"Für Größe „gut“"), syntax: htmlSyntax, want: meta("utf-8") + "Für Größe „gut“", charset: "windows-1252", source: "content", warning: "charset_mended"},
		{name: "UTF-8 is declared over GBK", data: encodeAs(t, simplifiedchinese.GBK, meta("utf-8")+chinese), syntax: htmlSyntax, want: meta("utf-8") + chinese, charset: "gbk", source: "content", warning: "charset_mended"},
		{name: "the header lies, meta does not", data: encodeAs(t, charmap.Windows1250, meta("windows-1250")+"Zażółć gęślą jaźń"), header: "text/html; charset=UTF-8", syntax: htmlSyntax, want: meta("windows-1250") + "Zażółć gęślą jaźń", charset: "windows-1250", source: "meta", warning: "charset_mended"},
		{name: "big5 is declared over Shift JIS", data: encodeAs(t, japanese.ShiftJIS, meta("big5")+japanese1), syntax: htmlSyntax, want: meta("big5") + japanese1, charset: "shift_jis", source: "content", warning: "charset_mended"},
		{name: "Latin-1 is declared over Cyrillic", data: encodeAs(t, charmap.Windows1251, meta("iso-8859-1")+russian), syntax: htmlSyntax, want: meta("iso-8859-1") + russian, charset: "windows-1251", source: "content", warning: "charset_mended"},
		{name: "bytes inside of tags do not belie a declaration", data: []byte(meta("iso-8859-15") + "<p class='\u00fd\u00e4'>x"), syntax: htmlSyntax, want: meta("iso-8859-15") + "<p class='Ãœ\u00c3\u20ac'>x", charset: "iso-8859-15", source: "meta"},

		{name: "nothing declared, Western", data: []byte("caf\xE9 \x93quoted\x94"), want: "café “quoted”", charset: "windows-1252", source: "content"},
		{name: "nothing declared, Chinese", data: encodeAs(t, simplifiedchinese.GB18030, chinese), want: chinese, charset: "gbk", source: "content"},
		{name: "nothing declared, Taiwan", data: encodeAs(t, traditionalchinese.Big5, taiwan), want: taiwan, charset: "big5", source: "content"},
		{name: "nothing declared, Shift JIS", data: encodeAs(t, japanese.ShiftJIS, japanese1), want: japanese1, charset: "shift_jis", source: "content"},
		{name: "nothing declared, EUC-JP", data: encodeAs(t, japanese.EUCJP, japanese1), want: japanese1, charset: "euc-jp", source: "content"},
		{name: "nothing declared, EUC-KR", data: encodeAs(t, korean.EUCKR, korean1), want: korean1, charset: "euc-kr", source: "content"},
		{name: "nothing declared, ISO-2022-JP", data: encodeAs(t, japanese.ISO2022JP, japanese1), want: japanese1, charset: "iso-2022-jp", source: "content"},
		{name: "ISO-2022-JP", data: encodeAs(t, japanese.ISO2022JP, meta("iso-2022-jp")+`設定`), syntax: htmlSyntax, want: meta("iso-2022-jp") + `設定`, charset: "iso-2022-jp", source: "meta"},
		{name: "nothing declared, KOI8-R", data: encodeAs(t, charmap.KOI8R, russian), want: russian, charset: "koi8-r", source: "content"},
		{name: "nothing declared, Windows Cyrillic", data: encodeAs(t, charmap.Windows1251, russian), want: russian, charset: "windows-1251", source: "content"},
		{name: "nothing declared, Polish", data: encodeAs(t, charmap.Windows1250, "Zażółć gęślą jaźń, bo święta są później"), want: "Zażółć gęślą jaźń, bo święta są później", charset: "windows-1250", source: "content"},
		{name: "nothing declared, Czech", data: encodeAs(t, charmap.Windows1250, "Příliš žluťoučký kůň úpěl ďábelské ódy"), want: "Příliš žluťoučký kůň úpěl ďábelské ódy", charset: "windows-1250", source: "content"},

		{name: "mostly valid UTF-8 is mended", data: []byte("gr\xC3\xBCn \xFF blau gr\xC3\xBCn"), want: "grün \uFFFD blau grün", charset: "utf-8", source: "content", warning: "damaged"},
		{name: "a late NUL is mended", data: append(bytes.Repeat([]byte("long text "), 900), 0, 'x'), want: string(bytes.Repeat([]byte("long text "), 900)) + "\uFFFDx", charset: "windows-1252", source: "default"},
		{name: "empty", data: nil, err: ErrEmpty},
		{name: "white space only", data: []byte(" \n\t "), err: ErrEmpty},
		{name: "NULs only", data: make([]byte, 5000), err: ErrUnsupported},
		{name: "a program", data: append([]byte("\x7fELF\x02\x01\x01\x00\x00\x00"), bytes.Repeat([]byte{1, 2, 0, 200}, 100)...), err: ErrUnsupported},
		{name: "control characters", data: bytes.Repeat([]byte{1, 2, 3, 'a'}, 100), err: ErrUnsupported},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := decode(test.data, test.header, test.syntax)
			if test.err != nil {
				if !errors.Is(err, test.err) {
					t.Errorf("error %v, want %v", err, test.err)
				}
				return
			}
			if err != nil || got.text != test.want || got.charset != test.charset || got.source != test.source {
				t.Errorf("got %q in %s by %s, %v; want %q in %s by %s", got.text, got.charset, got.source, err, test.want, test.charset, test.source)
			}
			code := ""
			if len(got.warnings) > 0 {
				code = got.warnings[0].Code
			}
			if code != test.warning {
				t.Errorf("warning %q, want %q", code, test.warning)
			}
		})
	}
}

// TestPrescan runs the tests of html5lib for the search for a declared encoding.
func TestPrescan(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(sharedtest.Path(t, "pages", "charset", "html5lib-encoding"), "*.dat"))
	if err != nil || len(files) == 0 {
		t.Fatal("no tests", err)
	}
	n := 0
	for _, name := range files {
		for part := range strings.SplitSeq(string(read(t, name)), "#data\n") {
			data, want, ok := strings.Cut(part, "\n#encoding\n")
			if !ok {
				continue
			}
			want = strings.ToLower(strings.TrimSpace(want))
			got := "windows-1252"
			if mark, _ := byteOrderMark([]byte(data)); mark != "" {
				got = mark
			} else if label := prescan([]byte(data)); label != "" {
				got = charsetName(label)
			}
			if n++; got != want {
				t.Errorf("%s: got %s, want %s for %.200q", filepath.Base(name), got, want, data)
			}
		}
	}
	t.Logf("%d tests", n)
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestCharsetPages reads pages in all sorts of character sets, and looks for words
// that only the right one gives.
func TestCharsetPages(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file, header, charset, source, word string
	}{
		{"charset/pages/8859_1_de.html", "", "windows-1252", "content", "für"},
		{"charset/pages/8859_1_fr.html", "", "windows-1252", "meta", "téléphones"},
		{"charset/pages/big5.html", "", "big5", "meta", "中時電子報"},
		{"charset/pages/euc_kr.html", "", "euc-kr", "meta", "네이트"},
		{"charset/pages/gb18030.html", "", "gbk", "meta", "百度一下，你就知道"},
		{"charset/pages/shift_jis.html", "", "shift_jis", "meta", "柔軟性を"},
		{"charset/w3c/HTTP-charset.html", "text/html; charset=iso-8859-15", "iso-8859-15", "header", "class='Ãœ"},
		{"charset/w3c/HTTP-vs-UTF-8-BOM.html", "text/html; charset=iso-8859-15", "utf-8", "bom", "class='ýäè'"},
		{"charset/w3c/HTTP-vs-meta-charset.html", "text/html; charset=iso-8859-15", "iso-8859-15", "header", "class='Ãœ"},
		{"charset/w3c/No-encoding-declaration.html", "", "utf-8", "content", "class='ýäè'"},
		{"charset/w3c/UTF-16BE-BOM.html", "", "utf-16be", "bom", "UTF-16BE BOM"},
		{"charset/w3c/UTF-8-BOM-vs-meta-charset.html", "", "utf-8", "bom", "class='ýäè'"},
		{"charset/w3c/meta-charset-attribute.html", "", "iso-8859-15", "meta", "class='Ãœ"},
		{"charset/w3c/meta-content-attribute.html", "", "iso-8859-15", "meta", "class='Ãœ"},
		{"charset/text/sample-arabic-1.txt", "", "windows-1256", "content", "الإشارة"},
		{"charset/text/sample-chinese.txt", "", "big5", "content", "維基大典"},
		{"charset/text/sample-french-1.txt", "", "windows-1252", "content", "MOLIÈRE"},
		{"charset/text/sample-greek.txt", "", "windows-1253", "content", "ελληνική"},
		{"charset/text/sample-hebrew-2.txt", "", "windows-1255", "content", "עבריים"},
		{"charset/text/sample-korean.txt", "", "euc-kr", "content", "역사적 예수"},
		{"charset/text/sample-russian.txt", "", "x-mac-cyrillic", "content", "числе первых учеников"},
		{"charset/text/sample-turkish.txt", "", "windows-1254", "content", "İstanbul, Türkiye'nin en kalabalık"},
		{"trafilatura/html/archive.org-travaillent.html", "", "windows-1252", "meta", "Les Fran&ccedil;ais"},
		{"trafilatura/html/archive.org.he.xinhuanet.com.25340717.html", "", "gbk", "meta", "话剧《约定无期限》"},
		{"trafilatura/html/auto-presse.de-minisuv.html", "", "windows-1252", "meta", "für"},
		{"trafilatura/html/cdu-fraktion-erfurt.de.waldorfschule.html", "", "windows-1252", "meta", "Geschäftsstelle"},
		{"trafilatura/html/der-erfolg-gibt-recht.de.rinderleber.html", "", "utf-8", "meta", "Äpfel"},
		{"trafilatura/html/nmb-media.de.ebay.html", "", "windows-1252", "meta", "für"},
		{"trafilatura/html/rp.pl-unijne-fundusze.html", "", "windows-1250", "meta", "zagłosował"},
		{"trafilatura/html/nhk.or.jp.k100.html", "", "utf-8", "bom", "子ども"},
		{"readability/qq/source.html", "", "utf-8", "content", "腾讯"},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			t.Parallel()
			syn := htmlSyntax
			if strings.HasSuffix(test.file, ".txt") {
				syn = noSyntax
			}
			got, err := decode(read(t, sharedtest.Path(t, "pages", filepath.FromSlash(test.file))), test.header, syn)
			if err != nil {
				t.Fatal(err)
			}
			if got.charset != test.charset || got.source != test.source || !strings.Contains(got.text, test.word) {
				t.Errorf("%s by %s, %q there: %v; want %s by %s; %v", got.charset, got.source, test.word, strings.Contains(got.text, test.word), test.charset, test.source, got.warnings)
			}
			if n := strings.Count(got.text, "\uFFFD"); n > 3 {
				t.Errorf("%d characters are lost", n)
			}
		})
	}
}
