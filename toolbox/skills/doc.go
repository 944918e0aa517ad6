// Package skills gives an agent instructions for special tasks, of which it is
// told the names at first and the text when it needs it.
//
// A skill is a folder with a file SKILL.md: front matter with a name, which is
// the folder's, and a description, then the instructions. Other files may lie
// beside it.
//
//	---
//	name: invoices
//	description: How invoices are checked. Use it before you approve one.
//	---
//	Compare the total with the order. The limits are in limits.csv.
//
//	set, err := skills.Open(skills.Config{Dirs: []string{"skills"}})
//	…
//	defer set.Close()
//	for _, p := range set.Problems() {
//		log.Print(p)
//	}
//	agent, err := quarry.New(quarry.Config{
//		Instructions: instructions + set.Prompt(),
//		Model:        m,
//		Tools:        set.Tools(),
//	})
//
// Most people need [Open], [Set.Prompt] and [Set.Tools]. The tools are skill,
// which loads the instructions of a skill, and skill_file, which reads another
// file of its folder. Skills come from folders on disk, from an [fs.FS] such as
// an embedded one, or from both.
//
// What is promised: skill_file reads nothing outside the skill's folder, and on
// disk no link or race leads it out; two skills of one name are an error of Open;
// a skill that is broken is left out and reported with its file and the reason;
// the prompt has the skills in the order of their names. What a skill says is
// taken for instructions: use those of people you trust. Not promised: that an
// [fs.FS] whose files change between two calls, such as os.DirFS, keeps links
// from leading out; name the folder in Dirs instead.
package skills
