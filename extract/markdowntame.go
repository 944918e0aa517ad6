package extract

import "strings"

const (
	// maxContainers is how many quotation and list marks one line may begin with.
	maxContainers = 40
	// maxLines is how many lines are read.
	maxLines = 150_000
	// maxDelimiters is how many marks of emphasis and links a paragraph may have.
	maxDelimiters = 10_000
)

// tameMarkdown takes the marks away that would cost a parser time that grows faster
// than the text: the surplus ones at the beginning of lines, and all in paragraphs
// that have too many. Fenced code is left alone.
func tameMarkdown(src string) (out string, tamed bool) {
	var sb strings.Builder
	sb.Grow(len(src))
	var paragraph []string
	delimiters := 0
	flush := func() {
		for _, line := range paragraph {
			if delimiters > maxDelimiters {
				line = strings.NewReplacer("*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "~", "\\~", "<", "&lt;", "`", "\\`").Replace(line)
				tamed = true
			}
			sb.WriteString(line)
		}
		paragraph, delimiters = paragraph[:0], 0
	}
	fence := ""
	lines := 0
	for line := range strings.Lines(src) {
		if lines++; lines > maxLines {
			tamed = true
			break
		}
		trimmed := strings.TrimLeft(line, " \t>")
		if mark := fenceMark(trimmed); mark != "" && (fence == "" || strings.HasPrefix(mark, fence)) {
			flush()
			if fence == "" {
				fence = mark
			} else {
				fence = ""
			}
			sb.WriteString(line)
			continue
		}
		if fence != "" {
			sb.WriteString(line)
			continue
		}
		if strings.TrimSpace(line) == "" {
			flush()
			sb.WriteString(line)
			continue
		}
		if at := surplus(line); at > 0 {
			line, tamed = line[at:], true
		}
		if !strings.HasPrefix(line, "    ") && !strings.HasPrefix(trimmed, "|") {
			for i := range len(line) {
				switch line[i] {
				case '*', '_', '[', ']', '~', '<', '`':
					delimiters++
				}
			}
		}
		paragraph = append(paragraph, line)
	}
	flush()
	return sb.String(), tamed
}

// fenceMark returns the fence of code that a line is, without what follows.
func fenceMark(line string) string {
	for _, c := range "`~" {
		if n := len(line) - len(strings.TrimLeft(line, string(c))); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// surplus returns the length of the marks at the beginning of a line that are too
// many, or of its indent, 0 if they are not.
func surplus(line string) int {
	marks, at := 0, 0
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == ' ' || c == '\t':
			if i >= 4*maxContainers && marks == 0 {
				return i
			}
			continue
		case c == '>', (c == '-' || c == '*' || c == '+') && i+1 < len(line) && isBlank(line[i+1]):
			marks++
		case c >= '0' && c <= '9':
			continue
		case (c == '.' || c == ')') && i > 0 && line[i-1] >= '0' && line[i-1] <= '9':
			marks++
		default:
			return at
		}
		if marks > maxContainers {
			at = i
		}
	}
	return 0 // a line of marks only is a rule
}
