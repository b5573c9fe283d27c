package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/doctor"
)

// examine is the command doctor. It reads whatever settings are in the environment:
// what is not there is skipped.
type examine struct {
	JSON      bool     `name:"json" help:"Write JSON."`
	Only      []string `help:"Make these checks alone, by name (stripe.key) or subject (stripe)."`
	MailTo    string   `name:"mail-to" help:"Send a test mail to this address."`
	Selectors []string `name:"dkim-selector" help:"DKIM selectors of the sender; without one the usual ones are tried."`
	RoundTrip bool     `name:"round-trip" help:"Have BitGo send a notice, and wait for it. It stays in the inbox, and nothing comes of it."`
}

// Run makes the checks, writes what was found, and fails on a fault.
func (e *examine) Run(ctx context.Context) error {
	report, unknown := doctor.Examine(ctx, doctor.Options{Only: e.Only, MailTo: e.MailTo, Selectors: e.Selectors, RoundTrip: e.RoundTrip,
		Also: map[string]config.Group{"RECIPIENTS_FILE": &product{}}})
	if len(unknown) > 0 {
		var names []string
		for _, c := range doctor.Checks() {
			names = append(names, c.Name)
		}
		return fmt.Errorf("no check is called %s; there are %s", strings.Join(unknown, ", "), strings.Join(names, ", "))
	}
	if e.JSON {
		if err := report.WriteJSON(os.Stdout); err != nil {
			return err
		}
	} else {
		report.WriteText(os.Stdout)
	}
	if report.Faults > 0 {
		return errors.New(report.Summary())
	}
	return nil
}

// registerWebhooks is the command webhooks register. Each provider's part is done
// where its credential is set.
type registerWebhooks struct {
	Provider string `arg:"" optional:"" enum:"all,stripe,bitgo" default:"all" help:"stripe, bitgo, or all."`
}

// Run registers what the providers' APIs can register, and prints how to do the rest. A
// second run changes nothing.
func (r *registerWebhooks) Run(ctx context.Context) error {
	steps, err := doctor.Registrations(os.Getenv)
	if err != nil {
		return err
	}
	var failed []error
	for _, step := range steps {
		if r.Provider != "all" && r.Provider != step.Provider {
			continue
		}
		done, err := step.Run(ctx)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", step.Provider, err))
			continue
		}
		fmt.Println(done.Says)
		if done.Secret != "" {
			fmt.Println("STRIPE_WEBHOOK_SECRET=" + done.Secret)
		}
	}
	return errors.Join(failed...)
}
