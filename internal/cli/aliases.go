package cli

import (
	"fmt"
	"strings"
)

// alias is a short name of a model: that of a family, for its newest one.
type alias struct {
	Name  string `json:"name"`
	Model string `json:"model"`
}

// aliases are all of them. What a provider makes of the model's name is recorded
// from its response.
var aliases = []alias{
	{"fable", "anthropic/claude-fable-5-1"},
	{"opus", "anthropic/claude-opus-5-5"},
	{"sonnet", "anthropic/claude-sonnet-5-5"},
	{"haiku", "anthropic/claude-haiku-5-5"},
}

// unaliased is the whole name of a model.
func unaliased(name string) string {
	for _, a := range aliases {
		if name == a.Name || name == "anthropic/"+a.Name {
			return a.Model
		}
	}
	return name
}

// aliasText lists them in one line.
func aliasText() string {
	list := make([]string, len(aliases))
	for i, a := range aliases {
		list[i] = fmt.Sprintf("%s is %s", a.Name, a.Model)
	}
	return "Short names: " + strings.Join(list, ", ") + "."
}
