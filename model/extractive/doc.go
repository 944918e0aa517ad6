// Package extractive is a model without a language model: it finds sentences in
// documents and quotes them. It needs no key, no network and no weights, answers
// in milliseconds, and the same request always gets the same answer.
//
//	agent, err := docs.NewAgent(docs.Config{Index: ix, Model: extractive.New()})
//	…
//	result, err := agent.Run(ctx, quarry.Input{Prompt: "On which port does the server listen?"})
//
// It is a [model.Model] like any other and works in the same loop: it sees the
// prompt, the list of tools and the texts of their results, and answers with
// calls of search_docs, fetch_doc and submit_answer, which it knows by name.
// Without them it says what it is.
//
// How it works: it searches with the question, its parts and the words that pages
// may use for its own (a small thesaurus of general English and computing). It
// reads the best documents and scores each sentence by the words of the question
// that it and its surroundings hold, rare words first, and by whether its form
// fits what is asked for: a number, a default, a name, a reason. Where a page
// names something else that has to be looked up, it searches once more. It
// declines where no sentence holds enough (see [Config]), and where the corpus
// does not know a name of the question.
//
// Limits: it never writes a word of its own but the sentence that the corpus does
// not answer. It does not compute, compare or summarise, so a question whose
// answer stands nowhere in words is answered by the nearest sentences, or not at
// all. It reads English, and Chinese, Japanese and Korean by pairs of characters;
// a Chinese question over English pages is read with a glossary of computing, and
// any other pair of languages by the words that the pages found share. It does not
// understand follow-up questions that need the ones before. That a sentence is
// quoted says that it stands there, not that it is the right one. What documents
// say is only ever quoted: an order in one of them is a sentence like others.
package extractive
