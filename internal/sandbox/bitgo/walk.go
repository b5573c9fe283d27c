package bitgo

import (
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// walkAll advances every transfer to the state of its age, including replacements created
// on the way.
func (s *Simulator) walkAll(tx *sandbox.Tx, now time.Time) error {
	set, err := s.settings(tx)
	if err != nil {
		return err
	}
	walked := map[string]bool{}
	for {
		var ids []string
		err := tx.Each(bucketMoving, "", func(id string, _ []byte) error {
			if !walked[id] {
				ids = append(ids, id)
			}
			return nil
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			walked[id] = true
			t, _, err := loadTransfer(tx, id)
			if err != nil {
				return err
			}
			if err := s.walk(tx, t, set.Pace, now); err != nil {
				return err
			}
		}
	}
}

// walk executes every step that is due: signed → unconfirmed → confirmed, or those of its
// fate. Each step sends the webhooks.
func (s *Simulator) walk(tx *sandbox.Tx, t *transfer, p transitions, now time.Time) error {
	for {
		next, at := t.next(p)
		if next == "" || at.After(now) {
			return nil
		}
		if err := s.step(tx, t, next, at); err != nil {
			return err
		}
	}
}

// next is the state that the transfer reaches by itself, and when.
func (t *transfer) next(p transitions) (state string, at time.Time) {
	switch t.State {
	case stateSigned:
		return stateUnconfirmed, t.Signed.Add(p.Unconfirmed)
	case stateUnconfirmed:
		if t.Fate != "" {
			return t.Fate, t.minedAt(p)
		}
		return stateConfirmed, t.minedAt(p)
	case stateRemoved:
		switch {
		case t.Dies:
			return stateFailed, t.minedAt(p).Add(p.Confirmed)
		case !t.Final:
			return stateUnconfirmed, t.minedAt(p).Add(p.Confirmed)
		}
	}
	return "", time.Time{}
}

// step makes one change of state with its money and its webhook.
func (s *Simulator) step(tx *sandbox.Tx, t *transfer, state string, at time.Time) error {
	var err error
	switch state {
	case stateUnconfirmed:
		if t.State == stateRemoved {
			t.Fate, t.Signed = "", at
		}
	case stateConfirmed:
		t.Confirmed = at
		if t.State == stateRemoved && t.Final { // a block has included it after all
			err = s.holdFunds(tx, t)
		}
		if err == nil {
			err = s.confirmFunds(tx, t)
		}
		if err == nil {
			err = s.deliver(tx, t, at)
		}
	case stateFailed:
		if !t.Final {
			err = s.undo(tx, t)
		}
	case stateRemoved:
		if t.Final {
			err = s.releaseFunds(tx, t)
		}
	case stateReplaced:
		err = s.replace(tx, t, at)
	}
	if err != nil {
		return err
	}
	t.become(state, at)
	if err := t.save(tx); err != nil {
		return err
	}
	return s.enqueueWebhook(tx, t, at)
}

// confirmFunds turns what is under way into what has happened.
func (s *Simulator) confirmFunds(tx *sandbox.Tx, t *transfer) error {
	if t.Type == "receive" {
		return adjust(tx, s.wallets[t.Coin], func(f *funds) {
			f.In, f.Confirmed = f.In.Sub(t.amount()), f.Confirmed.Add(t.amount())
		})
	}
	return s.adjustParts(tx, t, func(f *funds, amount decimal.Decimal) {
		f.Out, f.Confirmed = f.Out.Sub(amount), f.Confirmed.Sub(amount)
	})
}

// releaseFunds releases what was under way.
func (s *Simulator) releaseFunds(tx *sandbox.Tx, t *transfer) error {
	if t.Type == "receive" {
		return adjust(tx, s.wallets[t.Coin], func(f *funds) { f.In = f.In.Sub(t.amount()) })
	}
	return s.adjustParts(tx, t, func(f *funds, amount decimal.Decimal) { f.Out = f.Out.Sub(amount) })
}

// holdFunds debits what is under way again.
func (s *Simulator) holdFunds(tx *sandbox.Tx, t *transfer) error {
	if t.Type == "receive" {
		return adjust(tx, s.wallets[t.Coin], func(f *funds) { f.In = f.In.Add(t.amount()) })
	}
	return s.adjustParts(tx, t, func(f *funds, amount decimal.Decimal) { f.Out = f.Out.Add(amount) })
}

// undo returns what a failed transfer moved. On a chain of accounts its gas is used up; on
// Bitcoin no block included it.
func (s *Simulator) undo(tx *sandbox.Tx, t *transfer) error {
	err := s.releaseFunds(tx, t)
	payer := s.wallets[coins[t.Coin].Parent]
	if err != nil || t.Type == "receive" || coins[t.Coin].Chain.Kind == "btc" || payer.ID == "" {
		return err
	}
	return adjust(tx, payer, func(f *funds) { f.Confirmed = f.Confirmed.Sub(t.Fee) })
}

// replace makes the transaction that replaces a fee-bumped one: same recipients, half as
// much fee again, no sequenceId of its own.
func (s *Simulator) replace(tx *sandbox.Tx, t *transfer, at time.Time) error {
	bumped := *t
	bumped.ID, bumped.TxID, bumped.SequenceID = randomHex(16), newTxID(coins[t.Coin]), ""
	bumped.Fate, bumped.Unmined, bumped.History, bumped.Replaces = "", 0, nil, []string{t.TxID}
	bumped.Fee = t.Fee.Mul(decimal.New(15, -1)).Ceil()
	bumped.Created, bumped.Signed, bumped.Visible = at, at, at
	bumped.become(stateUnconfirmed, at)
	t.ReplacedBy = []string{bumped.TxID}
	if err := s.releaseFunds(tx, t); err != nil {
		return err
	}
	err := s.holdFunds(tx, &bumped)
	if err != nil {
		return err
	}
	if err := bumped.save(tx); err != nil {
		return err
	}
	return s.enqueueWebhook(tx, &bumped, at)
}
