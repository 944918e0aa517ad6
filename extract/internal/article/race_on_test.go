//go:build race

package article_test

// raceEnabled makes the slow tests take a smaller share of their data.
const raceEnabled = true

// pagesEach is how many pages of the benchmark stand behind one that is read.
const pagesEach = 8
