package worker

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/sandbox"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/workflows"
)

// moneyCall is a call to a provider that moves money, or promises to.
type moneyCall struct {
	provider, operation string
	refusals            []string // ways the provider definitely refuses it
	tricks              []string // what else can come of it
}

// moneyCalls are all of them. A provider's refusal has its own form.
var moneyCalls = []moneyCall{
	{"stripe", "create_checkout", []string{"decline:parameter_invalid_integer"}, []string{"500_stored"}},
	{"stripe", "capture", []string{"decline:expired_card"}, []string{"500_stored"}},
	{"stripe", "cancel", nil, []string{"500_stored"}},
	{"stripe", "refund", []string{"decline:charge_disputed"}, []string{"refund_failed", "500_stored"}},
	{"kraken", "AddOrder", []string{"insufficient", "decline:EOrder:Order minimum not met"}, []string{"part_fill:0.4", "worse_fill:0.2",
		"decline:EService:Market in cancel_only mode", "decline:EAPI:Rate limit exceeded", "decline_after:EService:Unavailable",
		"decline_after:EGeneral:Internal error", "decline:EService:Deadline elapsed", "decline:EAPI:Invalid nonce"}},
	{"bitgo", "sendcoins", []string{"insufficient", "decline:400:InvalidAddress"}, []string{"approval", "replaced"}},
}

// mishaps are the faults of every call (providers §9): the answer lost after and before the
// effect, an answer after the timeout, 5xx with and without effect, the rate limit, and an
// object that lookups miss for a while.
var mishaps = []string{"drop_after", "drop_before", "slow:12", "http:500_after", "http:500_before", "http:503_before", "429", "lag"}

// cells lists every fault of a call.
func (c moneyCall) cells() []string { return slices.Concat(mishaps, c.refusals, c.tricks) }

// Every fault of the catalogue, at every call that moves money: one effect, or an order
// that waits with a reason and continues when staff decide so. Never two.
func TestBar28EveryFaultAtEveryCallThatMovesMoney(t *testing.T) {
	h := open(t)
	h.exec(`UPDATE kyc_records SET level = 'enhanced' WHERE user_id = $1`, h.customer) // so many orders in a day
	for _, call := range moneyCalls {
		for _, code := range call.cells() {
			t.Run(fmt.Sprintf("%s %s %s", call.provider, call.operation, code), func(t *testing.T) {
				t.Parallel()
				cell := *h
				cell.T = t
				cell.survives(call, code)
			})
		}
	}
}

// survives runs one order through one fault to its end.
func (h *testCluster) survives(call moneyCall, code string) {
	h.Helper()
	o := h.unique()
	subject := h.subject(call, o)
	aim := func(operation, code string) {
		h.control("/control/faults", map[string]any{"provider": call.provider, "operation": operation, "match": subject, "code": code, "count": 1})
	}
	if code == "lag" {
		aim(call.operation, "drop_after")
		aim(call.operation, "lag:1")
	} else {
		aim(call.operation, code)
	}
	require.NoError(h, h.client.StartOrder(h.Context(), o))
	var parked []string
	if call.operation == "create_checkout" && slices.Contains(call.refusals, code) {
		parked = append(parked, *h.attention(o.ID, order.AttentionCheckout).AttentionReason)
		h.must(o.ID, workflows.Retry, nil)
	}
	parked = append(parked, h.drive(o.ID, call.operation)...)
	if slices.Contains(call.refusals, code) {
		require.NotEmpty(h, parked, "a refusal is told, not swallowed")
	}
	want := call.effects()
	switch {
	case code == "refund_failed":
		want["stripe/refund"] = 2 // the first one came back
	case strings.HasPrefix(code, "part_fill"):
		want["kraken/fill"] = 2
	}
	require.Equal(h, want, h.effectsOf(o.ID))
	h.books()
	if slices.Index(call.refusals, code) == 0 {
		h.record(workflows.OrderID(o.ID), "refused-"+call.provider+"-"+call.operation)
	}
}

// lookUps are the lookups of each call that moves money, and how a provider refuses
// permission for them.
var lookUps = map[string]struct{ operation, refusal string }{
	"create_checkout": {"list_checkouts", "http:401_before"},
	"capture":         {"read_payment", "http:401_before"},
	"cancel":          {"read_payment", "http:403_before"},
	"refund":          {"list_refunds", "http:401_before"},
	"AddOrder":        {"OpenOrders", "decline:EAPI:Invalid key"},
	"sendcoins":       {"transfer", "decline:401:Unauthorized"},
}

