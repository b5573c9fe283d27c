package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/tradepost/tradepost/models/money"
)

// coinOf is BitGo's ticker for a coin on a network.
func coinOf(asset, network string) string {
	if network == "tron" {
		return "trx:" + strings.ToLower(asset)
	}
	return strings.ToLower(asset)
}

// wallet is one of custody's, by its own name and by the ledger's.
type wallet struct{ coin, account, currency, pays string }

var wallets = []wallet{
	{"btc", "wallet:bitcoin", "BTC", "BTC"}, {"eth", "wallet:ethereum", "ETH", "ETH"}, {"usdt", "wallet:ethereum", "USDT", "ETH"},
	{"usdc", "wallet:ethereum", "USDC", "ETH"}, {"trx:usdt", "wallet:tron", "USDT", ""}, {"trx:usdc", "wallet:tron", "USDC", ""},
}

// bitgoTransfer is a transfer on the wire.
type bitgoTransfer struct {
	ID, SequenceID, TxID, State string
	BaseValueString, FeeString  string
	Entries                     []struct{ Address, ValueString string }
	History                     []struct{ Action string }
}

func (w wallet) fact(b bitgoTransfer) (TransferFact, error) {
	value, err := money.ParseUnits(strings.TrimPrefix(b.BaseValueString, "-"))
	if err != nil {
		return TransferFact{}, err
	}
	fee, err := money.ParseUnits(b.FeeString)
	if err != nil {
		return TransferFact{}, err
	}
	f := TransferFact{ID: b.ID, SequenceID: b.SequenceID, TxID: b.TxID, State: b.State, Account: w.account, Currency: w.currency, Value: value, Fee: fee, FeeCurrency: w.pays}
	for _, entry := range b.Entries {
		if entry.Address != "" && !strings.HasPrefix(entry.ValueString, "-") {
			f.Address = entry.Address
		}
	}
	return f, nil
}

// findTransfer reads a transfer of ours by its identity.
func (t *cluster) findTransfer(ctx context.Context, asset, network, sequence string) (TransferFact, error) {
	ids, err := t.walletIDs(ctx)
	if err != nil {
		return TransferFact{}, err
	}
	coin := coinOf(asset, network)
	var b bitgoTransfer
	if err := t.bitgo(ctx, "/api/v2/"+coin+"/wallet/"+ids[coin]+"/transfer/sequenceId/"+url.PathEscape(sequence), &b); err != nil {
		return TransferFact{}, err
	}
	for _, w := range wallets {
		if w.coin == coin {
			return w.fact(b)
		}
	}
	return TransferFact{}, errors.New("no wallet of " + coin)
}

func (t *cluster) walletIDs(ctx context.Context) (map[string]string, error) {
	var custody map[string]struct{ Wallet string }
	err := t.control(ctx, http.MethodGet, "/control/bitgo/balances", nil, &custody)
	ids := map[string]string{}
	for coin, w := range custody {
		ids[coin] = w.Wallet
	}
	return ids, err
}

// readProviders reads the other side.
func (t *cluster) readProviders(ctx context.Context, f *Facts) error {
	return errors.Join(t.readStripe(ctx, f), t.readCustody(ctx, f), t.readHeld(ctx, f), t.readMailbox(ctx, f),
		t.control(ctx, http.MethodGet, "/control/effects", nil, &f.Effects), t.readTemporal(ctx, f))
}

// each walks a list of Stripe's.
func each[T interface{ id() string }](ctx context.Context, t *cluster, path string, visit func(T)) error {
	for after := ""; ; {
		var list struct {
			Data []T  `json:"data"`
			More bool `json:"has_more"`
		}
		if err := t.stripe(ctx, http.MethodGet, path+"?limit=100"+after, &list); err != nil {
			return err
		}
		for _, object := range list.Data {
			visit(object)
			after = "&starting_after=" + object.id()
		}
		if !list.More {
			return nil
		}
	}
}

type stripeIntent struct {
	ID       string            `json:"id"`
	Status   string            `json:"status"`
	Received int64             `json:"amount_received"`
	Metadata map[string]string `json:"metadata"`
	Charge   string            `json:"latest_charge"`
}

func (i stripeIntent) id() string { return i.ID }

type stripeRefund struct {
	ID     string `json:"id"`
	Amount int64  `json:"amount"`
	Intent string `json:"payment_intent"`
	Status string `json:"status"`
}

func (r stripeRefund) id() string { return r.ID }

// endRefunds ends the refunds that wait for their customers: staff cancel some at
// Stripe, and the customers of the others say at last where the money is to go.
func (t *cluster) endRefunds(ctx context.Context) error {
	var waiting []string
	err := each(ctx, t, "/v1/refunds", func(r stripeRefund) {
		if r.Status == "requires_action" {
			waiting = append(waiting, r.ID)
		}
	})
	for i, id := range waiting {
		if i%2 == 0 {
			err = errors.Join(err, t.control(ctx, http.MethodPost, "/control/stripe/refund/complete", map[string]string{"refund": id}, nil))
			t.count("refunds completed after days")
			continue
		}
		err = errors.Join(err, t.stripe(ctx, http.MethodPost, "/v1/refunds/"+id+"/cancel", &stripeRefund{}))
		t.count("refunds called back")
	}
	return err
}

type stripeDispute struct {
	ID           string `json:"id"`
	Intent       string `json:"payment_intent"`
	Transactions []struct {
		Amount int64 `json:"amount"`
		Fee    int64 `json:"fee"`
	} `json:"balance_transactions"`
}

