// Package corpus makes a folder of Markdown, HTML, plain text and reStructuredText searchable, so that an agent can
// answer from it with verbatim quotes.
//
//	index, err := corpus.Open(ctx, ".quarry/corpus/manual", corpus.Options{})
//	if err != nil { ... }
//	defer index.Close()
//	report, err := index.Update(ctx, "docs") // reads what is new or changed; report.Skipped names the rest
//	hits, err := index.Search(ctx, "Which port does the server listen on?", 5)
//	for _, hit := range hits {
//		fmt.Println(hit.DocID, hit.Start, hit.End, hit.Snippet)
//	}
//	doc, err := index.Document(ctx, hits[0].DocID) // doc.Text[hit.Start:hit.End] == hit.Snippet
//	best, err := index.Passages(ctx, doc.ID, "port", 3)
//
// # Text
//
// A document's Text is what its page says, in its order: tags and markup gone, entities resolved, navigation, scripts,
// controls and hidden parts dropped. Only white space is added: block elements stand on lines of their own, cells of a
// table are separated by tabs, preformatted text keeps its line ends. Character sets are recognised by byte order mark,
// declaration or content; what cannot be decoded becomes U+FFFD. All offsets are bytes into Text.
//
// A document's id is its path below the folder without the extension, with '/' between folders. Files that would share
// an id keep their extensions. Names that begin with a dot are passed over; every other file that is not indexed is
// reported with its reason. Symbolic links are never followed.
//
// # Index
//
// The inverted file is a bleve index below the directory given to Open. An Update writes a new generation beside the
// valid one and then switches, so that searches never wait, several processes can use a directory at once, and a crash
// or a cancelled Update changes nothing. Files are checked against their checksums when the index opens: a damaged index
// is ErrDamaged, one of another format ErrVersion, and both are mended by deleting the directory and indexing again.
//
// # Ranking
//
// Scores are BM25 (k1 1.2, b 0.75), computed here over bleve's postings. The words of a query are combined as follows;
// the figures in weights (rank.go) were chosen on the PostgreSQL manual with two sets of questions and checked on five
// public collections (see retrieval_test.go).
//
//   - A document scores as a whole and by its best four passages, each of which counts half of the one before: a long page
//     that answers in one place, and a short one that is about nothing else, both come up.
//   - A word scores by its stem (7 tenths) and by its exact form (3 tenths): stemming finds more, exactness orders better.
//   - Words of the heading path count in each passage below it, words of the title for the document.
//   - The texts of links from other documents to a document, and the short lines they stand in (entries of an index or a
//     table of contents), are searched as a field of their own: others call a page by words that it does not use itself.
//   - A word that a text lacks may be stood for by a synonym from a small thesaurus of computing, at half the weight. The
//     best variant counts, never the sum, so that a text with the word itself gains nothing.
//   - Chinese words that the corpus does not know are looked up in a small glossary, so that Chinese questions find pages
//     in English.
//   - Identifiers and other compounds (pg_stat_activity, server.crt, --flag) are indexed by their parts and as wholes.
//   - Text that consists of links (tables of contents, indexes) loses up to half of its score.
//   - Scripts without blanks are indexed as pairs of characters.
//
// Tried and left out, since they did not help: pseudo relevance feedback, squared inverse document frequency, rewarding the
// share of query words that a document covers.
//
// Not promised: the scores, which compare the hits of one search only, and the format of the files.
package corpus
