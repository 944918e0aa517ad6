package anthropic

import (
	"strconv"
	"strings"
)

// EnforcesOutput implements model.OutputEnforcer. Claude enforces schemas from the
// generation 4.5 on, and Opus from 4.1 on; of other names nothing is known.
func (m *Model) EnforcesOutput() bool {
	parts := strings.Split(strings.TrimPrefix(m.name, "anthropic/"), "-")
	if _, err := strconv.Atoi(parts[min(1, len(parts)-1)]); len(parts) < 4 || parts[0] != "claude" || err == nil {
		return false
	}
	major, err1 := strconv.Atoi(parts[2])
	minor, err2 := strconv.Atoi(parts[3])
	if err1 != nil || err2 != nil || minor > 99 { // a date stands there
		return err1 == nil && major > 4 && major <= 99
	}
	return major > 4 || major == 4 && (minor >= 5 || parts[1] == "opus" && minor >= 1)
}
