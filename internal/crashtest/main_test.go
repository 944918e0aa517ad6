package crashtest

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// agentEnv makes the test binary be the agent.
const agentEnv = "QUARRY_CRASHTEST_AGENT"

func TestMain(m *testing.M) {
	if os.Getenv(agentEnv) != "" {
		os.Exit(agentMain())
	}
	goleak.VerifyTestMain(m)
}
