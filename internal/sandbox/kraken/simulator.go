package kraken

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// The documents of the store, by bucket. Keys that begin with an account's name
// are listed newest first: see newestFirst.
const (
	bucketSettings   = "kraken.settings"   // "all" → settings
	bucketNonce      = "kraken.nonce"      // API key → last nonce
	bucketPrice      = "kraken.price"      // pair → anchored quote
	bucketBalance    = "kraken.balance"    // account/asset → balance
	bucketOrder      = "kraken.order"      // account/txid → order
	bucketOpen       = "kraken.open"       // account/txid → pair, of open orders
	bucketClosed     = "kraken.closed"     // account/time of closing/txid → txid
	bucketClientID   = "kraken.clientid"   // account/cl_ord_id/txid → txid
	bucketTrade      = "kraken.trade"      // account/time/trade id → trade
	bucketLedger     = "kraken.ledger"     // account/time/ledger id → entry
	bucketVolume     = "kraken.volume"     // account/day → traded USD
	bucketAddress    = "kraken.address"    // asset/key → registered withdrawal address
	bucketWithdrawal = "kraken.withdrawal" // account/time/refid → withdrawal
	bucketDeposit    = "kraken.deposit"    // account/time/refid → deposit
	bucketMoving     = "kraken.moving"     // key in bucketWithdrawal, of unfinished ones
)

// settings are what the control page changes.
type settings struct {
	Frozen bool   // prices do not move
	Status string // of SystemStatus: online, maintenance, cancel_only, post_only
	Tier   string // limits of the ordinary account, see tiers
	Lag    int    // seconds until a new order shows in lookups
	// Payouts is how many seconds a withdrawal lasts.
	Payouts int
	// Permissions are the keys'; none: all that the product needs.
	Permissions []string
	// Allowlist are the addresses the keys are limited to.
	Allowlist []string
	// Unlisted are the keys of the pairs that were taken off the list.
	Unlisted []string
}

var firstSettings = settings{Status: "online", Tier: "pro", Payouts: withdrawalTime}

// Simulator is Kraken: two accounts, of which "unlimited" has no rate limits.
type Simulator struct {
	world    *sandbox.World
	accounts map[string]account // by API key
	counters *counters

	mu     sync.Mutex
	book   map[string]walk // by pair key; guarded by mu
	random *rand.Rand
	walked time.Time
}

// New opens the accounts of the configured keys with their opening balances. It
// fails when a secret is not base64. Without a key one account is every key's.
func New(w *sandbox.World) (*Simulator, error) {
	s := &Simulator{
		world: w, accounts: map[string]account{}, counters: newCounters(),
		book: map[string]walk{}, random: rand.New(rand.NewPCG(1, 2)), //nolint:gosec // prices, not secrets
	}
	if err := s.addAccount("main", w.Config.KrakenKey, w.Config.KrakenSecret, "KRAKEN_SECRET"); err != nil {
		return nil, err
	}
	if w.Config.KrakenKeyUnlimited != "" {
		if err := s.addAccount(unlimitedAccount, w.Config.KrakenKeyUnlimited, w.Config.KrakenSecretUnlimited, "KRAKEN_SECRET_UNLIMITED"); err != nil {
			return nil, err
		}
	}
	w.Chain.OnDelivery(s.receive)
	return s, w.Store.Update(s.open)
}

func (s *Simulator) addAccount(name, key, secret, variable string) error {
	raw, err := base64.StdEncoding.DecodeString(secret)
	if key == "" {
		raw = nil
	} else if err != nil || len(raw) == 0 {
		return errors.New(variable + " is not base64")
	}
	if _, exists := s.accounts[key]; exists {
		return errors.New("KRAKEN_KEY_UNLIMITED is the same as KRAKEN_KEY")
	}
	s.accounts[key] = account{Name: name, Key: key, Secret: raw}
	return nil
}

