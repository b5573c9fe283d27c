package bitgo

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

var sameUnits = cmp.Comparer(func(a, b money.Units) bool { return a.Cmp(b) == 0 })

// Both kinds of wallet, sent and held for approval.
func TestSendUnderstandsEveryAnswer(t *testing.T) {
	amount, fee := money.FromInt(150000), money.FromInt(700)
	sent := `{"id":"t1","state":"signed","txid":"aa","valueString":"-150700","baseValueString":"-150000","feeString":"500","payGoFeeString":"200"}`
	cases := []struct {
		name   string
		status int
		body   string
		want   provider.Transfer
	}{
		{"multisig, sent", 200, `{"transfer":` + sent + `,"txid":"aa","tx":"00","status":"signed"}`, provider.Transfer{
			ID: "t1", TxID: "aa", Status: provider.TransferSigned, Amount: amount, Fee: fee, FeeCurrency: money.BTC,
		}},
		{"multisig, held", 202, `{"id":"p1","state":"pending","info":{"type":"transactionRequest"},"approvalsRequired":1,"status":"pendingApproval"}`,
			provider.Transfer{ApprovalID: "p1", Status: provider.TransferAwaiting, Amount: amount}},
		{"MPC, sent", 200, `{"txRequest":{"txRequestId":"r"},"transfer":` + strings.Replace(sent, `"txid":"aa",`, "", 1) + `,"txid":"aa","status":"signed"}`,
			provider.Transfer{ID: "t1", TxID: "aa", Status: provider.TransferSigned, Amount: amount, Fee: fee, FeeCurrency: money.BTC}},
		{"MPC, held", 202, `{"txRequest":{},"pendingApproval":{"id":"p1","state":"pending","info":{}}}`,
			provider.Transfer{ApprovalID: "p1", Status: provider.TransferAwaiting, Amount: amount}},
		{"held at 200", 200, `{"pendingApproval":{"id":"p1","state":"pending","info":{}},"transfer":{"id":"t1","state":"pendingApproval","valueString":"-150000"}}`,
			provider.Transfer{ID: "t1", ApprovalID: "p1", Status: provider.TransferAwaiting, Amount: amount, FeeCurrency: money.BTC}},
	}
	for _, c := range cases {
		client, server := start(t, map[string]reply{sendPath: {c.status, c.body}})
		got, err := send(client, t)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(c.want, got, sameUnits); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		want := `{"address":"bc1q","amount":"150000","walletPassphrase":"` + passphrase + `","sequenceId":"ord-1-send-1"}`
		if server.bodies[0] != want {
			t.Errorf("%s: sent %s", c.name, server.bodies[0])
		}
	}
}

func TestStatesAreReadInOurWords(t *testing.T) {
	cases := []struct {
		state, txid string
		want        provider.TransferStatus
	}{
		{"initialized", "", provider.TransferSigned},
		{"pendingApproval", "", provider.TransferAwaiting},
		{"rejected", "", provider.TransferRejected},
		{"signed", "", provider.TransferSigned},
		{"signed", "aa", provider.TransferSigned},
		{"unconfirmed", "", provider.TransferSigned}, // on the network, without a known id
		{"unconfirmed", "aa", provider.TransferBroadcast},
		{"confirmed", "aa", provider.TransferConfirmed},
		{"confirmed", "", provider.TransferSigned},
		{"failed", "aa", provider.TransferFailed},
		{"removed", "aa", provider.TransferRemoved},
		{"replaced", "aa", provider.TransferReplaced},
	}
	for _, c := range cases {
		body := fmt.Sprintf(`{"id":"t1","state":%q,"txid":%q,"valueString":"-5","replacedBy":["t2","t3"]}`, c.state, c.txid)
		client, _ := start(t, map[string]reply{"GET /api/v2/trx:usdt/wallet/" + walletID + "/transfer/t1": {200, body}})
		got, err := client.ReadTransfer(t.Context(), tether, "t1")
		want := provider.Transfer{ID: "t1", TxID: c.txid, Status: c.want, Amount: money.FromInt(5), ReplacedBy: "t3"}
		if err != nil || !cmp.Equal(got, want, sameUnits) {
			t.Errorf("%s %q: %+v, %v", c.state, c.txid, got, err)
		}
	}
}

const (
	sequencePath = "GET /api/v2/btc/wallet/" + walletID + "/transfer/sequenceId/ord-1-send-1"
	approvals    = "GET /api/v2/btc/pendingapprovals?walletId=" + walletID
)

func find(c *Client, t *testing.T) (provider.Transfer, error) {
	return c.FindTransfer(t.Context(), bitcoin, "ord-1-send-1")
}

