package corpus

// sections builds the nested section list from the marks. Every path begins with title.
func (e *reading) sections(title string) []Section {
	root := Section{Path: []string{title}, Heading: title, End: len(e.text)}
	list := []Section{root}
	open := []int{0}
	closeTo := func(level, at int) {
		for len(open) > 1 && list[open[len(open)-1]].Level >= level {
			list[open[len(open)-1]].End = at
			open = open[:len(open)-1]
		}
	}
	for i, m := range e.marks {
		if m.level < 0 {
			closeTo(-m.level, m.start)
			continue
		}
		heading := collapse(e.text[m.start:m.end])
		if heading == "" {
			continue
		}
		if i == 0 && heading == title && len(list) == 1 {
			continue // The document's own heading opens no second section.
		}
		closeTo(m.level, m.start)
		parent := list[open[len(open)-1]]
		path := append(append(make([]string, 0, len(parent.Path)+1), parent.Path...), heading)
		list = append(list, Section{Path: path, Heading: heading, Level: m.level, Start: m.start, End: len(e.text)})
		open = append(open, len(list)-1)
	}
	kept := list[:1]
	for _, s := range list[1:] {
		if s.End > s.Start {
			kept = append(kept, s)
		}
	}
	return kept
}