// open gives new accounts their balances and reads the book.
func (s *Simulator) open(tx *sandbox.Tx) error {
	for _, who := range s.accounts {
		for _, a := range assets {
			var b balance
			found, err := tx.Get(bucketBalance, who.Name+"/"+a.Code, &b)
			if err != nil {
				return err
			}
			if found {
				continue
			}
			if err := tx.Put(bucketBalance, who.Name+"/"+a.Code, balance{Total: decimal.RequireFromString(a.Opening)}); err != nil {
				return err
			}
		}
	}
	for _, p := range pairs {
		top := quote{Ask: decimal.RequireFromString(p.Ask), Bid: decimal.RequireFromString(p.Bid)}
		if _, err := tx.Get(bucketPrice, p.Key, &top); err != nil {
			return err
		}
		s.book[p.Key] = walk{quote: top, anchor: top, last: top.Ask}
	}
	return nil
}

// settings reads the switches of the control page.
func (s *Simulator) settings(tx *sandbox.Tx) (settings, error) {
	now := firstSettings
	_, err := tx.Get(bucketSettings, "all", &now)
	return now, err
}

// Name is "kraken".
func (s *Simulator) Name() string { return "kraken" }

// Routes registers /0/… and /control/kraken/….
func (s *Simulator) Routes(mux *http.ServeMux, _ *sandbox.World) {
	for name, call := range s.publicCalls() {
		mux.HandleFunc("/0/public/"+name, s.public(name, call))
	}
	for name, call := range s.privateCalls() {
		mux.HandleFunc("/0/private/"+name, s.private(name, call))
	}
	mux.HandleFunc("/0/", func(rw http.ResponseWriter, _ *http.Request) { reply(rw, nil, errUnknownMethod) })
	s.controlRoutes(mux)
}

// Operations are the methods.
func (s *Simulator) Operations() []sandbox.Operation {
	list := []sandbox.Operation{}
	for name := range s.publicCalls() {
		list = append(list, sandbox.Operation{Name: name, Codes: []string{"decline:EService:Unavailable"}})
	}
	for name := range s.privateCalls() {
		codes := []string{"decline:EService:Unavailable", "decline_after:EService:Unavailable", "insufficient"}
		list = append(list, sandbox.Operation{Name: name, Changes: changing[name], Codes: append(codes, ownCodes[name]...)})
	}
	return list
}

// changing are the methods that do not only read.
var changing = map[string]bool{"AddOrder": true, "AddOrderBatch": true, "CancelOrder": true, "CancelAll": true, "CancelOrderBatch": true, "Withdraw": true, "WithdrawCancel": true}

// ownCodes are the faults that only some methods have.
var ownCodes = map[string][]string{
	"AddOrder": {"part_fill:0.4", "worse_fill:0.2", "price_jump:2", "lag:5"},
	"Withdraw": {"withdrawal_failed", "withdrawal_held", "lag:5"},
}

// Tick moves the prices, fills resting orders they reach, ends the expired ones and moves
// withdrawals on. It writes only when there is a change.
func (s *Simulator) Tick(now time.Time) {
	busy := false
	err := s.world.Store.View(func(tx *sandbox.Tx) error {
		set, err := s.settings(tx)
		if err != nil {
			return err
		}
		s.walkPrices(set, now)
		for _, bucket := range []string{bucketOpen, bucketMoving} {
			err = errors.Join(err, tx.Each(bucket, "", func(string, []byte) error { busy = true; return nil }))
		}
		return err
	})
	if err == nil && busy {
		err = s.world.Store.Update(func(tx *sandbox.Tx) error {
			return errors.Join(s.sweepOpen(tx, now, false), s.moveWithdrawals(tx, now))
		})
	}
	if err != nil {
		s.world.Log.Error("kraken tick", "error", err)
	}
}

// newestFirst is a key part that sorts later times first.
func newestFirst(at time.Time) string { return fmt.Sprintf("%019d", 1<<62-at.UnixNano()) }

// timeOf reads newestFirst back.
func timeOf(part string) time.Time {
	var n int64
	if _, err := fmt.Sscanf(part, "%d", &n); err != nil {
		return time.Time{}
	}
	return time.Unix(0, 1<<62-n).UTC()
}