func (d stripeDispute) id() string { return d.ID }

func (t *cluster) readStripe(ctx context.Context, f *Facts) error {
	place := map[string]int{}
	at := func(id string) *IntentFact {
		if _, known := place[id]; !known {
			place[id] = len(f.Intents)
			f.Intents = append(f.Intents, IntentFact{ID: id})
		}
		return &f.Intents[place[id]]
	}
	return errors.Join(
		each(ctx, t, "/v1/payment_intents", func(i stripeIntent) {
			fact := at(i.ID)
			fact.OrderID, fact.Status, fact.Received, fact.Charge = i.Metadata["order_id"], i.Status, i.Received, i.Charge
		}),
		each(ctx, t, "/v1/refunds", func(r stripeRefund) {
			fact := at(r.Intent)
			fact.Parts = append(fact.Parts, r.ID)
			if r.Status != "failed" && r.Status != "canceled" {
				fact.Refunded += r.Amount
			}
		}),
		each(ctx, t, "/v1/disputes", func(d stripeDispute) {
			fact := at(d.Intent)
			fact.Parts = append(fact.Parts, d.ID)
			for _, line := range d.Transactions {
				fact.DisputeFees += line.Fee
				if line.Amount < 0 {
					fact.Withdrawn -= line.Amount
				} else {
					fact.Reinstated += line.Amount
				}
			}
		}))
}

func (t *cluster) readCustody(ctx context.Context, f *Facts) error {
	ids, err := t.walletIDs(ctx)
	if err != nil {
		return err
	}
	for _, w := range wallets {
		for after := ""; ; {
			var list struct {
				Transfers       []bitgoTransfer
				NextBatchPrevID string
			}
			if err := t.bitgo(ctx, "/api/v2/"+w.coin+"/wallet/"+ids[w.coin]+"/transfer?limit=100&type=send"+after, &list); err != nil {
				return err
			}
			for _, b := range list.Transfers {
				fact, err := w.fact(b)
				if err != nil {
					return fmt.Errorf("transfer %s: %w", b.ID, err)
				}
				f.Transfers = append(f.Transfers, fact)
			}
			if list.NextBatchPrevID == "" {
				break
			}
			after = "&prevId=" + list.NextBatchPrevID
		}
	}
	return nil
}

// readHeld reads what the simulators hold of ours, by ledger account.
func (t *cluster) readHeld(ctx context.Context, f *Facts) error {
	f.Held = map[string]money.Units{}
	var card struct{ Available, Pending []struct{ Amount int64 } }
	var custody map[string]struct{ Balance string }
	var exchange map[string]map[string]string
	err := errors.Join(t.stripe(ctx, http.MethodGet, "/v1/balance", &card), t.control(ctx, http.MethodGet, "/control/bitgo/balances", nil, &custody),
		t.control(ctx, http.MethodGet, "/control/kraken/balances", nil, &exchange))
	if err != nil {
		return err
	}
	cents := int64(0)
	for _, part := range append(card.Available, card.Pending...) {
		cents += part.Amount
	}
	f.Held["stripe_clearing USD"] = money.FromInt(cents)
	for _, w := range wallets {
		if f.Held[w.account+" "+w.currency], err = money.ParseUnits(custody[w.coin].Balance); err != nil {
			return err
		}
	}
	for code, currency := range map[string]money.Currency{"XXBT": "BTC", "XETH": "ETH", "USDT": "USDT", "USDC": "USDC", "ZUSD": "USD"} {
		text := exchange["main"][code]
		if whole, fraction, ok := strings.Cut(text, "."); ok && code == "ZUSD" { // finer there than our cents
			text = whole + "." + fraction[:min(2, len(fraction))]
		}
		if f.Held["exchange "+string(currency)], err = currency.Parse(text); err != nil {
			return fmt.Errorf("%s %q: %w", code, text, err)
		}
	}
	return nil
}

// readMailbox reads the mails customers got.
func (t *cluster) readMailbox(ctx context.Context, f *Facts) error {
	for _, customer := range slices.Concat(t.customers, t.guests) {
		var letters []MailboxFact
		if err := t.control(ctx, http.MethodGet, "/mailbox/api/messages?to="+url.QueryEscape(customer.mail), nil, &letters); err != nil {
			return err
		}
		f.Letters = append(f.Letters, letters...)
	}
	return nil
}

// readTemporal lists the workflows about orders that run, and those that ended
// otherwise than by coming to their end.
func (t *cluster) readTemporal(ctx context.Context, f *Facts) error {
	c, err := client.DialContext(ctx, client.Options{HostPort: t.stack.TemporalAddress(), Namespace: "tradepost"})
	if err != nil {
		return err
	}
	defer c.Close()
	for query, into := range map[string]*[]string{
		"ExecutionStatus = 'Running'":                                         &f.Running,
		"ExecutionStatus IN ('Failed', 'TimedOut', 'Terminated', 'Canceled')": &f.Broken,
	} {
		for token := []byte(nil); ; {
			list, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: query, PageSize: 500, NextPageToken: token})
			if err != nil {
				return err
			}
			for _, info := range list.GetExecutions() {
				*into = append(*into, info.GetExecution().GetWorkflowId())
			}
			if token = list.GetNextPageToken(); len(token) == 0 {
				break
			}
		}
	}
	return nil
}
