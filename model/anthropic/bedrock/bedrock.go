// Package bedrock reaches Claude models through Amazon Bedrock.
//
//	platform, err := bedrock.Platform(ctx, bedrock.Config{Region: "eu-central-1"})
//	if err != nil {
//		return err
//	}
//	m, err := anthropic.New(anthropic.Config{
//		Model:    "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
//		Platform: platform,
//	})
//
// Addresses, signatures and the platform's framing of streams are left to the
// official SDK (github.com/anthropics/anthropic-sdk-go/v2/bedrock). What goes over
// it is what package anthropic says of the Anthropic API, but for counting tokens,
// which Bedrock does not have.
package bedrock

import (
	"context"
	"errors"
	"fmt"

	sdk "github.com/anthropics/anthropic-sdk-go/v2/bedrock"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/quarry-sdk/quarry/model/anthropic"
)

// Name begins the names of the models.
const Name = "bedrock"

// Config says who calls, and where.
type Config struct {
	// AWS replaces what is loaded from the environment and the shared configuration
	// files. Defaults to nil: it is loaded.
	AWS *aws.Config
	// Profile is the profile of the shared configuration. Defaults to AWS_PROFILE.
	Profile string
	// Region is the region of the endpoint. Defaults to AWS_REGION, or the profile's.
	Region string
}

// Platform makes the platform. Credentials are looked for as the AWS SDK does;
// AWS_BEARER_TOKEN_BEDROCK comes before them. Nothing is sent.
func Platform(ctx context.Context, cfg Config) (anthropic.Platform, error) {
	if cfg.AWS == nil {
		var opts []func(*config.LoadOptions) error
		if cfg.Profile != "" {
			opts = append(opts, config.WithSharedConfigProfile(cfg.Profile))
		}
		loaded, err := config.LoadDefaultConfig(ctx, opts...)
		if err != nil {
			return anthropic.Platform{}, fmt.Errorf("bedrock: load the AWS configuration: %w", err)
		}
		cfg.AWS = &loaded
	}
	own := cfg.AWS.Copy()
	if cfg.Region != "" {
		own.Region = cfg.Region
	}
	if own.Region == "" {
		return anthropic.Platform{}, errors.New("bedrock: there is no region; set AWS_REGION, or Config.Region")
	}
	return anthropic.Platform{Name: Name, Options: []option.RequestOption{sdk.WithConfig(own)}}, nil
}