// A call's answer is lost, and then the provider refuses its lookup: our key was withdrawn
// for a while. That is no refusal of the call: no failure is reported, and the order
// continues once the lookup is permitted.
func TestBar28ALookUpThatIsRefusedProvesNothing(t *testing.T) {
	for _, call := range moneyCalls {
		t.Run(call.provider+" "+call.operation, func(t *testing.T) {
			h := open(t)
			order := h.unique()
			poll, known := lookUps[call.operation]
			require.True(t, known, "nobody says where it is looked for")
			arm := func() {
				h.arm(call.provider, call.operation, "drop_after")
				h.control("/control/faults", map[string]any{"provider": call.provider, "operation": poll.operation, "code": poll.refusal, "count": 3})
			}
			if call.operation == "create_checkout" {
				arm()
			}
			require.NoError(t, h.client.StartOrder(t.Context(), order))
			h.authorise(order.ID)
			if call.operation != "create_checkout" {
				arm() // the reads of the authorisation are over
			}
			require.Empty(t, h.onward(order.ID, call.operation))
			require.Equal(t, 3, h.struck(poll.operation), "looks that were refused")
			require.Equal(t, call.effects(), h.effectsOf(order.ID))
			require.NotContains(t, h.kinds(order.ID), "failed")
			h.books()
		})
	}
}

// struck is how often a fault met an operation.
func (h *testCluster) struck(operation string) (n int) {
	h.Helper()
	response, err := http.Get(h.sandbox + "/control/faults")
	require.NoError(h, err)
	defer func() { _ = response.Body.Close() }()
	var faults struct{ Struck []sandbox.Fault }
	require.NoError(h, json.NewDecoder(response.Body).Decode(&faults))
	for _, f := range faults.Struck {
		if f.Operation == operation {
			n++
		}
	}
	return n
}

// subject is what names the order at the provider of a call.
func (h *testCluster) subject(call moneyCall, order *order.Order) string {
	return map[string]string{"stripe": order.ID, "kraken": order.Asset.Format(order.Amount), "bitgo": order.DestAddress}[call.provider]
}

// effects are what has happened at the providers once an order that is driven
// through this call is at its end.
func (c moneyCall) effects() map[string]int {
	switch c.operation {
	case "cancel":
		return map[string]int{"stripe/authorise": 1, "stripe/cancel": 1}
	case "refund":
		return map[string]int{"stripe/authorise": 1, "stripe/capture": 1, "stripe/refund": 1}
	}
	return map[string]int{"stripe/authorise": 1, "stripe/capture": 1, "kraken/fill": 1, "bitgo/send": 1}
}

// drive brings an order to its end as staff would, and returns what it waited for on the
// way: the reasons on its row, and the refusals of decisions.
func (h *testCluster) drive(id, operation string) (parked []string) {
	h.Helper()
	h.authorise(id)
	return h.onward(id, operation)
}

// onward is drive for an order that is paid.
func (h *testCluster) onward(id, operation string) (parked []string) {
	h.Helper()
	park := func(reason string) {
		if parked = append(parked, reason); h.onPark != nil {
			h.onPark()
		}
	}
	for range 12 {
		o := h.reaches(id, "waiting for a person, or closed", func(o *order.Order, p *order.Payment) bool {
			return o.ClosedAt != nil || o.AttentionReason != nil && *o.AttentionReason == casework.AttentionApproval || len(order.DecisionsFor(o, p)) > 0
		})
		if o.ClosedAt != nil {
			return parked
		}
		if o.AttentionReason != nil {
			park(*o.AttentionReason)
		}
		if o.MayComeRight() {
			h.reaches(id, "right by itself", func(o *order.Order, _ *order.Payment) bool { return !o.MayComeRight() })
			continue
		}
		if o.Status == order.StatusFailed {
			require.NotEmpty(h, *o.FulfillmentCode)
			park(*o.FulfillmentCode)
		}
		if o.AttentionReason != nil && *o.AttentionReason == casework.AttentionApproval {
			h.approve(id)
			continue
		}
		if outcome := h.decide(id, h.next(o, operation), nil); !outcome.OK() {
			park(outcome.Code)
		}
	}
	h.explain(id)
	h.Fatalf("the order never ends; it waited for %v", parked)
	return parked
}

