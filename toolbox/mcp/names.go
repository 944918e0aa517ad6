package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// The lengths of tools' names.
const (
	maxName   = 64
	maxServer = 32
	// tagSize is a "_" and eight hexadecimal digits.
	tagSize = 9
)

// ToolName is what the tool of a server is called for the model:
// mcp__server__tool. It depends on the two names alone, and no two tools have
// the same.
//
// Where both names are of letters, digits, '_' and '-', the server's has at most
// 32 characters, no "__" and no "_" at an end, and the whole has at most 64, the
// names are taken as they are. Otherwise other characters become "_", "__" in the
// server's name becomes "_", what is too long is cut, and the name ends in "_" and
// the first eight hexadecimal digits of the SHA-256 of server, a zero byte, and
// tool.
func ToolName(server, tool string) string {
	prefix, t := ServerPrefix(server), valid(tool)
	name := prefix + "__" + t
	if prefix == "mcp__"+server && t == tool && tool != "" && len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	return name[:min(len(name), maxName-tagSize)] + "_" + hex.EncodeToString(sum[:])[:tagSize-1]
}

// ServerPrefix is what the names of all tools of a server begin with, before
// "__": mcp__server. Two servers whose names differ in other characters only may
// share it; their tools' names still differ.
func ServerPrefix(server string) string {
	s := valid(server)
	for strings.Contains(s, "__") {
		s = strings.ReplaceAll(s, "__", "_")
	}
	s = strings.Trim(s, "_")
	return "mcp__" + strings.TrimRight(s[:min(len(s), maxServer)], "_")
}

// valid replaces the characters that names of tools may not have.
func valid(s string) string {
	return strings.Map(func(r rune) rune {
		if (r >= '0' && r <= '9') || (r >= 'A' && r <= 'Z') || (r >= 'a' && r <= 'z') || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, s)
}
