// Package quarry is an SDK for agents.
package quarry
