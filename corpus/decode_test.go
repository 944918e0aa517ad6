package corpus

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
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
	chinese := "数据库的默认端口是五四三二，请在配置文件中修改。"
	japanese1 := "データベースの設定を変更する方法について説明します。"
	korean1 := "데이터베이스의 기본 설정을 바꾸는 방법을 설명합니다."
	tests := []struct {
		name string
		data []byte
		html bool
		want string
		err  error
	}{
		{name: "plain ASCII", data: []byte("abc"), want: "abc"},
		{name: "UTF-8 with a byte order mark", data: []byte("\xEF\xBB\xBFgrün"), want: "grün"},
		{name: "UTF-16 LE with a mark", data: append([]byte{0xFF, 0xFE}, encode16(binary.LittleEndian, "grün 数据")...), want: "grün 数据"},
		{name: "UTF-16 BE with a mark", data: append([]byte{0xFE, 0xFF}, encode16(binary.BigEndian, "grün 数据")...), want: "grün 数据"},
		{name: "UTF-16 LE without a mark", data: encode16(binary.LittleEndian, "<p>hello there</p>"), html: true, want: "<p>hello there</p>"},
		{name: "UTF-16 BE without a mark", data: encode16(binary.BigEndian, "hello there"), want: "hello there"},
		{name: "declared in a meta element", data: encodeAs(t, charmap.ISO8859_2, `<meta charset="iso-8859-2">Łódź`), html: true, want: `<meta charset="iso-8859-2">Łódź`},
		{name: "declared in the old way", data: encodeAs(t, simplifiedchinese.GBK, `<META http-equiv=Content-Type content="text/html; charset=gb2312">中文`), html: true, want: `<META http-equiv=Content-Type content="text/html; charset=gb2312">中文`},
		{name: "declared in XML", data: encodeAs(t, charmap.Windows1251, `<?xml version="1.0" encoding="windows-1251"?><p>Привет</p>`), html: true, want: `<?xml version="1.0" encoding="windows-1251"?><p>Привет</p>`},
		{name: "a declaration in plain text is text", data: []byte("<meta charset=\"iso-8859-2\"> grün"), want: "<meta charset=\"iso-8859-2\"> grün"},
		{name: "a wrong declaration over valid UTF-8", data: []byte("<meta charset=\"iso-8859-1\"> grün"), html: true, want: "<meta charset=\"iso-8859-1\"> grün"},
		{name: "nothing declared, Western", data: []byte("caf\xE9 \x93quoted\x94"), want: "café “quoted”"},
		{name: "nothing declared, Chinese", data: encodeAs(t, simplifiedchinese.GB18030, chinese), want: chinese},
		{name: "nothing declared, Shift JIS", data: encodeAs(t, japanese.ShiftJIS, japanese1), want: japanese1},
		{name: "nothing declared, EUC-JP", data: encodeAs(t, japanese.EUCJP, japanese1), want: japanese1},
		{name: "nothing declared, EUC-KR", data: encodeAs(t, korean.EUCKR, korean1), want: korean1},
		{name: "ISO-2022-JP", data: encodeAs(t, japanese.ISO2022JP, `<meta charset="iso-2022-jp">設定`), html: true, want: `<meta charset="iso-2022-jp">設定`},
		{name: "mostly valid UTF-8 is mended", data: []byte("gr\xC3\xBCn \xFF blau gr\xC3\xBCn"), want: "grün \uFFFD blau grün"},
		{name: "declared UTF-8 is mended", data: []byte("<meta charset=utf-8>a\xFFb"), html: true, want: "<meta charset=utf-8>a\uFFFDb"},
		{name: "a late NUL is mended", data: append(bytes.Repeat([]byte("long text "), 900), 0, 'x'), want: string(bytes.Repeat([]byte("long text "), 900)) + "\uFFFDx"},
		{name: "empty", data: nil, err: errEmpty},
		{name: "white space only", data: []byte(" \n\t "), err: errEmpty},
		{name: "NULs only", data: make([]byte, 5000), err: errBinary},
		{name: "a program", data: append([]byte("\x7fELF\x02\x01\x01\x00\x00\x00"), bytes.Repeat([]byte{1, 2, 0, 200}, 100)...), err: errBinary},
		{name: "control characters", data: bytes.Repeat([]byte{1, 2, 3, 'a'}, 100), err: errBinary},
		{name: "PNG", data: append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), bytes.Repeat([]byte{0xAB, 0, 7, 0xFE}, 64)...), err: errBinary},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := decode(test.data, test.html)
			if !errors.Is(err, test.err) || string(got) != test.want {
				t.Errorf("got %q, %v; want %q, %v", got, err, test.want, test.err)
			}
		})
	}
}
