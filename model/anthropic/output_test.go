package anthropic

import "testing"

func TestEnforcesOutput(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"claude-sonnet-4-5": true, "claude-haiku-4-5-20251001": true, "claude-opus-4-1-20250805": true, "claude-opus-4-7": true,
		"claude-sonnet-5-0": true, "claude-opus-5-20270101": true, "claude-sonnet-4-20250514": false, "claude-opus-4-20250514": false, "claude-3-7-sonnet-20250219": false,
		"claude-sonnet-4-1": false, "claude-2.1": false, "scripted": false, "gpt-5-5-5": false, "": false,
	} {
		m, err := New(Config{APIKey: "test-key", Model: name})
		if err != nil {
			if name != "" {
				t.Fatal(err)
			}
			continue
		}
		if got := m.EnforcesOutput(); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
