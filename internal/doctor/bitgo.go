package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/bitgo"
	"github.com/tradepost/tradepost/models/treasury"
)

func (e *examination) bitgoChecks() []Check {
	here := e.BitGo != nil
	return []Check{
		{"bitgo.token", "BITGO_TOKEN is accepted, and what it may do", e.needs(here, "BITGO_TOKEN", e.bitgoToken)},
		{"bitgo.wallets", "each wallet of BITGO_WALLETS", e.needs(here, "BITGO_TOKEN", e.bitgoWallets)},
		{"bitgo.webhooks", "the webhooks of each wallet", e.needs(here, "BITGO_TOKEN", e.bitgoWebhooks)},
		{"bitgo.secret", "BITGO_WEBHOOK_SECRET is BitGo's", e.needs(here && e.Webhooks != nil, "BITGO_TOKEN or BITGO_WEBHOOK_SECRET", e.bitgoSecret)},
		{"bitgo.notice", "a notice that BitGo sends arrives", e.bitgoNotice},
	}
}

const bitgoPage = "BitGo (Settings, Developer options)"

// scopes are what the token has to be given, for single wallets or for more.
var scopes = []string{"wallet_view", "wallet_spend"}

// everyScope is the scope that stands for all.
const everyScope = "all"

func (e *examination) bitgoToken(ctx context.Context) []Finding {
	session, err := e.bitgo().Session(ctx)
	if err != nil {
		return []Finding{said(err, "bitgo", "BITGO_TOKEN", bitgoPage)}
	}
	var found []Finding
	for _, scope := range scopes {
		if !slices.ContainsFunc(session.Scope, func(has string) bool { return has == everyScope || strings.HasPrefix(has, scope) }) {
			found = append(found, wrong("bitgo_scope_missing", "Make a token with that scope for these wallets at "+bitgoPage+".", "BITGO_TOKEN lacks the scope %s", scope))
		}
	}
	if len(session.Addresses) == 0 && e.strict() {
		found = append(found, doubtful("bitgo_token_from_anywhere", "Make a token that is limited to the address of this machine at "+bitgoPage+".", "BITGO_TOKEN may be used from any address"))
	}
	if !session.Expires.IsZero() && time.Until(session.Expires) < soon {
		found = append(found, doubtful("bitgo_token_ends", "Make a new long-lived token at "+bitgoPage+" before then.", "BITGO_TOKEN ends on %s", session.Expires.Format(time.DateOnly)))
	}
	return found
}

// named is a wallet as settings and people name it.
func named(w provider.Wallet) string {
	return treasury.CoinOf(treasury.Wallet{Asset: w.Asset, Network: w.Network})
}

func (e *examination) bitgoWallets(ctx context.Context) (found []Finding) {
	client := e.bitgo()
	for _, w := range client.Wallets() {
		_, err := client.Holding(ctx, w)
		switch {
		case err == nil:
		case provider.NotPermitted(err), bitgo.NotKnown(err):
			found = append(found, wrong("bitgo_wallet_unknown", "Correct the id of "+named(w)+" in BITGO_WALLETS (the wallet's page at BitGo shows it), or share the wallet with the token's user.",
				"the wallet of %s cannot be read: %v", named(w), err))
		default:
			return append(found, said(err, "bitgo", "BITGO_TOKEN", bitgoPage))
		}
	}
	return found
}

// eachWallet lists what leads to the site at each wallet.
func (e *examination) eachWallet(ctx context.Context, site string, check func(w provider.Wallet, all []bitgo.Hook, good map[string]bitgo.Hook, bad []bitgo.Hook)) error {
	client := e.bitgo()
	for _, w := range client.Wallets() {
		all, err := client.Hooks(ctx, w)
		if provider.NotPermitted(err) || bitgo.NotKnown(err) {
			continue // bitgo.wallets names it
		}
		if err != nil {
			return err
		}
		good, bad := hooksOf(all, site+webhookPath+"bitgo")
		check(w, all, good, bad)
	}
	return nil
}

