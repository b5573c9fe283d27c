package stripe

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// shownRows is how many objects a panel lists.
const shownRows = 25

func (s *Simulator) controlRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST /control/stripe/dispute", s.action("The dispute is open.", func(c *change, param func(string) string) error {
		charge, err := c.chargeNamed(param)
		if err == nil {
			_, err = c.dispute(charge, firstOf(param("reason"), "fraudulent"))
		}
		return err
	}))
	mux.HandleFunc("POST /control/stripe/refund", s.action("The refund is on its way.", func(c *change, param func(string) string) error {
		var cents int64
		if text := param("amount"); text != "" {
			var err error
			if cents, err = strconv.ParseInt(text, 10, 64); err != nil {
				return unfit("", "The amount is whole cents.")
			}
		}
		charge, err := c.chargeNamed(param)
		if err == nil {
			_, err = c.refundHere(charge, cents)
		}
		return err
	}))
	mux.HandleFunc("POST /control/stripe/refund/complete", s.action("The refund is complete.", func(c *change, param func(string) string) error {
		return c.completeRefund(param("refund"))
	}))
	mux.HandleFunc("POST /control/stripe/dispute/decide", s.action("The dispute is closed.", func(c *change, param func(string) string) error {
		outcome := "lost"
		if param("outcome") == "won" {
			outcome = "won"
		}
		_, err := c.decide(param("dispute"), outcome)
		return err
	}))
	mux.HandleFunc("POST /control/stripe/dispute/reinstate", s.action("The money is reinstated.", func(c *change, param func(string) string) error {
		return c.reinstate(param("dispute"))
	}))
	mux.HandleFunc("POST /control/stripe/permissions", s.action("The key's permissions are changed.", (*change).restrict))
	mux.HandleFunc("POST /control/stripe/pricing", s.action("The fees are changed.", (*change).price))
	mux.HandleFunc("POST /control/stripe/payout", s.action("The payout is made.", func(c *change, param func(string) string) error {
		cents, err := strconv.ParseInt(param("amount"), 10, 64)
		if err != nil {
			return unfit("", "The amount is whole cents.")
		}
		_, err = c.payOut(cents, firstOf(param("currency"), "usd"), "", nil)
		return err
	}))
	mux.HandleFunc("POST /control/stripe/payout/fail", s.action("The bank sent the payout back.", func(c *change, param func(string) string) error {
		return c.failPayout(param("payout"))
	}))
}

// chargeNamed is the charge of a control action, by its own id or by its
// payment's.
func (c *change) chargeNamed(param func(string) string) (string, error) {
	if param("payment") == "" {
		return param("charge"), nil
	}
	pi, err := load[intentDoc](c.tx, intents, "payment", param("payment"))
	if err != nil {
		return "", err
	}
	if pi.LatestCharge == nil {
		return "", unfit("", "Nothing was charged.")
	}
	return *pi.LatestCharge, nil
}

// action runs a control action in a transaction.
func (s *Simulator) action(done string, do func(*change, func(string) string) error) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		param := sandbox.Param(r)
		err := s.world.Store.Update(func(tx *sandbox.Tx) error {
			return do(&change{sim: s, tx: tx, now: s.world.Clock.Now()}, param)
		})
		s.world.Done(rw, r, done, err)
	}
}

// Control shows payments, disputes and the balance.
func (s *Simulator) Control() []sandbox.Panel {
	return []sandbox.Panel{
		{Title: "Card payments", Note: "The latest 25. You can dispute a captured payment, or refund it at Stripe.", Columns: []string{"Created", "Order", "Amount", "Status", "Card", "Hold ends", "Payment"}, Rows: s.paymentRows},
		{Title: "Disputes", Columns: []string{"Created", "Order", "Amount", "Reason", "Status"}, Rows: s.disputeRows},
		{Title: "Payouts", Note: "To our bank. The bank can still return a payout that has arrived.", Columns: []string{"Created", "Amount", "Status", "Payout"}, Rows: s.payoutRows,
			Actions: []sandbox.Action{{Label: "Pay out", Path: "/control/stripe/payout", Fields: []sandbox.Field{{Name: "amount", Label: "Cents", Value: "10000"}}},
				{Label: "Set fees", Path: "/control/stripe/pricing", Fields: []sandbox.Field{{Name: "percent", Label: "Per cent", Value: "2.9"}, {Name: "fixed", Label: "Cents", Value: "30"}}}}},
		{Title: "Stripe balance", Note: "Captured payments, less refunds, disputes ($15 each), payouts and fees.", Columns: []string{"Currency", "Amount"}, Rows: s.balanceRows},
	}
}

func (s *Simulator) paymentRows() []sandbox.Row {
	rows := []sandbox.Row{}
	err := s.world.Store.View(func(tx *sandbox.Tx) error {
		return newest(tx, intents, func(_ string, pi *intentDoc) bool {
			row := sandbox.Row{Cells: []string{clockTime(pi.Created), pi.Order, money(pi.Amount, pi.Currency), pi.Status, "", "", pi.ID}}
			if pi.LatestCharge != nil {
				if ch, err := load[chargeDoc](tx, charges, "id", *pi.LatestCharge); err == nil {
					row.Cells[4] = ch.PaymentMethodDetails.Card.Brand + " " + ch.PaymentMethodDetails.Card.Last4
					if pi.Status == "requires_capture" {
						row.Cells[5] = clockTime(ch.PaymentMethodDetails.Card.CaptureBefore)
					}
					if ch.Captured && !ch.Disputed && !ch.Refunded {
						of := []sandbox.Field{{Name: "charge", Value: ch.ID}}
						row.Actions = []sandbox.Action{{Label: "Refund", Path: "/control/stripe/refund", Fields: of},
							{Label: "Dispute", Path: "/control/stripe/dispute", Danger: true, Fields: of}}
					}
				}
			}
			rows = append(rows, row)
			return len(rows) < shownRows
		})
	})
	s.complain("panel", err)
	return rows
}

func (s *Simulator) disputeRows() []sandbox.Row {
	rows := []sandbox.Row{}
	err := s.world.Store.View(func(tx *sandbox.Tx) error {
		return newest(tx, disputes, func(_ string, dp *disputeDoc) bool {
			row := sandbox.Row{Cells: []string{clockTime(dp.Created), dp.Order, money(dp.Amount, dp.Currency), dp.Reason, dp.Status}}
			if dp.Status != "won" && dp.Status != "lost" {
				for _, outcome := range []string{"won", "lost"} {
					row.Actions = append(row.Actions, sandbox.Action{Label: "We " + outcome, Path: "/control/stripe/dispute/decide", Fields: []sandbox.Field{{Name: "dispute", Value: dp.ID}, {Name: "outcome", Value: outcome}}})
				}
			}
			rows = append(rows, row)
			return len(rows) < shownRows
		})
	})
	s.complain("panel", err)
	return rows
}

func (s *Simulator) balanceRows() []sandbox.Row {
	rows := []sandbox.Row{}
	err := s.world.Store.View(func(tx *sandbox.Tx) error {
		return tx.Each(balances, "", func(currency string, raw []byte) error {
			var amount int64
			if err := json.Unmarshal(raw, &amount); err != nil {
				return err
			}
			rows = append(rows, sandbox.Row{Cells: []string{currency, money(amount, currency)}})
			return nil
		})
	})
	s.complain("panel", err)
	return rows
}

func clockTime(unix int64) string { return time.Unix(unix, 0).UTC().Format("2 Jan 15:04:05") }
