package extract

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
)

// sniffZip tells the formats apart that are zip archives, by what is in them.
func sniffZip(data []byte) (Format, error) {
	var names []string
	if r, err := zip.NewReader(bytes.NewReader(data), int64(len(data))); err == nil {
		for _, f := range r.File[:min(len(r.File), 5000)] {
			names = append(names, f.Name)
		}
	} else {
		names = localNames(data)
	}
	has := func(prefix string) bool {
		for _, n := range names {
			if strings.HasPrefix(n, prefix) {
				return true
			}
		}
		return false
	}
	// The first member of EPUB and OpenDocument, which is stored, names the type.
	head := string(data[:min(len(data), 200)])
	switch {
	case strings.Contains(head, "mimetypeapplication/epub+zip"), has("META-INF/container.xml") && !has("[Content_Types].xml") && !has("META-INF/manifest.xml"):
		return EPUB, nil
	case strings.Contains(head, "mimetypeapplication/vnd.oasis.opendocument"):
		return "", fmt.Errorf("%w: it is an OpenDocument file", ErrUnsupported)
	case has("word/"):
		return DOCX, nil
	case has("ppt/"):
		return PPTX, nil
	case has("xl/"):
		return XLSX, nil
	case has("META-INF/MANIFEST.MF"):
		return "", fmt.Errorf("%w: it is a Java archive", ErrUnsupported)
	}
	return "", fmt.Errorf("%w: it is a zip archive", ErrUnsupported)
}

// localNames reads the names of the members from their own headers, for an archive
// whose directory is lost.
func localNames(data []byte) []string {
	var names []string
	for len(names) < 5000 {
		i := bytes.Index(data, []byte("PK\x03\x04"))
		if i < 0 || len(data) < i+30 {
			break
		}
		size := int(data[i+26]) | int(data[i+27])<<8
		if len(data) < i+30+size {
			break
		}
		names = append(names, string(data[i+30:i+30+size]))
		data = data[i+30+size:]
	}
	return names
}

// sniffCompound says what a compound file of Microsoft's is: old documents of its
// offices, or new ones with a password.
func sniffCompound(data []byte) (Format, error) {
	if bytes.Contains(data, []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00")) {
		return "", fmt.Errorf("%w: it is an encrypted Office document", ErrEncrypted)
	}
	return "", fmt.Errorf("%w: it is a compound file of Microsoft's (an old .doc, .xls, .ppt or .msg)", ErrUnsupported)
}
