//go:build !race

package anthropic

// raceEnabled tells that allocations are not what they are in production.
const raceEnabled = false
