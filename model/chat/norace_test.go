//go:build !race

package chat

// raceEnabled tells that allocations are not what they are in production.
const raceEnabled = false
