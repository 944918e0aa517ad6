package corpus

import "strings"

// stopWords are English words that say nothing about a text's subject: articles, pronouns, auxiliaries, prepositions,
// conjunctions and question words.
var stopWords = func() map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(`
		a about after again all also am an and any are aren as at be because been before being both but by can cannot could
		couldn did didn do does doesn doing don down during each few for from further had hadn has hasn have haven having he
		her here hers herself him himself his how i if in into is isn it its itself just me more most my myself no nor not of
		off on once only or other our ours ourselves out over own same she should shouldn so some such than that the their
		theirs them themselves then there these they this those through to too under until up very was wasn we were weren
		what when where which while who whom why will with won would wouldn you your yours yourself yourselves`) {
		set[w] = true
	}
	return set
}()
