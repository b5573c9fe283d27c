package kraken

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// controlRoutes registers what tests and the control page change:
//
//	POST prices    {pair, ask, bid}        anchors a pair
//	POST freeze    {frozen: "true"|"false"} stops the random walk, or starts it
//	POST status    {status}                online, maintenance, cancel_only, post_only
//	POST listing   {pair, listed: "true"|"false"} takes a pair off the list, or puts it back
//	POST tier      {tier}                  starter, intermediate, pro, unlimited
//	POST lag       {seconds}               until new orders show in look-ups
//	POST payouts   {seconds}               that a withdrawal takes
//	POST balances  {asset, amount, account} credits or, if negative, debits an account
//	POST addresses {asset, key, address}   registers a withdrawal key
//	POST permissions {permissions, allowlist} of the keys, separated by blanks; none: all that are needed, from anywhere
//	GET  balances                          account → asset → total, as text
//	GET  prices                            pair → {ask, bid}
func (s *Simulator) controlRoutes(mux *http.ServeMux) {
	for name, action := range map[string]func(*sandbox.Tx, func(string) string) (string, error){
		"prices": s.controlPrices, "freeze": s.controlFreeze, "status": s.controlStatus, "listing": s.controlListing, "tier": s.controlTier,
		"lag": s.controlLag, "payouts": s.controlPayouts, "balances": s.controlBalances, "addresses": s.controlAddresses, "permissions": s.controlPermissions,
	} {
		mux.HandleFunc("POST /control/kraken/"+name, func(rw http.ResponseWriter, r *http.Request) {
			param := sandbox.Param(r)
			message := ""
			err := s.world.Store.Update(func(tx *sandbox.Tx) (err error) {
				message, err = action(tx, param)
				return err
			})
			s.world.Done(rw, r, message, err)
		})
	}
	mux.HandleFunc("GET /control/kraken/balances", s.showBalances)
	mux.HandleFunc("GET /control/kraken/prices", s.showPrices)
}

func (s *Simulator) controlPrices(tx *sandbox.Tx, param func(string) string) (string, error) {
	p, known := findPair(param("pair"))
	if !known {
		return "", fmt.Errorf("no pair %q", param("pair"))
	}
	ask, askErr := decimal.NewFromString(param("ask"))
	bid, bidErr := decimal.NewFromString(param("bid"))
	if param("bid") == "" {
		bid, bidErr = ask.Sub(p.Tick), nil
	}
	if askErr != nil || bidErr != nil {
		return "", errors.New("ask and bid are decimals")
	}
	if err := s.setPrice(tx, p, quote{Ask: ask, Bid: bid}); err != nil {
		return "", err
	}
	return p.WS + " is at " + ask.String() + ".", s.sweepOpen(tx, s.world.Clock.Now(), true)
}

func (s *Simulator) change(tx *sandbox.Tx, edit func(*settings)) error {
	set, err := s.settings(tx)
	if err != nil {
		return err
	}
	edit(&set)
	return tx.Put(bucketSettings, "all", set)
}

func (s *Simulator) controlFreeze(tx *sandbox.Tx, param func(string) string) (string, error) {
	frozen := param("frozen") != "false"
	message := "Prices are no longer frozen."
	if frozen {
		message = "Prices are frozen at the last set price."
		s.mu.Lock()
		for key, w := range s.book {
			s.book[key] = walk{quote: w.anchor, anchor: w.anchor, last: w.anchor.Ask}
		}
		s.mu.Unlock()
	}
	return message, s.change(tx, func(set *settings) { set.Frozen = frozen })
}

func (s *Simulator) controlStatus(tx *sandbox.Tx, param func(string) string) (string, error) {
	status := param("status")
	if !slices.Contains(modes, status) {
		return "", fmt.Errorf("status is one of %s", strings.Join(modes, ", "))
	}
	return "Kraken is " + status + ".", s.change(tx, func(set *settings) { set.Status = status })
}

