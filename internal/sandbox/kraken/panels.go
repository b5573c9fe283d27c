package kraken

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// Control is Kraken's part of the control page.
func (s *Simulator) Control() []sandbox.Panel {
	return []sandbox.Panel{s.marketPanel(), s.accountPanel(), s.orderPanel()}
}

func (s *Simulator) marketPanel() sandbox.Panel {
	var set settings
	_ = s.world.Store.View(func(tx *sandbox.Tx) (err error) {
		set, err = s.settings(tx)
		return err
	})
	hold := sandbox.Action{Label: "Freeze prices", Path: "/control/kraken/freeze", Fields: []sandbox.Field{{Name: "frozen", Value: "true"}}}
	if set.Frozen {
		hold.Label, hold.Fields = "Unfreeze prices", []sandbox.Field{{Name: "frozen", Value: "false"}}
	}
	return sandbox.Panel{
		Title: "Market", Note: "Prices vary by up to 0.3 % around the last set price, unless frozen.",
		Columns: []string{"Pair", "Ask", "Bid"},
		Rows:    s.priceRows,
		Actions: []sandbox.Action{
			hold,
			{Label: "Set mode", Path: "/control/kraken/status", Fields: []sandbox.Field{{Name: "status", Label: "Market mode", Value: set.Status, Options: modes}}},
			{Label: "Set tier", Path: "/control/kraken/tier", Fields: []sandbox.Field{{Name: "tier", Label: "Rate limits", Value: set.Tier, Options: tierNames()}}},
			{Label: "Set lag", Path: "/control/kraken/lag", Fields: []sandbox.Field{{Name: "seconds", Label: "Seconds until a new order shows", Value: strconv.Itoa(set.Lag)}}},
		},
	}
}

func (s *Simulator) priceRows() []sandbox.Row {
	rows := make([]sandbox.Row, 0, len(pairs))
	for _, p := range pairs {
		q := s.quoteOf(p)
		ask, bid := q.Ask.StringFixed(p.PriceDecimals), q.Bid.StringFixed(p.PriceDecimals)
		rows = append(rows, sandbox.Row{
			Cells: []string{p.WS, ask, bid},
			Actions: []sandbox.Action{{Label: "Set price", Path: "/control/kraken/prices", Fields: []sandbox.Field{
				{Name: "pair", Value: p.Key}, {Name: "ask", Label: "Ask", Value: ask}, {Name: "bid", Label: "Bid", Value: bid},
			}}},
		})
	}
	return rows
}

func (s *Simulator) accountPanel() sandbox.Panel {
	codes := make([]string, 0, len(assets))
	for _, a := range assets {
		codes = append(codes, a.Code)
	}
	return sandbox.Panel{
		Title: "Balances", Note: "A change made here is booked as a deposit or a transfer.",
		Columns: []string{"Account", "Asset", "Balance", "On hold"},
		Rows:    s.balanceRows,
		Actions: []sandbox.Action{{Label: "Change balance", Path: "/control/kraken/balances", Fields: []sandbox.Field{
			{Name: "asset", Label: "Asset", Options: codes}, {Name: "amount", Label: "Amount (negative to deduct)"},
		}}, {Label: "Register withdrawal key", Path: "/control/kraken/addresses", Fields: []sandbox.Field{
			{Name: "asset", Label: "Asset", Options: codes}, {Name: "key", Label: "Key"}, {Name: "address", Label: "Address"},
		}}},
	}
}

func (s *Simulator) balanceRows() (rows []sandbox.Row) {
	_ = s.world.Store.View(func(tx *sandbox.Tx) error {
		for _, who := range s.accounts {
			for _, a := range assets {
				b, err := balanceOf(tx, who, a.Code)
				if err != nil {
					return err
				}
				rows = append(rows, sandbox.Row{Cells: []string{who.Name, a.Code, b.Total.StringFixed(a.Decimals), b.Hold.StringFixed(a.Decimals)}})
			}
		}
		return nil
	})
	slices.SortFunc(rows, func(a, b sandbox.Row) int { return slices.Compare(a.Cells, b.Cells) })
	return rows
}

func (s *Simulator) orderPanel() sandbox.Panel {
	return sandbox.Panel{
		Title: "Latest orders", Columns: []string{"Order", "Client id", "What", "Status", "Filled", "Cost", "Fee", "Opened"},
		Rows: func() (rows []sandbox.Row) {
			var latest []*order
			_ = s.world.Store.View(func(tx *sandbox.Tx) error {
				return tx.Each(bucketOrder, "", func(_ string, raw []byte) error {
					var o order
					if err := json.Unmarshal(raw, &o); err != nil {
						return err
					}
					latest = append(latest, &o)
					return nil
				})
			})
			slices.SortFunc(latest, func(a, b *order) int { return b.Opened.Compare(a.Opened) })
			for _, o := range latest[:min(len(latest), 30)] {
				p, _ := findPair(o.Pair)
				rows = append(rows, sandbox.Row{Cells: []string{
					o.TxID, o.ClientID, o.describe(p), o.Status, o.Filled.String(), o.Cost.String(), o.Fee.String(), o.Opened.Format(time.TimeOnly),
				}})
			}
			return rows
		},
	}
}
