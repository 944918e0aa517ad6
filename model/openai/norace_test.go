//go:build !race

package openai

// raceEnabled tells that allocations are not what they are in production.
const raceEnabled = false
