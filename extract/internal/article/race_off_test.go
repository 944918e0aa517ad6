//go:build !race

package article_test

// raceEnabled makes the slow tests take a smaller share of their data.
const raceEnabled = false

const pagesEach = 1
