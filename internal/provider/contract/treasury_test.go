package contract

import (
	"errors"
	"testing"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/stripe"
	"github.com/tradepost/tradepost/models/money"
)

// Coin that is withdrawn from the exchange arrives in our wallet, once, without
// the fee, and the two balances say so.
func TestWithdrawalsArriveInTheWallet(t *testing.T) {
	b := start(t)
	exchange, custody := exchangeOf(b), custodyOf(t, b)
	for ticker, w := range map[string]provider.Wallet{"btc": bitcoinWallet, "usdt": {Asset: money.USDT, Network: "ethereum"}} {
		in := provider.WithdrawalInput{Asset: w.Asset, Key: "tradepost-" + ticker, Amount: money.FromInt(50_000_000)}
		began := b.now()
		atExchange, err := exchange.Holdings(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		inWallet, err := custody.Holding(t.Context(), w)
		if err != nil || inWallet.Free.Sign() <= 0 {
			t.Fatalf("%+v, %v", inWallet, err)
		}
		quote, err := exchange.WithdrawalFee(t.Context(), in)
		if err != nil || quote.Fee.Sign() <= 0 || quote.Limit.Cmp(atExchange[w.Asset].Free) != 0 {
			t.Fatalf("%+v, %v", quote, err)
		}
		if _, err := exchange.Withdraw(t.Context(), in); provider.ClassOf(err) != provider.Refused {
			t.Errorf("a fee above the highest we agree to: %v", err)
		}
		in.MostFee = quote.Fee
		elsewhere := in
		elsewhere.Address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
		if _, err := exchange.Withdraw(t.Context(), elsewhere); provider.ClassOf(err) != provider.Refused {
			t.Errorf("a key of another address: %v", err)
		}
		reference, err := exchange.Withdraw(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		find := func() provider.Withdrawal {
			t.Helper()
			list, err := exchange.FindWithdrawals(t.Context(), w.Asset, in.Key, began)
			if err != nil || len(list) != 1 || list[0].Reference != reference || list[0].Amount().Cmp(in.Amount) != 0 || list[0].Fee.Cmp(quote.Fee) != 0 {
				t.Fatalf("%+v, %v", list, err)
			}
			return list[0]
		}
		if w := find(); w.Status != provider.WithdrawalPending {
			t.Errorf("%+v", w)
		}
		b.control("clock", map[string]any{"advance": "1m"})
		done := find()
		if done.Status != provider.WithdrawalDone || done.TxID == "" {
			t.Fatalf("%+v", done)
		}
		found, err := custody.FindReceipt(t.Context(), w, done.TxID, began.Add(-time.Hour))
		if err != nil || found.Confirmed || found.Amount.Cmp(done.Sent) != 0 {
			t.Errorf("%+v, %v", found, err)
		}
		b.control("clock", map[string]any{"advance": "10m"})
		if found, err = custody.FindReceipt(t.Context(), w, done.TxID, began.Add(-time.Hour)); err != nil || !found.Confirmed {
			t.Errorf("%+v, %v", found, err)
		}
		if _, err := custody.FindReceipt(t.Context(), w, "ff", began); !errors.Is(err, provider.ErrNotFound) {
			t.Errorf("a transaction of nobody: %v", err)
		}
		afterwards, err := exchange.Holdings(t.Context())
		if err != nil || atExchange[w.Asset].Total.Sub(afterwards[w.Asset].Total).Cmp(in.Amount) != 0 {
			t.Errorf("at the exchange %+v, %v", afterwards, err)
		}
		filled, err := custody.Holding(t.Context(), w)
		if err != nil || filled.Total.Sub(inWallet.Total).Cmp(done.Sent) != 0 {
			t.Errorf("in the wallet %+v, %v", filled, err)
		}
	}
}

func TestWithdrawalsOfUnknownOutcomeAndOthers(t *testing.T) {
	b := start(t)
	exchange := exchangeOf(b)
	in := provider.WithdrawalInput{Asset: money.ETH, Key: "tradepost-eth", Amount: money.ETH.FromDecimal(money.ETH.Decimal(money.FromInt(2_000_000_000_000_000_000)), money.Down), MostFee: money.FromInt(1_000_000_000_000_000)}
	b.fault("kraken", "Withdraw", "drop_after")
	if _, err := exchange.Withdraw(t.Context(), in); provider.ClassOf(err) != provider.Unknown {
		t.Errorf("drop_after: %v", err)
	}
	if list, err := exchange.FindWithdrawals(t.Context(), in.Asset, in.Key, b.now().Add(-time.Minute)); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	b.fault("kraken", "Withdraw", "withdrawal_failed")
	if _, err := exchange.Withdraw(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	b.control("clock", map[string]any{"advance": "1m"})
	if list, err := exchange.FindWithdrawals(t.Context(), in.Asset, in.Key, b.now().Add(-10*time.Minute)); err != nil || len(list) != 2 || list[0].Status != provider.WithdrawalFailed {
		t.Errorf("%+v, %v", list, err)
	}
	unknown := in
	unknown.Key = "nobody's"
	if _, err := exchange.Withdraw(t.Context(), unknown); provider.ClassOf(err) != provider.Refused {
		t.Errorf("an unknown key: %v", err)
	}
}

func TestStripeBalance(t *testing.T) {
	b := start(t)
	client := stripe.New(stripe.Config{URL: b.url, Key: stripeKey, Timeout: longEnough})
	have, err := client.Balance(t.Context())
	if err != nil || !have.Total.IsZero() || !have.Free.IsZero() {
		t.Errorf("%+v, %v", have, err)
	}
}
