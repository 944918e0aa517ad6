//go:build race

package chat

// raceEnabled tells that everything is slower, and allocates more, than in
// production.
const raceEnabled = true
