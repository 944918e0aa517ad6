// Package vertex reaches Claude models through Google Vertex AI.
//
//	platform, err := vertex.Platform(ctx, vertex.Config{Project: "my-project", Region: "global"})
//	if err != nil {
//		return err
//	}
//	m, err := anthropic.New(anthropic.Config{Model: "claude-sonnet-4-5@20250929", Platform: platform})
//
// Addresses and authorization are left to the official SDK
// (github.com/anthropics/anthropic-sdk-go/v2/vertex). What goes over it is what
// package anthropic says of the Anthropic API.
package vertex

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/anthropics/anthropic-sdk-go/v2/option"
	sdk "github.com/anthropics/anthropic-sdk-go/v2/vertex"
	"golang.org/x/oauth2/google"

	"github.com/quarry-sdk/quarry/model/anthropic"
)

// Name begins the names of the models.
const Name = "vertex"

// scope is what the credentials are asked for.
const scope = "https://www.googleapis.com/auth/cloud-platform"

// Config says who calls, and where.
type Config struct {
	// Credentials replace the application default credentials. Defaults to nil:
	// those are looked for.
	Credentials *google.Credentials
	// Project is the project that pays. Defaults to ANTHROPIC_VERTEX_PROJECT_ID, else
	// to GOOGLE_CLOUD_PROJECT, else to that of the credentials.
	Project string
	// Region is where the model runs, such as "us-east5" or "global". Defaults to
	// CLOUD_ML_REGION.
	Region string
}

// Platform makes the platform. Nothing is sent.
func Platform(ctx context.Context, cfg Config) (anthropic.Platform, error) {
	if cfg.Region = first(cfg.Region, os.Getenv("CLOUD_ML_REGION")); cfg.Region == "" || strings.ContainsAny(cfg.Region, "/?#. ") {
		return anthropic.Platform{}, fmt.Errorf("vertex: the region is %q; set CLOUD_ML_REGION, or Config.Region, for example to \"global\"", cfg.Region)
	}
	if cfg.Credentials == nil {
		var err error
		if cfg.Credentials, err = google.FindDefaultCredentials(ctx, scope); err != nil {
			return anthropic.Platform{}, fmt.Errorf("vertex: find the application default credentials: %w", err)
		}
	}
	cfg.Project = first(cfg.Project, os.Getenv("ANTHROPIC_VERTEX_PROJECT_ID"), os.Getenv("GOOGLE_CLOUD_PROJECT"), cfg.Credentials.ProjectID)
	if cfg.Project == "" {
		return anthropic.Platform{}, errors.New("vertex: there is no project; set GOOGLE_CLOUD_PROJECT, or Config.Project")
	}
	return anthropic.Platform{Name: Name, Options: []option.RequestOption{sdk.WithCredentials(ctx, cfg.Region, cfg.Project, cfg.Credentials)}}, nil
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
