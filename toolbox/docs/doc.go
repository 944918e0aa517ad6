// Package docs answers questions from a folder of documents. It makes the three
// tools of the corpus agent over a [corpus.Index], and the agent itself.
//
//	ix, err := corpus.Open(ctx, ".quarry/corpora/manual", corpus.Options{})
//	…
//	agent, err := docs.NewAgent(docs.Config{Index: ix, Model: m})
//	…
//	result, err := agent.Run(ctx, quarry.Input{Prompt: "On which port does the server listen?"})
//	…
//	answer, status := docs.Parse(result)
//	fmt.Println(status, answer.Answer, answer.Citations)
//
// Most people need [NewAgent] and [Parse]. [New] gives the tools alone, for an
// agent with others beside them:
//
//   - search_docs ranks the documents for a query. It shows a snippet of each
//     and how many documents hold each word, so that a model sees which words
//     are rare or missing.
//   - fetch_doc reads one document: whole if it is short, otherwise its outline
//     and the parts that fit the question, the rest by section or by offset.
//   - submit_answer ends the run. It takes an answer only if each cited document
//     was seen in this session and each quote stands in it word for word.
//
// What is promised: every citation of an answer with status "answered" is the
// verbatim text at Start:End of the document; the tools read nothing but the
// index, so no id reaches a file; they keep no state, so a run that is resumed
// in another process goes on as if nothing had happened, and where a document
// that was read has another content in the index by then, the model is told.
// Searches and fetches count as such in quarry.Limits. What a document says is
// fenced and labelled as data. Not promised: that a quote supports the sentence
// it is cited for. The layout of the tools' texts may change.
package docs
