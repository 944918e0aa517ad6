package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// In a process that a test started, the test's program is the example.
const exampleEnv = "QUARRY_EXAMPLE_RESUME"

func TestMain(m *testing.M) {
	if os.Getenv(exampleEnv) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestResume(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "")
	t.Setenv(exampleEnv, "yes")
	end := `The agent says: paid the baker, paid the printer, paid the carrier.
The bank's statement:
  bills-of-march/2.0 20 euros to the baker
  bills-of-march/2.1 120 euros to the printer
  bills-of-march/2.2 45 euros to the carrier
`
	for crash, want := range map[string]string{
		"1": `The first process:
  reads the bills
  pays the baker
  dies
The second process:
  finds that the baker was paid already
  pays the printer
  pays the carrier
`,
		"2": `The first process:
  reads the bills
  pays the baker
  pays the printer
  dies
The second process:
  finds that the printer was paid already
  pays the carrier
`,
		"3": `The first process:
  reads the bills
  pays the baker
  pays the printer
  pays the carrier
  dies
The second process:
  finds that the carrier was paid already
`,
	} {
		var out strings.Builder
		if err := run(t.Context(), []string{"-crash-after", crash}, &out); err != nil {
			t.Fatalf("crash after payment %s: %v\n%s", crash, err, out.String())
		}
		if diff := cmp.Diff(want+end, out.String()); diff != "" {
			t.Errorf("crash after payment %s (-want +got)\n%s", crash, diff)
		}
	}
	err := run(t.Context(), []string{"-crash-after", "4"}, &strings.Builder{})
	if err == nil || !strings.Contains(err.Error(), "did not crash") {
		t.Errorf("without a crash: %v", err)
	}
}
