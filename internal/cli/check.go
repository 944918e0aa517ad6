package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/quarry-sdk/quarry"
	"github.com/quarry-sdk/quarry/model"
	"github.com/quarry-sdk/quarry/model/extractive"
	"github.com/quarry-sdk/quarry/session"
)

// The probe and its limits.
const (
	checkMarker = "SDK_CONNECTION_OK"
	checkPrompt = "Run the connectivity check."
	checkSystem = "You are a connectivity check. Answer with exactly " + checkMarker + " and nothing else: no other word, no punctuation, no formatting."
	checkUSD    = 0.10
	checkTime   = 90 * time.Second
	// checkTokens is the limit where the price is not known.
	checkTokens = 20_000
)

// checkFile is where the report goes, below the working directory.
var checkFile = filepath.Join("artifacts", "setup_check.json")

func (a *app) checkCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check that the key, the model and the runtime work together",
		Long: `Check asks the model for an exact answer, without tools: one turn, 0.10 USD and 90
seconds at most. The report goes to artifacts/setup_check.json and to stdout. It
never has the key. The exit code is 0 where all is well, and 1 otherwise.`,
		Example: "  quarry check\n  quarry check --model anthropic/claude-haiku-4-5",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			report := a.check(cmd.Context(), name)
			if err := writeCheck(report); err != nil {
				return err
			}
			if report.Status != "ok" {
				a.exit = exitFailed
			}
			if a.flags.machine() {
				return a.printJSON(report)
			}
			enc := json.NewEncoder(a.stdout)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			if err := enc.Encode(report); err != nil {
				return fmt.Errorf("write the report: %w", err)
			}
			if report.Error != nil {
				fmt.Fprintf(a.stderr, "quarry: %s\n", oneLine(*report.Error))
			}
			return context.Cause(cmd.Context())
		},
	}
	cmd.Flags().StringVarP(&name, "model", "m", "", "model, as PROVIDER/NAME (default $QUARRY_MODEL, else Claude)")
	return cmd
}

// checkReport is the report of quarry check.
type checkReport struct {
	StartedAt      time.Time         `json:"started_at_utc"`
	GoVersion      string            `json:"go_version"`
	Platform       string            `json:"platform"`
	QuarryVersion  string            `json:"quarry_version"`
	Packages       map[string]string `json:"package_versions"`
	ModelRequested string            `json:"model_requested"`
	ModelResolved  *string           `json:"model_resolved"`
	Status         string            `json:"status"`
	Error          *string           `json:"error"`
	ResultSubtype  *string           `json:"result_subtype"`
	Response       *string           `json:"response"`
	EstimatedCost  *float64          `json:"estimated_cost_usd"`
	SessionID      *string           `json:"session_id"`
}

// fail says what is wrong.
func (r *checkReport) fail(format string, args ...any) *checkReport {
	text := fmt.Sprintf(format, args...)
	r.Status, r.Error = "error", &text
	return r
}

// check asks the model.
func (a *app) check(ctx context.Context, name string) *checkReport {
	r := &checkReport{
		StartedAt: time.Now().UTC(), GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		QuarryVersion: version(), Packages: packageVersions(), Status: "ok",
	}
	if name == "" {
		name = os.Getenv("QUARRY_MODEL")
	}
	if name == "" {
		name = defaultClaude // without a key too: that is what is to be told
	}
	r.ModelRequested = name
	m, err := a.pickModel(ctx, name)
	if err != nil {
		return r.fail("%s", err)
	}
	if m.Name() == extractive.New().Name() {
		return r.fail("the built-in model needs no connection, and can check none; give --model PROVIDER/NAME")
	}
	store, err := a.store(ctx)
	if err != nil {
		return r.fail("%s", err)
	}
	defer store.Close()
	agent, err := a.newChecker(m, store)
	if err != nil {
		return r.fail("%s", err)
	}
	costs := newBill(agent.Config().Prices)
	var result *quarry.Result
	for ev, failure := range agent.Stream(ctx, quarry.Input{Prompt: checkPrompt, Title: "connectivity check", Labels: map[string]string{labelCommand: "check"}}) {
		if ev.Record != nil {
			r.record(ev.Record)
			costs.record(ev.Session, ev.Record)
		}
		if ev.Result != nil {
			result, err = ev.Result, failure
		}
	}
	return r.judge(result, err, costs)
}

// newChecker makes the agent that asks.
func (a *app) newChecker(m model.Model, store session.Store) (*quarry.Agent, error) {
	table, err := a.priceTable()
	if err != nil {
		return nil, err
	}
	limits := quarry.Limits{Timeout: checkTime, Turns: 1, USD: checkUSD}
	if _, known := table.Cost(m.Name(), &model.Usage{InputTokens: 1}); !known {
		limits.Tokens = checkTokens
	}
	return quarry.New(quarry.Config{
		Instructions: checkSystem, Limits: limits, MaxTokens: 64, Model: m, Name: "check", Prices: table, Store: store,
	})
}

// record takes in which model has answered.
func (r *checkReport) record(rec *session.Record) {
	if answered, ok := rec.Event.(*session.ModelAnswered); ok {
		r.ModelResolved = &answered.Response.Model
	}
}

// judge tells whether the result is what it must be.
func (r *checkReport) judge(result *quarry.Result, err error, costs *bill) *checkReport {
	if result == nil {
		return r.fail("there is no result: %v", err)
	}
	subtype := string(result.Subtype)
	r.ResultSubtype, r.SessionID = &subtype, &result.Session
	if result.Turns > 0 {
		r.EstimatedCost = costs.end(&result.Spent)
	}
	if result.Text != "" {
		r.Response = &result.Text
	}
	switch {
	case err != nil:
		return r.fail("%s", err)
	case !result.OK():
		return r.fail("the model did not answer: %s: %s", result.Subtype, inFlags(result.Detail))
	case result.Text != checkMarker:
		return r.fail("the model answered, and not with exactly %s", checkMarker)
	}
	return r
}

// packageVersions are the modules that the program is made of.
func packageVersions() map[string]string {
	versions := make(map[string]string)
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			versions[dep.Path] = dep.Version
		}
	}
	return versions
}

// writeCheck writes the report.
func writeCheck(r *checkReport) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(checkFile), 0o755)
	}
	if err == nil {
		err = os.WriteFile(checkFile, append(data, '\n'), 0o644)
	}
	if err != nil {
		return errors.Join(errors.New("write the report"), err)
	}
	return nil
}
