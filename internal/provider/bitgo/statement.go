package bitgo

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

var _ provider.Statements = (*Client)(nil)

// statementPage is how many transfers are requested at once; BitGo gives at most
// 500. maxStatementPages bounds a wallet's statement.
const (
	statementPage     = 250
	maxStatementPages = 2_000
)

// Statement lists the transfers of every wallet.
func (c *Client) Statement(ctx context.Context, from, to time.Time) ([]provider.StatementLine, error) {
	var lines []provider.StatementLine
	for _, w := range c.ownWallets() {
		more, err := c.walletStatement(ctx, w, from, to)
		if err != nil {
			return nil, err
		}
		lines = append(lines, more...)
	}
	slices.SortStableFunc(lines, func(a, b provider.StatementLine) int { return a.At.Compare(b.At) })
	return lines, nil
}

// ownWallets are the wallets we have an id of, always in the same order.
func (c *Client) ownWallets() []provider.Wallet {
	var own []provider.Wallet
	for _, w := range slices.SortedFunc(maps.Keys(coins), func(a, b provider.Wallet) int {
		if coins[a] < coins[b] {
			return -1
		}
		return 1
	}) {
		if c.config.Wallets[coins[w]] != "" {
			own = append(own, w)
		}
	}
	return own
}

func (c *Client) walletStatement(ctx context.Context, w provider.Wallet, from, to time.Time) ([]provider.StatementLine, error) {
	const operation = "list_transfers"
	path, err := c.walletPath(operation, w)
	if err != nil {
		return nil, err
	}
	query := url.Values{"limit": {strconv.Itoa(statementPage)},
		"dateGte": {from.UTC().Format(time.RFC3339Nano)}, "dateLt": {to.UTC().Format(time.RFC3339Nano)}}
	var lines []provider.StatementLine
	for range maxStatementPages {
		var page struct {
			Transfers []json.RawMessage `json:"transfers"`
			Next      string            `json:"nextBatchPrevId"`
		}
		if err := c.get(ctx, operation, path+"/transfer?"+query.Encode(), &page); err != nil {
			return nil, err
		}
		for _, raw := range page.Transfers {
			line, err := c.listed(operation, w, raw, to)
			if err != nil {
				return nil, err
			}
			lines = append(lines, line)
		}
		if page.Next == "" || len(page.Transfers) == 0 {
			return lines, nil
		}
		query.Set("prevId", page.Next)
	}
	return nil, c.unreadable(operation, "a statement of more pages than can be looked through")
}

// listed is a transfer of a list.
type listed struct {
	transfer
	Type     string    `json:"type"`
	Date     time.Time `json:"date"`
	Replaces []string  `json:"replaces"`
}

// settledStates are final. A removed transfer can reappear.
var settledStates = map[string]bool{"confirmed": true, "failed": true, "rejected": true, "replaced": true}

// forgottenAfter is how long after its date a deposit is removed for good: nodes
// forget a transaction after two weeks (Bitcoin Core's -mempoolexpiry).
const forgottenAfter = 14 * 24 * time.Hour

// settled reports whether nothing follows on a transfer, as of a moment. A removed one of
// ours stays open: its coin may be ours again, and staff have to check.
func (t *listed) settled(now time.Time) bool {
	forgotten := t.State == "removed" && t.Type == "receive" && now.Sub(t.Date) > forgottenAfter
	return settledStates[t.State] || forgotten
}

// listed reads one entry of a list. Without an id it cannot be a line.
func (c *Client) listed(operation string, w provider.Wallet, raw json.RawMessage, now time.Time) (provider.StatementLine, error) {
	var t listed
	if err := json.Unmarshal(raw, &t); err != nil {
		var named struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(raw, &named) != nil || named.ID == "" {
			return provider.StatementLine{}, c.unreadable(operation, "a transfer without an id")
		}
		return provider.StatementLine{ID: named.ID, Kind: provider.LineOther, Subject: named.ID, At: now, Network: w.Network,
			Moved: map[money.Currency]money.Units{w.Asset: {}}, Unread: "a transfer in another form"}, nil
	}
	if t.ID == "" {
		return provider.StatementLine{}, c.unreadable(operation, "a transfer without an id")
	}
	return c.line(operation, w, t, now), nil
}

// line is a transfer as a line: with what it moved, or with the reason why that cannot be read.
func (c *Client) line(operation string, w provider.Wallet, t listed, now time.Time) provider.StatementLine {
	line := provider.StatementLine{ID: t.ID, At: t.Date.UTC(), State: t.State, Settled: t.settled(now), Ours: t.SequenceID,
		Network: w.Network, TxID: t.TxID}
	read, err := c.transfer(operation, w, t.transfer)
	if err != nil {
		line.Unread, line.Settled = "a transfer in the state "+t.State+", or with an amount in another form", false
		read = provider.Transfer{}
	}
	line.Moved = moved(w, t.Type, read)
	if len(t.Replaces) > 0 {
		line.Replaces = t.Replaces[len(t.Replaces)-1]
	}
	switch {
	case t.Type == "receive":
		line.Kind, line.Subject = provider.LineReceipt, t.TxID
	case t.SequenceID != "":
		line.Kind, line.Subject = provider.LineTransfer, t.SequenceID
	default:
		line.Kind, line.Subject = provider.LineByHand, t.TxID
	}
	if line.Subject == "" {
		line.Kind, line.Subject = provider.LineOther, t.ID // not signed yet
	}
	return line
}

// moved is by how much what we hold changed. A transfer that the network has not
// got, or has no more, moved nothing; but on a chain of accounts one that failed
// has used its gas (Ethereum yellow paper, section 6).
func moved(w provider.Wallet, kind string, t provider.Transfer) map[money.Currency]money.Units {
	out := map[money.Currency]money.Units{w.Asset: {}}
	if t.FeeCurrency != "" && !t.Fee.IsZero() && kind != "receive" {
		out[t.FeeCurrency] = money.Units{} // present, also while nothing is spent
	}
	onNetwork := t.Status == provider.TransferBroadcast || t.Status == provider.TransferConfirmed
	if kind == "receive" {
		if onNetwork {
			out[w.Asset] = t.Amount
		}
		return out
	}
	if onNetwork {
		out[w.Asset] = t.Amount.Neg()
	}
	gasUsed := t.Status == provider.TransferFailed && money.NetworkOf(w.Network).Gas
	if t.FeeCurrency != "" && !t.Fee.IsZero() && (onNetwork || gasUsed) {
		out[t.FeeCurrency] = out[t.FeeCurrency].Sub(t.Fee)
	}
	return out
}