func TestFindTransferReadsTransfersAndApprovals(t *testing.T) {
	client, _ := start(t, map[string]reply{sequencePath: {200, `{"id":"t1","state":"signed","sequenceId":"ord-1-send-1","valueString":"-5"}`}})
	if got, err := find(client, t); err != nil || got.ID != "t1" {
		t.Errorf("a transfer: %+v, %v", got, err)
	}
	for _, where := range []string{`"sequenceId":"ord-1-send-1"`, `"buildParams":{"sequenceId":"ord-1-send-1"}`} {
		list := `{"pendingApprovals":[{"id":"p0","state":"pending","info":{"transactionRequest":{"sequenceId":"other"}}},
		 {"id":"p1","state":"pending","info":{"transactionRequest":{` + where + `}}}]}`
		client, _ = start(t, map[string]reply{approvals: {200, list}})
		if got, err := find(client, t); err != nil || got.ApprovalID != "p1" || got.Status != provider.TransferAwaiting {
			t.Errorf("an approval: %+v, %v", got, err)
		}
	}
	waiting := reply{200, `{"pendingApprovals":[{"id":"p1","state":"pending","info":{"transactionRequest":{"sequenceId":"ord-1-send-1"}}}]}`}
	for _, reported := range []string{`,"pendingApproval":"p1"`, `,"pendingApproval":{"id":"p1","state":"pending"}`, ``} {
		client, _ = start(t, map[string]reply{sequencePath: {200, `{"id":"t1","state":"pendingApproval","valueString":"-5"` + reported + `}`}, approvals: waiting})
		if got, err := find(client, t); err != nil || got.ID != "t1" || got.ApprovalID != "p1" || got.Status != provider.TransferAwaiting {
			t.Errorf("a transfer under approval, told %q: %+v, %v", reported, got, err)
		}
	}
	client, _ = start(t, map[string]reply{approvals: {200, `{"pendingApprovals":[]}`}})
	if _, err := find(client, t); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("neither: %v", err)
	}
	client, _ = start(t, nil)
	if _, err := find(client, t); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("404 everywhere: %v", err)
	}
}

// A failed lookup is never treated as "not there".
func TestFindTransferReportsFailures(t *testing.T) {
	for name, answers := range map[string]map[string]reply{
		"transfers":     {sequencePath: {500, `{}`}},
		"approvals":     {approvals: {503, ``}},
		"rate limit":    {sequencePath: {429, `{}`}},
		"another's":     {sequencePath: {200, `{"id":"t1","state":"signed","sequenceId":"ord-2-send-1"}`}},
		"bad approvals": {approvals: {200, `[]`}},
	} {
		client, _ := start(t, answers)
		if _, err := find(client, t); err == nil || errors.Is(err, provider.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestApprovalsAreReadById(t *testing.T) {
	for state, want := range map[string]provider.TransferStatus{
		"pending": provider.TransferAwaiting, "approved": provider.TransferSigned, "rejected": provider.TransferRejected,
	} {
		client, _ := start(t, map[string]reply{"GET /api/v2/btc/pendingapprovals/p1": {200, `{"id":"p1","state":"` + state + `"}`}})
		if got, err := client.ReadTransfer(t.Context(), bitcoin, "p1"); err != nil || got.Status != want || got.ApprovalID != "p1" {
			t.Errorf("%s: %+v, %v", state, got, err)
		}
	}
	client, _ := start(t, nil)
	if _, err := client.ReadTransfer(t.Context(), bitcoin, "p1"); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("neither: %v", err)
	}
}

// The vector of BitGo's scheme.
func TestWebhookVector(t *testing.T) {
	const (
		body      = `{"hash":"0f2c6d0e5b7a4f4d9f5a0a3f1c2b3d4e5f60718293a4b5c6d7e8f90123456789","transfer":"66e000000000000000000000000000aa","coin":"tbtc4","type":"transfer","state":"confirmed","wallet":"66e000000000000000000000000000bb"}`
		signature = "15e648a25cbba804b435cca1501207dedfc605e1cb096ab62a3d715e91b47ffe"
	)
	now := time.Unix(1750000000, 0)
	verify := func(secret, signature, body string) (provider.WebhookEvent, error) {
		return NewVerifier(secret).Verify(http.Header{"X-Signature-Sha256": {signature}}, []byte(body), now)
	}
	got, err := verify("bitgo-lab-webhook-secret", signature, body)
	if err != nil || got.Type != "transfer" || got.Subject != "66e000000000000000000000000000aa" || got.ID == "" || !got.At.Equal(now) {
		t.Errorf("%+v, %v", got, err)
	}
	again, _ := verify("bitgo-lab-webhook-secret", signature, body)
	if again.ID != got.ID {
		t.Error("a repetition has another id")
	}
	for name, c := range map[string][3]string{
		"altered":      {"bitgo-lab-webhook-secret", signature, strings.Replace(body, "confirmed", "failed", 1)},
		"other secret": {"another", signature, body},
		"no secret":    {"", signature, body},
		"none":         {"bitgo-lab-webhook-secret", "", body},
		"short":        {"bitgo-lab-webhook-secret", signature[:62], body},
	} {
		if _, err := verify(c[0], c[1], c[2]); !errors.Is(err, provider.ErrBadSignature) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
