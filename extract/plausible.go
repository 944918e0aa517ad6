package extract

import (
	"bytes"
	"unicode/utf8"
)

// plausible reports whether data can be in the character set that is declared. The
// bytes of the text count, not those inside of tags.
func plausible(data []byte, name string) bool {
	text := outsideTags(data)
	valid, invalid := countUTF8(text)
	if valid+invalid == 0 {
		return name != "utf-8" || !bytes.Contains(data, []byte("\x1b$"))
	}
	if name == "utf-8" {
		return valid >= invalid
	}
	single := singleByte[name]
	// Text in another character set is hardly ever valid UTF-8 by chance.
	if invalid == 0 && (single || valid > 3) || single && valid > 10 && invalid*20 < valid {
		return name == "iso-2022-jp" && bytes.Contains(data, []byte("\x1b$"))
	}
	if !single {
		return replaced(text, name)*20 <= valid+invalid
	}
	// Latin text has more letters of ASCII than others. Where it has not, or where
	// the East Asian reading is a good one, the declaration was somebody's default.
	if name != "windows-1252" && name != "iso-8859-15" {
		return true
	}
	letters := 0
	for _, c := range text {
		if isLetter(c) {
			letters++
		}
	}
	if high := valid + invalid; high < 20 || high*3 < letters {
		return true
	}
	if detected := eastAsian(text); detected != "" {
		return false
	}
	detected, latin := singleByteOf(text)
	return latin || detected == name
}

// replaced counts the characters that do not decode.
func replaced(text []byte, name string) int {
	return bytes.Count(decodeAs(text[:min(len(text), detectBytes)], name), []byte("\uFFFD"))
}

// outsideTags returns data without what looks like tags and without what lies in
// scripts and styles, for the statistics of its characters. At most detectBytes of
// what is not ASCII are looked at, and a megabyte in all.
func outsideTags(data []byte) []byte {
	data = wholeHead(data, 1<<20)
	out := make([]byte, 0, min(len(data), detectBytes))
	missing := map[string]bool{}
	for high := 0; len(data) > 0 && high < detectBytes; {
		i := bytes.IndexByte(data, '<')
		if i < 0 {
			return append(out, wholeHead(data, 4*detectBytes)...)
		}
		for _, c := range data[:i] {
			if c >= utf8.RuneSelf {
				high++
			}
		}
		out = append(out, data[:i]...)
		if data = data[i:]; len(data) < 2 {
			break
		}
		if !isLetter(data[1]) && data[1] != '/' && data[1] != '!' && data[1] != '?' {
			out = append(out, data[0])
			data = data[1:]
			continue
		}
		end := ">"
		for _, raw := range rawMarkup {
			if len(data) >= len(raw.start) && bytes.EqualFold(data[:len(raw.start)], []byte(raw.start)) && !missing[raw.end] {
				end = raw.end
			}
		}
		if i = bytes.Index(data, []byte(end)); i < 0 {
			missing[end] = true
			if end == ">" {
				break
			}
			i = 0
		}
		data = data[i+1:]
		out = append(out, ' ')
	}
	return out
}

var rawMarkup = []struct{ start, end string }{{"<!--", "-->"}, {"<script", "</script"}, {"<style", "</style"}}

// wholeHead returns about n bytes of data, cut behind ASCII so that no character is
// torn.
func wholeHead(data []byte, n int) []byte {
	if len(data) <= n {
		return data
	}
	for i := n; i > n-4096 && i > 0; i-- {
		if data[i-1] < 0x30 {
			return data[:i]
		}
	}
	return data[:n]
}
