package contract

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tradepost/tradepost/internal/custodians"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

// Destinations are an external address for each wallet.
var Destinations = map[provider.Wallet]string{
	{Asset: money.BTC, Network: money.Bitcoin}:   "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
	{Asset: money.ETH, Network: money.Ethereum}:  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
	{Asset: money.USDT, Network: money.Ethereum}: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
	{Asset: money.USDC, Network: money.Ethereum}: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
	{Asset: money.USDT, Network: money.Tron}:     "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
	{Asset: money.USDC, Network: money.Tron}:     "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
}

// Custodian is what every custody adapter passes: c has coin in each of its wallets, and
// pass advances the clock by the network's delay.
func Custodian(t *testing.T, c custodians.Custodian, pass func()) {
	t.Helper()
	wallets := c.Wallets()
	if again := c.Wallets(); len(wallets) == 0 || fmt.Sprint(again) != fmt.Sprint(wallets) {
		t.Fatalf("wallets %v, then %v", wallets, again)
	}
	for _, w := range wallets {
		t.Run(string(w.Asset)+" on "+w.Network, func(t *testing.T) { sendsOnce(t, c, w, pass) })
	}
}

func sendsOnce(t *testing.T, c custodians.Custodian, w provider.Wallet, pass func()) {
	ctx := t.Context()
	for address, good := range map[string]bool{Destinations[w]: true, Destinations[w] + "x": false} {
		if ok, err := c.VerifyAddress(ctx, w, address); err != nil || ok != good {
			t.Errorf("address %s: %v, %v", address, ok, err)
		}
	}
	if own, err := c.ReceiveAddress(ctx, w); err != nil || own == "" {
		t.Errorf("its own address: %q, %v", own, err)
	}
	in := provider.SendInput{Wallet: w, SequenceID: strings.ToLower("ord-" + string(w.Asset) + "-" + w.Network + "-send-9"), Address: Destinations[w], Amount: money.FromInt(150000)}
	if _, err := c.FindTransfer(ctx, w, in.SequenceID); !errors.Is(err, provider.ErrNotFound) {
		t.Fatalf("before it is sent: %v", err)
	}
	before, err := c.Spendable(ctx, w)
	if err != nil || before.Cmp(in.Amount) <= 0 {
		t.Fatalf("spendable %s, %v", before, err)
	}
	sent, err := c.Send(ctx, in)
	if err != nil || sent.ID == "" || sent.Amount.Cmp(in.Amount) != 0 {
		t.Fatalf("%+v, %v", sent, err)
	}
	if again, err := c.Send(ctx, in); err == nil && again.ID != sent.ID || err != nil && provider.ClassOf(err) != provider.Unknown {
		t.Errorf("the same sequence id sent again: %+v, %v", again, err)
	}
	done := confirmed(t, c, in, pass)
	if done.ID != sent.ID || done.TxID == "" || done.Amount.Cmp(in.Amount) != 0 {
		t.Errorf("confirmed as %+v", done)
	}
	spent := in.Amount
	if done.FeeCurrency == w.Asset {
		spent = spent.Add(done.Fee)
	}
	if after, err := c.Spendable(ctx, w); err != nil || before.Sub(after).Cmp(spent) != 0 {
		t.Errorf("%s became %s, and %s left (%v)", before, after, spent, err)
	}
	reportsOnce(t, c, in, spent)
}

// confirmed lets time pass until the transfer is, and reads it by either of its names.
func confirmed(t *testing.T, c custodians.Custodian, in provider.SendInput, pass func()) provider.Transfer {
	t.Helper()
	for range 50 {
		found, err := c.FindTransfer(t.Context(), in.Wallet, in.SequenceID)
		if err != nil {
			t.Fatal(err)
		}
		if read, err := c.ReadTransfer(t.Context(), in.Wallet, found.ID); err != nil || read.ID != found.ID {
			t.Fatalf("read as %+v, %v", read, err)
		}
		if found.Status == provider.TransferConfirmed {
			return found
		}
		pass()
	}
	t.Fatal("it is never confirmed")
	return provider.Transfer{}
}

// reportsOnce: the statement has the transfer once, by our identity, with what left.
func reportsOnce(t *testing.T, c custodians.Custodian, in provider.SendInput, spent money.Units) {
	t.Helper()
	now := time.Now()
	lines, err := c.Statement(t.Context(), now.Add(-48*time.Hour), now.Add(1000*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, l := range lines {
		if l.Ours != in.SequenceID {
			continue
		}
		count++
		if l.Kind != provider.LineTransfer || l.Subject != in.SequenceID || !l.Settled || l.Network != in.Wallet.Network || l.Moved[in.Wallet.Asset].Neg().Cmp(spent) != 0 {
			t.Errorf("the statement has %+v, and %s left", l, spent)
		}
	}
	if count != 1 {
		t.Errorf("the statement has it %d times", count)
	}
}
