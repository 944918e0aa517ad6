// Package dossier is the data of a research: what is asked, what was read,
// recorded, judged and stated, and the file that holds it all.
//
//	d, err := dossier.Read(data)
//	if err != nil {
//		return err
//	}
//	for _, s := range d.Statements {
//		fmt.Println(s.Field, s.Text, s.Status)
//	}
//
// A [Subject] is looked into by [Assignment]s, which a [Plan] lists. Their
// collectors read [Source]s and make [Record]s: a claim with the quote that
// carries it. Each record has a [Verdict] of separate [Check]s. Records that say
// the same become one [Statement]. A [Dossier] has all of these, and what was
// not found.
//
// The types are the schema of the files of a run: their JSON is what stands
// in evidence.jsonl, plan.json, verdicts.jsonl and dossier.json.
//
// What is promised: files of this version can be read by later ones. What is
// not: the wording of reasons.
package dossier
