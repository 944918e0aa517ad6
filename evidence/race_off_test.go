//go:build !race

package evidence

// raceEnabled makes the slow tests take a smaller share of their data.
const raceEnabled = false
