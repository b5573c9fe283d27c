package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

type showSwitches struct {
	config.Common   `embed:""`
	config.Postgres `embed:""`
}

// Run lists the switches that are off.
func (s *showSwitches) Run(ctx context.Context) error {
	if err := config.CheckAll(s); err != nil {
		return err
	}
	db, err := store.Open(ctx, s.DatabaseURL, store.Options{MaxConns: 1})
	if err != nil {
		return err
	}
	defer db.Close()
	switches, err := pricing.Switches(ctx, db)
	if err != nil {
		return err
	}
	off := 0
	for _, one := range switches {
		if one.Paused {
			off++
			at := one.ChangedAt.UTC().Format(time.RFC3339)
			fmt.Printf("%s: off since %s by %s: %s\n", switchName(one.Kind, one.Name), at, one.ActorEmail, one.Reason)
		}
	}
	if off == 0 {
		fmt.Println("Everything is on.")
	}
	return nil
}

// turnSwitch holds the settings of both commands.
type turnSwitch struct {
	config.Common   `embed:""`
	config.Postgres `embed:""`

	Issuer string `name:"oidc-issuer" env:"OIDC_ISSUER" default:"http://127.0.0.1:8090" help:"Issuer of the admin."`
	What   string `arg:"" help:"deliveries, sign-ups, asset:NAME such as asset:BTC, or rail:METHOD such as rail:card."`
	By     string `required:"" help:"E-mail address of the responsible admin. The switch shows them, the audit log this command."`
	Reason string `required:"" help:"Reason; the switch and the audit log show it."`
}

type switchOff struct {
	turnSwitch `embed:""`
}

// Run turns something off.
func (s *switchOff) Run(ctx context.Context) error { return s.turn(ctx, true) }

type switchOn struct {
	turnSwitch `embed:""`
}

// Run turns something on.
func (s *switchOn) Run(ctx context.Context) error { return s.turn(ctx, false) }

// turn changes the switch and prints the effect. It is idempotent, so that the commands of a restore can be repeated.
func (s *turnSwitch) turn(ctx context.Context, off bool) error {
	if err := config.CheckAll(s); err != nil {
		return err
	}
	kind, name, err := switchOf(s.What)
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, s.DatabaseURL, store.Options{MaxConns: 1})
	if err != nil {
		return err
	}
	defer db.Close()
	admin, found, err := account.EffectiveAdmin(ctx, db, s.Issuer, s.By)
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("--by %s: no admin of %s has this verified address, or the account is frozen", s.By, s.Issuer)
	}
	named := store.Actor{ActorID: admin, Reason: strings.TrimSpace(s.Reason)}
	_, err = pricing.TurnSwitchByCommand(ctx, db, kind, name, off, named, operator())
	if store.CodeOf(err) == store.CodeConflict {
		state := map[bool]string{true: "off", false: "on"}[off]
		fmt.Printf("%s: %s already; nothing changed.\n", switchName(kind, name), state)
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Println(turned(kind, name, off))
	return nil
}

// switchOf reads the name of a switch as an operator types it.
func switchOf(what string) (kind, name string, err error) {
	switch before, after, _ := strings.Cut(what, ":"); {
	case what == "deliveries":
		return pricing.SwitchFulfilment, "", nil
	case what == "sign-ups":
		return pricing.SwitchSignups, "", nil
	case before == pricing.SwitchAsset && after != "":
		return pricing.SwitchAsset, after, nil
	case before == pricing.SwitchRail && after != "":
		return pricing.SwitchRail, after, nil
	}
	return "", "", fmt.Errorf("%q is no switch: deliveries, sign-ups, asset:NAME or rail:METHOD", what)
}

// switchName is the name of a switch as switchOf reads it.
func switchName(kind, name string) string {
	switch kind {
	case pricing.SwitchFulfilment:
		return "deliveries"
	case pricing.SwitchSignups:
		return "sign-ups"
	}
	return kind + ":" + name
}

// turned is what a command prints of a switch that it turned.
func turned(kind, name string, off bool) string {
	what := switchName(kind, name)
	switch {
	case off && kind == pricing.SwitchSignups:
		return what + " are off: no new account is made."
	case off:
		return what + ": off. No purchase or transfer starts, and new orders are rejected; open ones wait."
	case kind == pricing.SwitchSignups:
		return what + " are on."
	}
	return what + ": on. Open orders resume with the next sweep."
}
