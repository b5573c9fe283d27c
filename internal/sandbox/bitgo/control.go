package bitgo

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// controlRoutes registers what tests and the control page change:
//
//	POST pace                {unconfirmed, confirmed, block} durations such as 2s; "0s" for all is at once;
//	                         {requests} a user may make a minute, 360 to begin with
//	POST policy              {coin, limit} base units above which a send waits; empty lifts it
//	POST approvals/{id}      {state: approved|rejected}
//	POST transfers/{id}      {state: confirmed|failed|replaced|removed} now; a removed one still
//	                         ends confirmed or failed, also once its coin was back
//	POST deposits            {coin, amount} base units arrive and confirm like a send
//	POST webhooks            {state: active|suspended} of all webhooks
//	POST scope               {scope} of the tokens, separated by blanks; empty is all that is needed
//	GET  receipts                coin that arrived from elsewhere: {id, coin, txid, amount, state}
//	GET  balances            coin → {wallet, address, balance, confirmed, spendable}, as text
func (s *Simulator) controlRoutes(mux *http.ServeMux) {
	for path, action := range map[string]func(*sandbox.Tx, *http.Request, func(string) string) (string, error){
		"pace": s.controlTransitions, "policy": s.controlPolicy, "approvals/{id}": s.controlApproval,
		"transfers/{id}": s.controlTransfer, "deposits": s.controlDeposit, "webhooks": s.controlWebhooks, "scope": s.controlScope,
	} {
		mux.HandleFunc("POST /control/bitgo/"+path, func(rw http.ResponseWriter, r *http.Request) {
			param := sandbox.Param(r)
			message := ""
			err := s.world.Store.Update(func(tx *sandbox.Tx) (err error) {
				message, err = action(tx, r, param)
				return err
			})
			s.world.Done(rw, r, message, err)
		})
	}
	mux.HandleFunc("GET /control/bitgo/balances", s.showBalances)
	mux.HandleFunc("GET /control/bitgo/receipts", s.showReceipts)
}

func (s *Simulator) change(tx *sandbox.Tx, edit func(*settings)) error {
	set, err := s.settings(tx)
	if err != nil {
		return err
	}
	edit(&set)
	return tx.Put(bucketSettings, "all", set)
}

func (s *Simulator) controlScope(tx *sandbox.Tx, _ *http.Request, param func(string) string) (string, error) {
	return "Scope changed.", s.change(tx, func(set *settings) { set.Scope = strings.Fields(param("scope")) })
}

func (s *Simulator) controlWebhooks(tx *sandbox.Tx, _ *http.Request, param func(string) string) (string, error) {
	state := param("state")
	if state != webhookActive && state != webhookSuspended {
		return "", errors.New("state is active or suspended")
	}
	changed := map[string]webhook{}
	err := each(tx, bucketWebhook, "", func(key string, w webhook) error {
		w.State = state
		changed[key] = w
		return nil
	})
	for key, w := range changed {
		if err == nil {
			err = tx.Put(bucketWebhook, key, w)
		}
	}
	return "The webhooks are " + state + ".", err
}

func (s *Simulator) controlTransitions(tx *sandbox.Tx, _ *http.Request, param func(string) string) (string, error) {
	set, err := s.settings(tx)
	if err != nil {
		return "", err
	}
	p := set.Pace
	for name, field := range map[string]*time.Duration{"unconfirmed": &p.Unconfirmed, "confirmed": &p.Confirmed, "block": &p.Block} {
		if text := param(name); text != "" {
			if *field, err = time.ParseDuration(text); err != nil || *field < 0 {
				return "", fmt.Errorf("%s is not a duration such as 2s", name)
			}
		}
	}
	if p.Confirmed < p.Unconfirmed {
		return "", errors.New("a transfer is confirmed after it is unconfirmed")
	}
	if text := param("requests"); text != "" {
		if set.Requests, err = strconv.Atoi(text); err != nil || set.Requests < 1 {
			return "", errors.New("requests is a whole number of requests a minute")
		}
	}
	return "Pace changed.", s.change(tx, func(now *settings) { now.Pace, now.Requests = p, set.Requests })
}

func (s *Simulator) controlPolicy(tx *sandbox.Tx, _ *http.Request, param func(string) string) (string, error) {
	ticker, text := param("coin"), param("limit")
	if _, open := s.wallets[ticker]; !open {
		return "", fmt.Errorf("no wallet of %q", ticker)
	}
	limit, err := decimal.NewFromString(text)
	if text != "" && (err != nil || limit.IsNegative() || !limit.IsInteger()) {
		return "", errors.New("limit is in whole base units")
	}
	return "Policy changed.", s.change(tx, func(set *settings) {
		limits := map[string]decimal.Decimal{}
		for name, other := range set.Limit {
			limits[name] = other
		}
		delete(limits, ticker)
		if text != "" {
			limits[ticker] = limit
		}
		set.Limit = limits
	})
}

func (s *Simulator) controlApproval(tx *sandbox.Tx, r *http.Request, param func(string) string) (string, error) {
	state := param("state")
	if state != "approved" && state != "rejected" {
		return "", errors.New("state is approved or rejected")
	}
	_, _, err := s.resolve(tx, r.PathValue("id"), state, newID("user approver"), s.world.Clock.Now())
	return "The send is " + state + ".", err
}

// forcible are the states that can be set for a transfer.
var forcible = []string{stateConfirmed, stateFailed, stateReplaced, stateRemoved}

func (s *Simulator) controlTransfer(tx *sandbox.Tx, r *http.Request, param func(string) string) (string, error) {
	state := param("state")
	t, found, err := loadTransfer(tx, r.PathValue("id"))
	switch {
	case err != nil:
		return "", err
	case !found:
		return "", errors.New("no such transfer")
	case !slices.Contains(forcible, state):
		return "", fmt.Errorf("state is one of %s", strings.Join(forcible, ", "))
	case !slices.Contains(t.comesTo(), state):
		return "", fmt.Errorf("the transfer is %s", t.State)
	}
	return "The transfer is " + state + ".", s.step(tx, t, state, s.world.Clock.Now())
}

// comesTo are the states that can be set for the transfer from its current one.
func (t *transfer) comesTo() []string {
	switch t.State {
	case stateSigned, stateUnconfirmed:
		return forcible
	case stateRemoved:
		return []string{stateConfirmed, stateFailed}
	}
	return nil
}

func (s *Simulator) controlDeposit(tx *sandbox.Tx, _ *http.Request, param func(string) string) (string, error) {
	w, open := s.wallets[param("coin")]
	amount, err := decimal.NewFromString(param("amount"))
	if !open || err != nil || !amount.IsPositive() || !amount.IsInteger() {
		return "", errors.New("give a coin with a wallet and a positive whole amount of base units")
	}
	return "The crypto is on its way.", s.arrive(tx, w, amount, newTxID(w.Coin), s.world.Clock.Now())
}

func (s *Simulator) showBalances(rw http.ResponseWriter, r *http.Request) {
	result := map[string]map[string]string{}
	err := s.world.Store.View(func(tx *sandbox.Tx) error {
		for ticker, w := range s.wallets {
			f, err := fundsOf(tx, w)
			if err != nil {
				return err
			}
			result[ticker] = map[string]string{
				"wallet": w.ID, "address": receiveAddress(w), "balance": f.balance().String(),
				"confirmed": f.Confirmed.String(), "spendable": f.spendable().String(),
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
