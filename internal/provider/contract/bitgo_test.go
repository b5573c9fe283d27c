package contract

import (
	"errors"
	"strings"
	"testing"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/bitgo"
	"github.com/tradepost/tradepost/models/money"
)

var bitcoinWallet = provider.Wallet{Asset: money.BTC, Network: "bitcoin"}

func custodyOf(t *testing.T, b *box) *bitgo.Client {
	t.Helper()
	wallets, err := bitgo.ParseWallets(bitgoWallets)
	if err != nil {
		t.Fatal(err)
	}
	b.control("bitgo/pace", map[string]any{"unconfirmed": "1m", "confirmed": "2m", "block": "1m"})
	return bitgo.New(bitgo.Config{URL: b.url, Token: bitgoToken, Passphrase: bitgoPassphrase, Wallets: wallets, Timeout: longEnough})
}

func sending(w provider.Wallet, sequence string) provider.SendInput {
	return provider.SendInput{Wallet: w, SequenceID: sequence, Address: Destinations[w], Amount: money.FromInt(150000)}
}

func TestBitGoIsACustodian(t *testing.T) {
	b := start(t)
	client := custodyOf(t, b)
	b.control("bitgo/deposits", map[string]any{"coin": "trx:usdc", "amount": "100000000000"}) // it opens empty
	b.control("clock", map[string]any{"advance": "30m"})
	Custodian(t, client, func() { b.control("clock", map[string]any{"advance": "30m"}) })
	for w := range Destinations {
		sent, err := client.Send(t.Context(), sending(w, "ord-heard-"+strings.ToLower(string(w.Asset))+"-"+w.Network+"-send-1"))
		if err != nil {
			t.Fatal(err)
		}
		b.control("clock", map[string]any{"advance": "2h"})
		b.awaitWebhook("bitgo", bitgo.NewVerifier(bitgoHook), sent.ID)
	}
}

func TestBitGoWalksFromSignedToConfirmed(t *testing.T) {
	b := start(t)
	client := custodyOf(t, b)
	in := sending(bitcoinWallet, "ord-walk-send-1")
	sent, err := client.Send(t.Context(), in)
	if err != nil || sent.Status != provider.TransferSigned {
		t.Fatalf("%+v, %v", sent, err)
	}
	seen := map[provider.TransferStatus]bool{}
	for range 20 {
		now, err := client.ReadTransfer(t.Context(), in.Wallet, sent.ID)
		if err != nil || now.Status == provider.TransferBroadcast && now.TxID == "" {
			t.Fatalf("%+v, %v", now, err)
		}
		seen[now.Status] = true
		b.control("clock", map[string]any{"advance": "30s"})
	}
	if !seen[provider.TransferSigned] || !seen[provider.TransferBroadcast] || !seen[provider.TransferConfirmed] {
		t.Errorf("seen %v", seen)
	}
}

func TestBitGoUnknownOutcomes(t *testing.T) {
	b := start(t)
	client := custodyOf(t, b)
	for code, sent := range map[string]bool{"drop_after": true, "http:500_after": true, "drop_before": false} {
		in := sending(bitcoinWallet, "ord-"+code[:6]+code[len(code)-5:]+"-send-1")
		b.fault("bitgo", "sendcoins", code)
		if _, err := client.Send(t.Context(), in); err == nil || provider.ClassOf(err) != provider.Unknown {
			t.Errorf("%s: %v", code, err)
		}
		_, err := client.FindTransfer(t.Context(), in.Wallet, in.SequenceID)
		if sent && err != nil || !sent && !errors.Is(err, provider.ErrNotFound) {
			t.Errorf("%s: looked up %v", code, err)
		}
		// Sent again with the same id it is never sent twice.
		_, err = client.Send(t.Context(), in)
		if sent && provider.ClassOf(err) != provider.Unknown || !sent && err != nil {
			t.Errorf("%s: sent again: %v", code, err)
		}
		if found, err := client.FindTransfer(t.Context(), in.Wallet, in.SequenceID); err != nil || found.ID == "" {
			t.Errorf("%s: %+v, %v", code, found, err)
		}
	}
	b.fault("bitgo", "sendcoins", "429")
	if _, err := client.Send(t.Context(), sending(bitcoinWallet, "ord-429")); provider.ClassOf(err) != provider.Retry {
		t.Errorf("429: %v", err)
	}
	tooMuch := sending(bitcoinWallet, "ord-much")
	tooMuch.Amount = money.FromInt(1e18)
	badAddress := sending(bitcoinWallet, "ord-bad")
	badAddress.Address = "bc1qnonsense"
	for want, in := range map[string]provider.SendInput{"insufficient_funds": tooMuch, "invalid_address": badAddress} {
		_, err := client.Send(t.Context(), in)
		var got *provider.Error
		if !errors.As(err, &got) || got.Class != provider.Refused || got.Code != want {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestBitGoApprovals(t *testing.T) {
	b := start(t)
	client := custodyOf(t, b)
	b.control("bitgo/policy", map[string]any{"coin": "btc", "limit": "1000"})
	for verdict, want := range map[string]provider.TransferStatus{"approved": provider.TransferConfirmed, "rejected": provider.TransferRejected} {
		in := sending(bitcoinWallet, "ord-"+verdict+"-send-1")
		held, err := client.Send(t.Context(), in)
		if err != nil || held.Status != provider.TransferAwaiting || held.ApprovalID == "" {
			t.Fatalf("%+v, %v", held, err)
		}
		found, err := client.FindTransfer(t.Context(), in.Wallet, in.SequenceID)
		if err != nil || found.Status != provider.TransferAwaiting {
			t.Errorf("%s: waiting: %+v, %v", verdict, found, err)
		}
		b.control("bitgo/approvals/"+held.ApprovalID, map[string]any{"state": verdict})
		b.control("clock", map[string]any{"advance": "2h"})
		found, err = client.FindTransfer(t.Context(), in.Wallet, in.SequenceID)
		if err != nil || found.Status != want {
			t.Errorf("%s: %+v, %v", verdict, found, err)
		}
		if read, err := client.ReadTransfer(t.Context(), in.Wallet, held.ApprovalID); err != nil || read.Status == provider.TransferAwaiting {
			t.Errorf("%s: by the approval: %+v, %v", verdict, read, err)
		}
	}
}

func TestBitGoTransfersThatDie(t *testing.T) {
	b := start(t)
	client := custodyOf(t, b)
	for state, want := range map[string]provider.TransferStatus{
		"failed": provider.TransferFailed, "removed": provider.TransferRemoved, "replaced": provider.TransferReplaced,
	} {
		in := sending(bitcoinWallet, "ord-"+state+"-send-1")
		sent, err := client.Send(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		b.control("clock", map[string]any{"advance": "61s"})
		b.control("bitgo/transfers/"+sent.ID, map[string]any{"state": state})
		got, err := client.ReadTransfer(t.Context(), in.Wallet, sent.ID)
		if err != nil || got.Status != want || (want == provider.TransferReplaced) != (got.ReplacedBy != "") {
			t.Errorf("%s: %+v, %v", state, got, err)
		}
	}
	stranger := bitgo.New(bitgo.Config{URL: b.url, Token: "v2xcanary", Wallets: map[string]string{"btc": "b7c0000000000000000000000000000a"}})
	if _, err := stranger.Spendable(t.Context(), bitcoinWallet); provider.ClassOf(err) != provider.Refused {
		t.Errorf("with another token: %v", err)
	}
}
