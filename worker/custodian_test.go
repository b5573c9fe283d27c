package worker

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/custodians"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/contract/memory"
	"github.com/tradepost/tradepost/internal/telemetry"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/workflows"
)

// Another custodian than BitGo is one adapter and one setting: an order is bought and sent
// by it, its webhook reaches the order, its statement agrees with the books, and BitGo is
// never called.
func TestAnotherCustodianIsASetting(t *testing.T) {
	coins, err := money.BTC.Parse("25")
	require.NoError(t, err)
	vault := memory.New("hook", map[provider.Wallet]money.Units{{Asset: money.BTC, Network: "bitcoin"}: coins})
	custodians.Register(memory.Name, custodians.Adapter{
		Open:     func(custodians.Settings) (custodians.Custodian, error) { return vault, nil },
		Verifier: func(s config.Webhooks) provider.WebhookVerifier { return memory.Verifier{Secret: s.BitGo} }})
	h := openSending(t, memory.Name, quick, money.Offer{Assets: []money.Currency{money.BTC}})
	vault.Deliver = func(header http.Header, body []byte) {
		request, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodPost, h.hookURL+"/"+memory.Name, bytes.NewReader(body))
		if err != nil {
			return
		}
		request.Header = header
		if answer, err := http.DefaultClient.Do(request); err == nil {
			_ = answer.Body.Close()
		}
	}
	o := h.buy("card")
	h.authorise(o.ID)
	h.must(o.ID, workflows.Process, nil)
	h.status(o.ID, order.StatusPaymentApproved)
	h.must(o.ID, workflows.Fulfill, nil)
	sent := h.closed(o.ID)
	require.Equal(t, order.StatusSent, sent.Status)
	require.NotNil(t, sent.ConfirmedAt)
	require.Equal(t, map[string]int{"stripe/authorise": 1, "stripe/capture": 1, "kraken/fill": 1}, h.effects())
	held, err := vault.Holding(t.Context(), provider.Wallet{Asset: money.BTC, Network: "bitcoin"})
	require.NoError(t, err)
	require.Equal(t, coins.Sub(sent.Amount).Sub(memory.Fee).String(), held.Total.String())
	h.books()
	h.agrees()
	var lines, notices, byBitGo int
	require.NoError(t, h.db.Pool().QueryRow(t.Context(), `SELECT (SELECT count(*) FROM statement_lines WHERE holder = $1),
		(SELECT count(*) FROM webhook_inbox WHERE provider = $1 AND order_id = $2), (SELECT count(*) FROM withdrawals WHERE provider <> $1)`, memory.Name, o.ID).Scan(&lines, &notices, &byBitGo))
	require.Equal(t, 1, lines)
	require.NotZero(t, notices)
	require.Zero(t, byBitGo)
}

// A worker that still runs when the installation gets another custodian sends nothing:
// the transfer's row says that it is not its own.
func TestAnotherCustodiansTransferIsNotSent(t *testing.T) {
	h := open(t)
	o := h.buy("card")
	h.authorise(o.ID)
	h.must(o.ID, workflows.Process, nil)
	h.status(o.ID, order.StatusPaymentApproved)
	require.NoError(t, h.setCustodian(memory.Name))
	h.must(o.ID, workflows.Fulfill, nil)
	h.until("it is refused", func() bool {
		now, err := order.ReadOrder(t.Context(), h.db, o.ID)
		require.NoError(t, err)
		return now.LastError != nil && strings.Contains(*now.LastError, "other_custodian")
	})
	require.Zero(t, h.effects()["bitgo/send"])
}

// A process whose custodian is not the database's does not start, and the database's
// does not change while one has transfers open.
func TestACustodianIsTheSameForAllProcesses(t *testing.T) {
	h := open(t)
	p := newProcess(workflows.CustodyQueue, &config.WorkerVersion{}, h.db, h.client, telemetry.NewMetrics("custody"), nil)
	err := p.SendWith(t.Context(), memory.Name, memory.New("", nil), quick, h.caps())
	require.ErrorContains(t, err, "the provider of custody is memory here and bitgo in the database")
	o := h.buy("domestic_wire")
	h.exec(`INSERT INTO withdrawals (id, order_id, user_id, generation, asset, network, address, amount, sequence_id, status)
		SELECT gen_random_uuid(), id, user_id, 1, asset, network, dest_address, amount, 'open-1', 'signed' FROM orders WHERE id = $1`, o.ID)
	require.ErrorContains(t, h.setCustodian(memory.Name), "transfers of the present one have not ended")
	h.exec(`UPDATE withdrawals SET status = 'failed'`)
	require.NoError(t, h.setCustodian(memory.Name))
	require.NoError(t, ledger.ExpectProvider(t.Context(), h.db, ledger.Custody, memory.Name))
}