func (s *Simulator) controlListing(tx *sandbox.Tx, param func(string) string) (string, error) {
	p, known := findPair(param("pair"))
	if !known {
		return "", fmt.Errorf("no pair %q", param("pair"))
	}
	listed := param("listed") != "false"
	message := p.WS + " is listed."
	if !listed {
		message = p.WS + " is not listed."
	}
	return message, s.change(tx, func(set *settings) {
		set.Unlisted = slices.DeleteFunc(set.Unlisted, func(key string) bool { return key == p.Key })
		if !listed {
			set.Unlisted = append(set.Unlisted, p.Key)
		}
	})
}

func (s *Simulator) controlTier(tx *sandbox.Tx, param func(string) string) (string, error) {
	tier := param("tier")
	if _, known := tiers[tier]; !known {
		return "", fmt.Errorf("tier is one of %s", strings.Join(tierNames(), ", "))
	}
	return "The account's tier is " + tier + ".", s.change(tx, func(set *settings) { set.Tier = tier })
}

func (s *Simulator) controlLag(tx *sandbox.Tx, param func(string) string) (string, error) {
	seconds, err := strconv.ParseUint(param("seconds"), 10, 16)
	if err != nil {
		return "", errors.New("seconds is a whole number")
	}
	return fmt.Sprintf("New orders show after %d s.", seconds), s.change(tx, func(set *settings) { set.Lag = int(seconds) })
}

func (s *Simulator) controlPayouts(tx *sandbox.Tx, param func(string) string) (string, error) {
	seconds, err := strconv.ParseUint(param("seconds"), 10, 16)
	if err != nil {
		return "", errors.New("seconds is a whole number")
	}
	return fmt.Sprintf("Withdrawals take %d s.", seconds), s.change(tx, func(set *settings) { set.Payouts = int(seconds) })
}

func (s *Simulator) controlBalances(tx *sandbox.Tx, param func(string) string) (string, error) {
	a, known := findAsset(param("asset"))
	amount, err := decimal.NewFromString(param("amount"))
	if !known || err != nil || !amount.Equal(amount.Truncate(a.Decimals)) {
		return "", errors.New("give an asset and an amount")
	}
	kind := "deposit"
	if amount.IsNegative() {
		kind = "transfer"
	}
	name := param("account")
	if name == "" {
		name = "main"
	}
	for _, who := range s.accounts {
		if who.Name == name {
			return "Balance changed.", book(tx, who, s.world.Clock.Now(), kind, newID("F"), a.Code, amount, decimal.Zero)
		}
	}
	return "", fmt.Errorf("no account %q", name)
}

func (s *Simulator) controlAddresses(tx *sandbox.Tx, param func(string) string) (string, error) {
	a, known := findAsset(param("asset"))
	if !known || param("key") == "" || param("address") == "" {
		return "", errors.New("give an asset, a key and an address")
	}
	return "Withdrawal key registered.", tx.Put(bucketAddress, a.Code+"/"+param("key"), param("address"))
}

func (s *Simulator) showBalances(rw http.ResponseWriter, r *http.Request) {
	result := map[string]map[string]string{}
	err := s.world.Store.View(func(tx *sandbox.Tx) error {
		for _, who := range s.accounts {
			result[who.Name] = map[string]string{}
			for _, a := range assets {
				b, err := balanceOf(tx, who, a.Code)
				if err != nil {
					return err
				}
				result[who.Name][a.Code] = b.Total.String()
			}
		}
		return nil
	})
	if err != nil {
		s.world.Done(rw, r, "", err)
		return
	}
	sandbox.WriteJSON(rw, http.StatusOK, result)
}

func (s *Simulator) showPrices(rw http.ResponseWriter, _ *http.Request) {
	result := map[string]map[string]string{}
	for _, p := range pairs {
		q := s.quoteOf(p)
		result[p.Key] = map[string]string{"ask": q.Ask.String(), "bid": q.Bid.String()}
	}
	sandbox.WriteJSON(rw, http.StatusOK, result)
}

var modes = []string{"online", "maintenance", "cancel_only", "post_only"}

func tierNames() []string { return slices.Sorted(maps.Keys(tiers)) }

// chainID is the transaction id a withdrawal gets.
func chainID(ref string) string {
	sum := sha256.Sum256([]byte(ref))
	return hex.EncodeToString(sum[:])
}