func (e *examination) bitgoWebhooks(ctx context.Context) []Finding {
	site, err := e.site()
	if err != nil {
		return skipped("%v", err)
	}
	var found []Finding
	err = e.eachWallet(ctx, site, func(w provider.Wallet, _ []bitgo.Hook, good map[string]bitgo.Hook, bad []bitgo.Hook) {
		for _, h := range bad {
			if h.State == bitgo.HookSuspended {
				found = append(found, wrong("bitgo_webhook_suspended", register, "the webhook %s of the wallet of %s is suspended, since BitGo's notices were not received", h.Type, named(w)))
			} else {
				found = append(found, wrong("bitgo_webhook_silent", register, "the webhook %s of the wallet of %s does not cover failures", h.Type, named(w)))
			}
		}
		for _, kind := range hookTypes {
			replaced := slices.ContainsFunc(bad, func(h bitgo.Hook) bool { return h.Type == kind })
			if _, there := good[kind]; !there && !replaced {
				found = append(found, wrong("bitgo_webhook_missing", register, "the wallet of %s has no webhook %s that leads to %s", named(w), kind, site))
			}
		}
	})
	if err != nil {
		found = append(found, said(err, "bitgo", "BITGO_TOKEN", bitgoPage))
	}
	return found
}

// anyHook is one of our webhooks, for the calls that need one.
func (e *examination) anyHook(ctx context.Context) (w provider.Wallet, hook bitgo.Hook, err error) {
	site, err := e.site()
	if err != nil {
		return w, hook, err
	}
	err = e.eachWallet(ctx, site, func(of provider.Wallet, _ []bitgo.Hook, good map[string]bitgo.Hook, _ []bitgo.Hook) {
		if h, there := good["transfer"]; there && hook.ID == "" {
			w, hook = of, h
		}
	})
	if err == nil && hook.ID == "" {
		err = fmt.Errorf("no webhook leads to %s (bitgo.webhooks)", site)
	}
	return w, hook, err
}

func (e *examination) bitgoSecret(ctx context.Context) []Finding {
	_, hook, err := e.anyHook(ctx)
	if err != nil {
		return skipped("%v", err)
	}
	same, err := e.bitgo().SignsAs(ctx, hook.ID, e.Webhooks.BitGo)
	switch {
	case provider.NotPermitted(err):
		return []Finding{doubtful("bitgo_secret_unseen", "Ask with --round-trip, or look for notices of BitGo in /admin after the first transfer.",
			"BITGO_TOKEN may not ask whether the secret is right (an admin of the enterprise may)")}
	case err != nil:
		return []Finding{said(err, "bitgo", "BITGO_TOKEN", bitgoPage)}
	case !same:
		return []Finding{wrong("bitgo_secret_differs", "Make a new webhook secret for the enterprise (POST /api/v2/webhook/secret, by an admin), put it into BITGO_WEBHOOK_SECRET and start the API again.",
			"BitGo signs its notices with another secret than BITGO_WEBHOOK_SECRET: all are refused")}
	}
	return nil
}

// between is the time between two reads of the inbox.
const between = 250 * time.Millisecond

// bitgoNotice has BitGo send a simulated webhook, and waits for it in the inbox.
func (e *examination) bitgoNotice(ctx context.Context) []Finding {
	switch {
	case !e.options.RoundTrip:
		return skipped("made with --round-trip alone, since it leaves a notice in the inbox")
	case e.BitGo == nil || e.Postgres == nil:
		return skipped("BITGO_TOKEN or DATABASE_URL is not set here")
	}
	db, err := e.database(ctx)
	if err != nil {
		return skipped("the database cannot be used (database.application says why)")
	}
	w, hook, err := e.anyHook(ctx)
	if err != nil {
		return skipped("%v", err)
	}
	since, err := db.Now(ctx)
	if err == nil {
		err = e.bitgo().SimulateHook(ctx, w, hook.ID)
	}
	if err != nil {
		return []Finding{said(err, "bitgo", "BITGO_TOKEN", bitgoPage)}
	}
	wait, cancel := context.WithTimeout(ctx, e.options.Patience*2/3)
	defer cancel()
	for {
		var arrived bool
		if err := db.Row(wait, `SELECT EXISTS (SELECT FROM webhook_inbox WHERE provider = 'bitgo' AND received_at >= $1)`, since).Scan(&arrived); err == nil && arrived {
			return []Finding{well("bitgo_notice_arrived", "a notice that BitGo simulated is in the inbox")}
		}
		select {
		case <-wait.Done():
			return []Finding{wrong("bitgo_notice_lost", "Look whether "+hook.URL+" can be reached from outside, and at what the API logs of it (\"webhook refused\" is another secret).",
				"a notice that BitGo was asked to simulate did not arrive")}
		case <-time.After(between):
		}
	}
}
