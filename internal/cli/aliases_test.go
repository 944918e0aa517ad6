package cli

import (
	"strings"
	"testing"

	"github.com/quarry-sdk/quarry/model/prices"
)

// Each short name is the newest model of its family in the table of prices, which
// lists the newest first.
func TestAliases(t *testing.T) {
	t.Parallel()
	rows := prices.Default().Rows()
	for _, a := range aliases {
		newest := ""
		for _, row := range rows {
			if newest == "" && strings.HasPrefix(row.Names[0], "anthropic/claude-"+a.Name+"-") {
				newest = row.Names[0]
			}
		}
		if a.Model != newest || unaliased(a.Name) != newest || unaliased("anthropic/"+a.Name) != newest {
			t.Errorf("%s is %s, and the newest is %q", a.Name, a.Model, newest)
		}
	}
	if got := unaliased("anthropic/claude-sonnet-4-5"); got != "anthropic/claude-sonnet-4-5" {
		t.Errorf("got %s", got)
	}
}
