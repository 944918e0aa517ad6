// Package hooks has hooks that many agents need: one that writes the dates in
// results the same way, and one that hands calls over a limit to a person.
//
//	dates, err := hooks.NormalizeDates(hooks.Dates{})
//	…
//	refunds, err := hooks.AskOver(hooks.Over{Tool: "refund", Field: "amount", Limit: "500"})
//	…
//	agent, err := quarry.New(quarry.Config{
//		Model: m, Tools: tools, Park: true,
//		Hooks: []quarry.Hook{dates, refunds},
//	})
//
// A prompt makes it probable that a model keeps a rule; a hook makes it certain.
// [NormalizeDates] changes what the model is told and never what the journal keeps.
// [AskOver] has a person decide, [DenyOver] refuses and tells the model to hand the
// case over. Both fail closed: an amount that is missing or cannot be read is over
// every limit.
//
// Of several hooks that replace one result, quarry takes the last one's, and each
// is given the tool's own: do not put two of them on one tool.
//
// Not promised: the words of reasons, and which further ways to write a date are
// read in later versions.
package hooks
