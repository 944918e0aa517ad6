package extract

import "bytes"

// signature is how files of a kind without text begin.
type signature struct {
	at    int
	bytes string
	what  string
}

var signatures = []signature{
	{0, "\x89PNG\r\n\x1a\n", "a PNG image"},
	{0, "\xff\xd8\xff", "a JPEG image"},
	{0, "GIF87a", "a GIF image"},
	{0, "GIF89a", "a GIF image"},
	{8, "WEBP", "a WebP image"},
	{0, "BM\x00\x00", "a bitmap image"},
	{0, "II*\x00", "a TIFF image"},
	{0, "MM\x00*", "a TIFF image"},
	{0, "\x00\x00\x01\x00", "an icon"},
	{4, "ftypavif", "an AVIF image"},
	{4, "ftyphei", "a HEIF image"},
	{0, "8BPS", "a Photoshop image"},
	{4, "ftyp", "an MP4 video"},
	{0, "\x1aE\xdf\xa3", "a Matroska or WebM video"},
	{0, "FLV\x01", "a Flash video"},
	{0, "\x00\x00\x01\xba", "an MPEG video"},
	{8, "AVI ", "an AVI video"},
	{0, "ID3", "an MP3 sound"},
	{0, "\xff\xfb", "an MP3 sound"},
	{0, "OggS", "an Ogg sound or video"},
	{0, "fLaC", "a FLAC sound"},
	{8, "WAVE", "a WAVE sound"},
	{0, "MThd", "a MIDI file"},
	{0, "\x1f\x8b", "a gzip archive"},
	{0, "BZh", "a bzip2 archive"},
	{0, "\xfd7zXZ\x00", "an xz archive"},
	{0, "7z\xbc\xaf\x27\x1c", "a 7z archive"},
	{0, "Rar!\x1a\x07", "a RAR archive"},
	{0, "\x28\xb5\x2f\xfd", "a Zstandard archive"},
	{257, "ustar", "a tar archive"},
	{0, "!<arch>\n", "an ar archive"},
	{0, "\xed\xab\xee\xdb", "an RPM package"},
	{0, "\x7fELF", "an executable (ELF)"},
	{0, "\xcf\xfa\xed\xfe", "an executable (Mach-O)"},
	{0, "\xca\xfe\xba\xbe", "an executable (Java class or Mach-O)"},
	{0, "\x00asm", "an executable (WebAssembly)"},
	{0, "wOFF", "a font"},
	{0, "wOF2", "a font"},
	{0, "OTTO\x00", "a font"},
	{0, "\x00\x01\x00\x00\x00", "a font"},
	{0, "SQLite format 3\x00", "an SQLite database"},
	{0, "%!PS", "a PostScript file"},
	{0, "{\\rtf", "a rich text file (RTF)"},
	{0, "AT&TFORM", "a DjVu file"},
	{60, "BOOKMOBI", "a Mobipocket book"},
}

// knownBinary says what data is if it is a file of a known kind without text that can
// be read.
func knownBinary(data []byte) string {
	for _, s := range signatures {
		if len(data) >= s.at+len(s.bytes) && string(data[s.at:s.at+len(s.bytes)]) == s.bytes {
			if s.at == 8 && !bytes.HasPrefix(data, []byte("RIFF")) {
				continue
			}
			return s.what
		}
	}
	if len(data) > 0x40 && bytes.HasPrefix(data, []byte("MZ")) && bytes.Contains(data[:min(len(data), 4096)], []byte("PE\x00\x00")) {
		return "an executable (Windows)"
	}
	return ""
}
