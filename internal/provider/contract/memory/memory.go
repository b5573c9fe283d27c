// Package memory is a custodian that keeps its wallets in memory: the second adapter that
// the product is tried with, and the shortest example of one.
package memory

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/tradepost/tradepost/internal/address"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

// Name is what CUSTODY_PROVIDER calls it.
const Name = "memory"

// Fee is what each transfer costs, in base units of its network's own coin.
var Fee = money.FromInt(1000)

// signature is the header that authenticates a webhook.
const signature = "X-Memory-Signature"

// Custodian sends coin that exists in this process alone. Each reading of a transfer
// moves it one state on.
type Custodian struct {
	// Secret signs webhooks; Deliver receives them, or is nil.
	Secret  string
	Deliver func(header http.Header, body []byte)

	mu       sync.Mutex
	opening  map[provider.Wallet]money.Units
	sent     []*entry
	received []*entry
}

// entry is a transfer out of a wallet, or coin that arrived in one.
type entry struct {
	provider.Transfer
	wallet   provider.Wallet
	sequence string
	at       time.Time
}

// New opens wallets that hold so much.
func New(secret string, opening map[provider.Wallet]money.Units) *Custodian {
	return &Custodian{Secret: secret, opening: opening}
}

func refused(operation, code string) error {
	return &provider.Error{Class: provider.Refused, Provider: Name, Operation: operation, Code: code}
}

// Send implements provider.Custody. A sequence id that was sent before gives its transfer.
func (c *Custodian) Send(_ context.Context, in provider.SendInput) (provider.Transfer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found := c.find(func(e *entry) bool { return e.sequence == in.SequenceID }); found != nil {
		return found.Transfer, nil
	}
	if _, ours := c.opening[in.Wallet]; !ours {
		return provider.Transfer{}, refused("send", "no_wallet")
	}
	if c.holds(in.Wallet).Cmp(in.Amount) < 0 {
		return provider.Transfer{}, refused("send", "insufficient_funds")
	}
	id := fmt.Sprintf("memory-%d", len(c.sent)+1)
	made := &entry{wallet: in.Wallet, sequence: in.SequenceID, at: time.Now().UTC(), Transfer: provider.Transfer{ID: id, Status: provider.TransferSigned,
		Amount: in.Amount, Fee: Fee, FeeCurrency: native(in.Wallet)}}
	c.sent = append(c.sent, made)
	return made.Transfer, nil
}

// native is the coin that pays for a transfer.
func native(w provider.Wallet) money.Currency {
	if w.Network == money.Bitcoin {
		return money.BTC
	}
	return money.ETH
}

func (c *Custodian) find(is func(*entry) bool) *entry {
	if at := slices.IndexFunc(c.sent, is); at >= 0 {
		return c.sent[at]
	}
	return nil
}

// read advances a transfer, and sends its webhook.
func (c *Custodian) read(is func(*entry) bool) (provider.Transfer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.find(is)
	if found == nil {
		return provider.Transfer{}, provider.ErrNotFound
	}
	switch found.Status {
	case provider.TransferSigned:
		found.Status, found.TxID = provider.TransferBroadcast, "tx-"+found.ID
	case provider.TransferBroadcast:
		found.Status = provider.TransferConfirmed
	default:
		return found.Transfer, nil
	}
	c.notify(found)
	return found.Transfer, nil
}

// FindTransfer implements provider.Custody.
func (c *Custodian) FindTransfer(_ context.Context, _ provider.Wallet, sequenceID string) (provider.Transfer, error) {
	return c.read(func(e *entry) bool { return e.sequence == sequenceID })
}

// ReadTransfer implements provider.Custody.
func (c *Custodian) ReadTransfer(_ context.Context, _ provider.Wallet, transferID string) (provider.Transfer, error) {
	return c.read(func(e *entry) bool { return e.ID == transferID })
}

// VerifyAddress implements provider.Custody.
func (c *Custodian) VerifyAddress(_ context.Context, wallet provider.Wallet, text string) (bool, error) {
	found, err := address.Check(wallet.Asset, text)
	return err == nil && found.Network == wallet.Network, nil
}

// Spendable implements provider.Custody.
func (c *Custodian) Spendable(ctx context.Context, wallet provider.Wallet) (money.Units, error) {
	holding, err := c.Holding(ctx, wallet)
	return holding.Free, err
}

// Wallets implements provider.Receiving.
func (c *Custodian) Wallets() []provider.Wallet {
	all := make([]provider.Wallet, 0, len(c.opening))
	for w := range c.opening {
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b provider.Wallet) int {
		return slices.Compare([]string{string(a.Asset), a.Network}, []string{string(b.Asset), b.Network})
	})
	return all
}

