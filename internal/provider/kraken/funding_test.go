package kraken

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tradepost/tradepost/activities/activitiestest"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

var toVault = provider.WithdrawalInput{Asset: money.BTC, Key: "vault", Address: "bc1q", Amount: money.FromInt(50_000_000), MostFee: money.FromInt(2_000)}

func TestWithdrawSaysAllItMay(t *testing.T) {
	client, server := start(t, map[string]string{"Withdraw": result(`{"refid":"FT1"}`), "WithdrawInfo": result(`{"method":"Bitcoin","limit":"1.5","amount":"0.49998","fee":"0.000020001"}`)})
	reference, err := client.Withdraw(t.Context(), toVault)
	if err != nil || reference != "FT1" {
		t.Fatalf("%s, %v", reference, err)
	}
	asked := server.asked["Withdraw"][0]
	for name, want := range map[string]string{"asset": "XBT", "key": "vault", "amount": "0.5", "max_fee": "0.00002", "address": "bc1q"} {
		if asked.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, asked.Get(name), want)
		}
	}
	quote, err := client.WithdrawalFee(t.Context(), toVault)
	if err != nil || quote.Fee.String() != "2001" || quote.Limit.String() != "150000000" {
		t.Errorf("%+v, %v", quote, err) // the fee is rounded up
	}
	nowhere := toVault
	nowhere.Key = ""
	if _, err := client.Withdraw(t.Context(), nowhere); provider.ClassOf(err) != provider.Refused || len(server.sent) != 2 {
		t.Errorf("without a key: %v, %d sent", err, len(server.sent))
	}
}

// Every row of the error table as an answer to Withdraw: sent once, and sent again
// by the activity only where it definitely did nothing. Nonsense is unknown.
func TestErrorsOfWithdraw(t *testing.T) {
	for _, r := range rules {
		client, server := start(t, map[string]string{"Withdraw": failure(r.prefix)})
		_, err := client.Withdraw(t.Context(), toVault)
		if provider.ClassOf(err) != r.class || activitiestest.Does(t, err) != what[r.class] || len(server.sent) != 1 {
			t.Errorf("%s: %v, %d sent", r.prefix, err, len(server.sent))
		}
	}
	for _, body := range []string{result(`{}`), result(`[]`), "<html>", ""} {
		client, _ := start(t, map[string]string{"Withdraw": body})
		if _, err := client.Withdraw(t.Context(), toVault); provider.ClassOf(err) != provider.Unknown {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestWithdrawalsAreReadInOurWords(t *testing.T) {
	row := func(status, prop, key string) string {
		return `{"refid":"FT1","key":"` + key + `","txid":"aa","amount":"0.49998","fee":"0.00002","time":1750000001,"status":"` + status + `","status-prop":"` + prop + `"}`
	}
	cases := []struct {
		status, prop string
		want         provider.WithdrawalStatus
	}{
		{"Initial", "", provider.WithdrawalPending}, {"Pending", "", provider.WithdrawalPending}, {"Partial", "", provider.WithdrawalPending},
		{"Pending", "cancel-pending", provider.WithdrawalPending}, {"Pending", "cancel-denied", provider.WithdrawalPending},
		{"Dreaming", "", provider.WithdrawalPending}, {"Dreaming", "return", provider.WithdrawalFailed},
		{"Pending", "onhold", provider.WithdrawalHeld}, {"Settled", "", provider.WithdrawalSettled}, {"Success", "", provider.WithdrawalDone},
		{"Success", "return", provider.WithdrawalFailed}, {"Failure", "", provider.WithdrawalFailed}, {"Failure", "canceled", provider.WithdrawalFailed},
	}
	for _, c := range cases {
		client, server := start(t, map[string]string{"WithdrawStatus": result(`[` + row(c.status, c.prop, "vault") + `,` + row("Success", "", "another") + `]`)})
		got, err := client.FindWithdrawals(t.Context(), money.BTC, "vault", since)
		if err != nil || len(got) != 1 || got[0].Status != c.want || got[0].Amount().String() != "50000000" || got[0].Fee.String() != "2000" || got[0].TxID != "aa" || !got[0].At.Equal(time.Unix(1750000001, 0)) {
			t.Errorf("%s %s: %+v, %v", c.status, c.prop, got, err)
		}
		if asked := server.asked["WithdrawStatus"][0]; asked.Get("asset") != "XBT" || asked.Get("start") != "1749999880" {
			t.Errorf("asked %v", asked)
		}
	}
	client, _ := start(t, map[string]string{"WithdrawStatus": result(`[` + strings.Replace(row("Pending", "", "vault"), "FT1", "", 1) + `]`)})
	var said *provider.Error
	if _, err := client.FindWithdrawals(t.Context(), money.BTC, "vault", since); !errors.As(err, &said) || said.Class != provider.Unknown {
		t.Errorf("a withdrawal without a reference, which a lookup must not leave out: %v", err)
	}
}
