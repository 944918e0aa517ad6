//go:build !race

package quarry_test

// raceEnabled makes the slow tests do less.
const raceEnabled = false