// own are the addresses of the wallets.
var own = map[string]string{money.Bitcoin: "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3", money.Ethereum: "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", money.Tron: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"}

// ReceiveAddress implements provider.Receiving.
func (c *Custodian) ReceiveAddress(_ context.Context, wallet provider.Wallet) (string, error) {
	return own[wallet.Network], nil
}

// Holding implements provider.Receiving.
func (c *Custodian) Holding(_ context.Context, wallet provider.Wallet) (provider.Holding, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.holds(wallet)
	return provider.Holding{Total: left, Free: left}, nil
}

func (c *Custodian) holds(wallet provider.Wallet) money.Units {
	left := c.opening[wallet]
	for _, e := range append(slices.Clone(c.sent), c.received...) {
		for currency, moved := range c.moved(e) {
			if currency == wallet.Asset && e.wallet.Network == wallet.Network {
				left = left.Add(moved)
			}
		}
	}
	return left
}

// moved is by how much what we hold changed.
func (c *Custodian) moved(e *entry) map[money.Currency]money.Units {
	if e.sequence == "" {
		return map[money.Currency]money.Units{e.wallet.Asset: e.Amount}
	}
	moved := map[money.Currency]money.Units{e.wallet.Asset: {}, e.FeeCurrency: {}}
	if e.Status != provider.TransferSigned {
		moved[e.wallet.Asset] = e.Amount.Neg()
		moved[e.FeeCurrency] = moved[e.FeeCurrency].Sub(e.Fee)
	}
	return moved
}

// Receive makes coin arrive in a wallet.
func (c *Custodian) Receive(wallet provider.Wallet, txid string, amount money.Units) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received = append(c.received, &entry{wallet: wallet, at: time.Now().UTC(), Transfer: provider.Transfer{ID: "received-" + txid, TxID: txid, Status: provider.TransferConfirmed, Amount: amount}})
}

// FindReceipt implements provider.Receiving.
func (c *Custodian) FindReceipt(_ context.Context, wallet provider.Wallet, txid string, _ time.Time) (provider.Receipt, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.received {
		if e.wallet == wallet && e.TxID == txid {
			return provider.Receipt{ID: e.ID, Amount: e.Amount, Confirmed: true}, nil
		}
	}
	return provider.Receipt{}, provider.ErrNotFound
}

// Statement implements provider.Statements.
func (c *Custodian) Statement(_ context.Context, from, to time.Time) ([]provider.StatementLine, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var lines []provider.StatementLine
	for _, e := range append(slices.Clone(c.sent), c.received...) {
		if e.at.Before(from) || !e.at.Before(to) {
			continue
		}
		line := provider.StatementLine{ID: e.ID, Kind: provider.LineTransfer, Subject: e.sequence, At: e.at, Moved: c.moved(e), State: string(e.Status),
			Settled: e.Status == provider.TransferConfirmed, Ours: e.sequence, Network: e.wallet.Network, TxID: e.TxID}
		if e.sequence == "" {
			line.Kind, line.Subject = provider.LineReceipt, e.TxID
		}
		lines = append(lines, line)
	}
	slices.SortStableFunc(lines, func(a, b provider.StatementLine) int { return a.At.Compare(b.At) })
	return lines, nil
}

// notice is the body of a webhook.
type notice struct {
	ID       string `json:"id"`
	Transfer string `json:"transfer"`
}

// notify delivers a webhook beside the call.
func (c *Custodian) notify(e *entry) {
	if c.Deliver == nil {
		return
	}
	body, _ := json.Marshal(notice{ID: e.ID + "-" + string(e.Status), Transfer: e.ID})
	go c.Deliver(http.Header{signature: {sign(c.Secret, body)}}, body)
}

func sign(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// Verifier verifies the webhooks of a custodian with this secret.
type Verifier struct{ Secret string }

// Verify implements provider.WebhookVerifier.
func (v Verifier) Verify(header http.Header, body []byte, now time.Time) (provider.WebhookEvent, error) {
	if !hmac.Equal([]byte(header.Get(signature)), []byte(sign(v.Secret, body))) {
		return provider.WebhookEvent{}, provider.ErrBadSignature
	}
	var n notice
	if err := json.Unmarshal(body, &n); err != nil {
		return provider.WebhookEvent{}, refused("webhook", "unreadable_event")
	}
	return provider.WebhookEvent{ID: n.ID, Type: "transfer", Subject: n.Transfer, At: now}, nil
}
