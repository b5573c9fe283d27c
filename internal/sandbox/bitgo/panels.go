package bitgo

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// Control is BitGo's part of the control page.
func (s *Simulator) Control() []sandbox.Panel {
	return []sandbox.Panel{s.walletPanel(), s.approvalPanel(), s.transferPanel()}
}

func (s *Simulator) tickers() []string { return slices.Sorted(maps.Keys(s.wallets)) }

func (s *Simulator) currentSettings() (set settings) {
	_ = s.world.Store.View(func(tx *sandbox.Tx) (err error) {
		set, err = s.settings(tx)
		return err
	})
	return set
}

func (s *Simulator) walletPanel() sandbox.Panel {
	set := s.currentSettings()
	p := set.Pace
	return sandbox.Panel{
		Title: "Wallets", Columns: []string{"Coin", "Balance", "Spendable", "Approval above", "Receive address"},
		Rows: s.walletRows,
		Actions: []sandbox.Action{
			{Label: "Receive crypto", Path: "/control/bitgo/deposits", Fields: []sandbox.Field{
				{Name: "coin", Label: "Coin", Options: s.tickers()}, {Name: "amount", Label: "Amount in base units"},
			}},
			{Label: "Set policy", Path: "/control/bitgo/policy", Fields: []sandbox.Field{
				{Name: "coin", Label: "Coin", Options: s.tickers()}, {Name: "limit", Label: "Approval above, in base units (empty: never)"},
			}},
			{Label: "Set pace", Path: "/control/bitgo/pace", Fields: []sandbox.Field{
				{Name: "unconfirmed", Label: "Broadcast after", Value: p.Unconfirmed.String()},
				{Name: "confirmed", Label: "Confirmed after", Value: p.Confirmed.String()}, {Name: "block", Label: "A block takes", Value: p.Block.String()},
				{Name: "requests", Label: "Requests a minute", Value: strconv.Itoa(set.Requests)},
			}},
		},
	}
}

func (s *Simulator) walletRows() (rows []sandbox.Row) {
	set := s.currentSettings()
	_ = s.world.Store.View(func(tx *sandbox.Tx) error {
		for _, ticker := range s.tickers() {
			w := s.wallets[ticker]
			f, err := fundsOf(tx, w)
			if err != nil {
				return err
			}
			limit := "never"
			if l, limited := set.Limit[ticker]; limited {
				limit = l.Shift(-w.Coin.Decimals).String()
			}
			rows = append(rows, sandbox.Row{Cells: []string{
				ticker, f.balance().Shift(-w.Coin.Decimals).String(), f.spendable().Shift(-w.Coin.Decimals).String(), limit, receiveAddress(w),
			}})
		}
		return nil
	})
	return rows
}

func (s *Simulator) approvalPanel() sandbox.Panel {
	return sandbox.Panel{
		Title: "Approvals", Note: "Sends that need second approval.", Columns: []string{"Approval", "Coin", "Amount", "To", "State"},
		Rows: s.approvalRows,
	}
}

func (s *Simulator) approvalRows() (rows []sandbox.Row) {
	_ = s.world.Store.View(func(tx *sandbox.Tx) error {
		return each(tx, bucketApproval, "", func(_ string, a approval) error {
			t, _, err := loadTransfer(tx, a.Transfer)
			if err != nil {
				return err
			}
			row := sandbox.Row{Cells: []string{a.ID, a.Coin, t.amount().Shift(-coins[a.Coin].Decimals).String(), t.addresses(), a.State}}
			if a.State == "pending" {
				row.Actions = []sandbox.Action{
					{Label: "Approve", Path: "/control/bitgo/approvals/" + a.ID, Fields: []sandbox.Field{{Name: "state", Value: "approved"}}},
					{Label: "Reject", Path: "/control/bitgo/approvals/" + a.ID, Danger: true, Fields: []sandbox.Field{{Name: "state", Value: "rejected"}}},
				}
			}
			rows = append(rows, row)
			return nil
		})
	})
	return rows
}

func (t *transfer) addresses() string {
	list := make([]string, 0, len(t.Recipients))
	for _, r := range t.Recipients {
		list = append(list, r.Address)
	}
	return strings.Join(list, ", ")
}

func (s *Simulator) transferPanel() sandbox.Panel {
	return sandbox.Panel{
		Title: "Latest transfers", Columns: []string{"Sequence id", "Coin", "Amount", "Fee", "To", "State", "Transaction", "Made"},
		Rows: func() (rows []sandbox.Row) {
			var latest []*transfer
			_ = s.world.Store.View(func(tx *sandbox.Tx) error {
				return each(tx, bucketTransfer, "", func(_ string, t transfer) error { latest = append(latest, &t); return nil })
			})
			slices.SortFunc(latest, func(a, b *transfer) int { return b.Created.Compare(a.Created) })
			for _, t := range latest[:min(len(latest), 30)] {
				rows = append(rows, t.row())
			}
			return rows
		},
	}
}

func (t *transfer) row() sandbox.Row {
	c := coins[t.Coin]
	row := sandbox.Row{Cells: []string{
		t.SequenceID, t.Coin, t.baseValue().Shift(-c.Decimals).String(), t.Fee.String(), t.addresses(), t.State, t.TxID, t.Created.Format(time.TimeOnly),
	}}
	if t.State == stateSigned || t.State == stateUnconfirmed {
		row.Actions = []sandbox.Action{{Label: "Set state", Path: "/control/bitgo/transfers/" + t.ID, Fields: []sandbox.Field{{Name: "state", Label: "State", Options: forcible}}}}
	}
	return row
}