// next is what staff press about an order as it stands.
func (h *testCluster) next(o *order.Order, operation string) string {
	h.Helper()
	switch {
	case o.Status == order.StatusPending && operation == "cancel":
		return workflows.Decline
	case o.Status == order.StatusPending:
		return workflows.Process
	case operation == "refund":
		return workflows.Refund
	case o.Status == order.StatusPaymentApproved && o.AttentionReason == nil:
		return workflows.Fulfill
	}
	return workflows.Retry
}

// approve says yes for custody's own approver.
func (h *testCluster) approve(id string) {
	h.Helper()
	transfers, err := execution.OrderWithdrawals(h.Context(), h.db, id)
	require.NoError(h, err)
	h.control("/control/bitgo/approvals/"+*transfers[len(transfers)-1].ApprovalID, map[string]string{"state": "approved"})
	h.reaches(id, "approved", func(o *order.Order, _ *order.Payment) bool { return o.AttentionReason == nil })
}

// unique is the row of an order whose amount and address no other has.
func (h *testCluster) unique() *order.Order {
	h.Helper()
	key := make([]byte, 3)
	_, _ = rand.Read(key) // never fails
	to := h.unusedAddress()
	amount := money.FromInt(300_000 + int64(key[0])<<10 + int64(key[1])<<2 + int64(key[2])&3)
	var quote pricing.Quote
	h.until("a price", func() bool {
		var err error
		quote, err = h.quoter.Quote(h.Context(), pricing.QuoteInput{UserID: h.customer, Asset: money.BTC, Amount: amount, Method: "card"})
		return err == nil
	})
	pricing, err := h.quoter.Pricing(h.Context())
	require.NoError(h, err)
	order, err := order.CreateOrder(h.Context(), h.db, pricing, order.NewOrder{Quote: quote, Network: money.Bitcoin, Address: to, AddressKey: to, Channel: "web"})
	require.NoError(h, err)
	return order
}

// unusedAddress is an address that no other order has.
func (h *testCluster) unusedAddress() string {
	h.Helper()
	key := make([]byte, 20)
	_, _ = rand.Read(key) // never fails
	to, err := address.NewAddressWitnessPubKeyHash(key, &chaincfg.MainNetParams)
	require.NoError(h, err)
	return to.EncodeAddress()
}

// uniqueDollars is an amount that no other order has, most likely.
func (h *testCluster) uniqueDollars() string {
	key := make([]byte, 2)
	_, _ = rand.Read(key) // never fails
	return fmt.Sprintf("%d.%02d", 40+int(key[0]), int(key[1])%100)
}

// effectsOf counts what really happened at the providers for one order.
func (h *testCluster) effectsOf(id string) map[string]int {
	h.Helper()
	rows, err := h.db.Pool().Query(h.Context(), `SELECT $1::text UNION SELECT client_id::text FROM exchange_orders WHERE order_id = $1::text::uuid
		UNION SELECT sequence_id FROM withdrawals WHERE order_id = $1::text::uuid`, id)
	require.NoError(h, err)
	ours := map[string]bool{}
	for rows.Next() {
		var subject string
		require.NoError(h, rows.Scan(&subject))
		ours[subject] = true
	}
	require.NoError(h, rows.Err())
	counts := map[string]int{}
	for _, e := range h.effectList() {
		if ours[e.Subject] {
			counts[e.Provider+"/"+e.Operation] += e.Count
		}
	}
	return counts
}

// Webhooks in every state of disrepair, at every provider, all the way: the
// polls catch up, and duplicates are one.
func TestBar29WebhooksInEveryDisrepair(t *testing.T) {
	for _, code := range []string{"dup_hook", "late_hook:2", "reorder_hook", "lost_hook", "bad_sig_hook"} {
		t.Run(code, func(t *testing.T) {
			h := open(t)
			for _, provider := range []string{"stripe", "bitgo"} {
				h.control("/control/faults", map[string]any{"provider": provider, "operation": "webhook", "code": code, "count": -1})
			}
			order := h.unique()
			require.NoError(h, h.client.StartOrder(t.Context(), order))
			h.drive(order.ID, "capture")
			require.Equal(t, map[string]int{"stripe/authorise": 1, "stripe/capture": 1, "kraken/fill": 1, "bitgo/send": 1}, h.effectsOf(order.ID))
			h.books()
			h.until("every webhook to be answered for", func() bool {
				h.sweep()
				var open int
				err := h.db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM webhook_inbox WHERE handled_at IS NULL AND order_id IS NOT NULL").Scan(&open)
				return err == nil && open == 0
			})
		})
	}
}
