package config

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/treasury"
)

// Treasury is when a wallet is low, and how it is filled from the exchange.
type Treasury struct {
	Every  time.Duration     `name:"treasury-every" env:"TREASURY_EVERY" default:"5m" help:"Time between two readings of what the providers hold."`
	Again  time.Duration     `name:"treasury-again" env:"TREASURY_AGAIN" default:"12h" help:"How long the system waits after a move was rejected, or failed, before it proposes another to the same wallet."`
	Kept   time.Duration     `name:"treasury-kept" env:"TREASURY_KEPT" default:"2160h" help:"How long the readings of what the providers hold are kept; the page shows up to 90 days."`
	Low    map[string]string `name:"treasury-low" env:"TREASURY_LOW" mapsep:"," help:"Coins below which a wallet is low, what is paid for and not sent yet taken off; by coin as in BITGO_WALLETS. Of a coin that is not named, TREASURY_LOW_PERCENT."`
	Target map[string]string `name:"treasury-target" env:"TREASURY_TARGET" mapsep:"," help:"Coins a wallet is filled up to from the exchange, of the same coins. Of a coin that is not named, TREASURY_TARGET_PERCENT."`

	LowPercent    int64 `name:"treasury-low-percent" env:"TREASURY_LOW_PERCENT" default:"25" help:"Percent of the float booked into a wallet below which it is low, and of the dollars booked at the exchange (see ALERT_DOLLARS)."`
	TargetPercent int64 `name:"treasury-target-percent" env:"TREASURY_TARGET_PERCENT" default:"100" help:"Percent of the float booked into a wallet that it is filled up to; for each coin the wallet on its first network. 0 fills only those that TREASURY_TARGET names."`
}

// Check implements Group.
func (t *Treasury) Check(Mode) error {
	var err error
	if t.Every < 10*time.Second || t.Again <= 0 || t.Kept < 24*time.Hour {
		err = errors.New("TREASURY_EVERY must be at least 10s, TREASURY_AGAIN above zero, TREASURY_KEPT at least 24h")
	}
	if t.LowPercent < 0 || t.TargetPercent < 0 || t.TargetPercent > 0 && t.TargetPercent <= t.LowPercent {
		err = errors.Join(err, errors.New("TREASURY_LOW_PERCENT and TREASURY_TARGET_PERCENT must not be below zero, and the target is the higher"))
	}
	if _, wrong := treasury.ParseTreasuryLimits(t.Low, t.Target); wrong != nil {
		err = errors.Join(err, fmt.Errorf("TREASURY_LOW, TREASURY_TARGET: %w", wrong))
	}
	return err
}

// Thresholds are those of each wallet; Check has made sure of their form.
func (t *Treasury) Thresholds(offer money.Offer) treasury.Thresholds {
	set, _ := treasury.ParseTreasuryLimits(t.Low, t.Target)
	return treasury.Proportion{Set: set, Offer: offer, Low: t.LowPercent, Target: t.TargetPercent}
}

// WithdrawKeys are the addresses registered at the exchange that coin may be
// withdrawn to: those of our wallets.
type WithdrawKeys struct {
	Keys      map[string]string `name:"kraken-withdraw-keys" env:"KRAKEN_WITHDRAW_KEYS" mapsep:"," ask:"may" when:"production" help:"Names of the withdrawal addresses registered at Kraken, by coin as in BITGO_WALLETS, e.g. btc=vault-btc; a wallet without one is not filled."`
	Addresses map[string]string `name:"kraken-withdraw-addresses" env:"KRAKEN_WITHDRAW_ADDRESSES" mapsep:"," help:"The addresses those names must stand for; Kraken refuses a withdrawal when one does not."`
}

// Check implements Group.
func (k *WithdrawKeys) Check(Mode) error {
	for name, given := range map[string]map[string]string{"KRAKEN_WITHDRAW_KEYS": k.Keys, "KRAKEN_WITHDRAW_ADDRESSES": k.Addresses} {
		for coin, value := range given {
			if !slices.Contains(BitGoCoins, coin) || value == "" {
				return fmt.Errorf("%s: %q is none of our coins, or nothing is given for it", name, coin)
			}
		}
	}
	return nil
}
