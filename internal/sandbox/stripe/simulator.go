package stripe

import (
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// apiVersion is the version objects and events are shown in: the one stripe-go
// v85 pins, and insists on in webhooks.
const apiVersion = "2026-03-25.dahlia"

// Simulator is Stripe.
type Simulator struct {
	world *sandbox.World

	mu       sync.Mutex
	inFlight map[string]bool // idempotency keys being executed
}

// New makes the simulator; Routes gives it its world.
func New() *Simulator { return &Simulator{inFlight: map[string]bool{}} }

// Name is "stripe".
func (s *Simulator) Name() string { return "stripe" }

// Routes registers the API under /v1, the hosted page under /pay and the
// actions of the control page.
func (s *Simulator) Routes(mux *http.ServeMux, w *sandbox.World) {
	s.world = w
	w.Hooks.SignWith("stripe", s.sign)
	s.complain("register", w.Store.Update(s.register))
	for _, e := range endpoints {
		mux.HandleFunc(e.pattern, s.serve(e))
	}
	mux.HandleFunc("/v1/", s.unknownPath)
	s.pageRoutes(mux)
	s.controlRoutes(mux)
}

// endpoint is one call of the API. Params are the top-level parameters it accepts; a
// missing entry for a path id means that it has none.
type endpoint struct {
	pattern   string
	operation string
	params    string
	do        func(*call) (any, error)
}

// read means that the endpoint changes nothing.
func (e endpoint) read() bool { return strings.HasPrefix(e.pattern, "GET ") }

const page = " limit starting_after ending_before"

// endpoints is the whole route table.
var endpoints = []endpoint{
	{"POST /v1/checkout/sessions", "create_checkout", "mode line_items payment_method_types payment_method_options payment_intent_data client_reference_id customer customer_email customer_creation metadata success_url cancel_url expires_at ui_mode locale submit_type billing_address_collection currency phone_number_collection automatic_tax allow_promotion_codes custom_text branding_settings", createCheckout},
	{"GET /v1/checkout/sessions", "list_checkouts", "payment_intent customer status created" + page, listCheckouts},
	{"GET /v1/checkout/sessions/{id}", "read_checkout", "", readCheckout},
	{"POST /v1/checkout/sessions/{id}/expire", "expire_checkout", "", expireCheckout},
	{"GET /v1/checkout/sessions/{id}/line_items", "read_checkout", "limit starting_after ending_before", readLineItems},
	{"POST /v1/payment_intents", "create_payment", "amount currency capture_method confirm confirmation_method payment_method payment_method_data payment_method_types automatic_payment_methods payment_method_options customer description metadata receipt_email statement_descriptor statement_descriptor_suffix return_url off_session setup_future_usage error_on_requires_action use_stripe_sdk shipping transfer_group", createPayment},
	{"GET /v1/payment_intents", "list_payments", "customer created" + page, listPayments},
	{"GET /v1/payment_intents/search", "search", "query limit page", search[intentDoc](intents, "/v1/payment_intents/search")},
	{"GET /v1/payment_intents/{id}", "read_payment", "client_secret", readPayment},
	{"POST /v1/payment_intents/{id}", "update_payment", "amount currency description metadata receipt_email payment_method payment_method_data customer statement_descriptor_suffix", updatePayment},
	{"POST /v1/payment_intents/{id}/confirm", "confirm", "payment_method payment_method_data return_url capture_method off_session receipt_email payment_method_options error_on_requires_action use_stripe_sdk client_secret", confirmPayment},
	{"POST /v1/payment_intents/{id}/capture", "capture", "amount_to_capture final_capture metadata statement_descriptor statement_descriptor_suffix", capturePayment},
	{"POST /v1/payment_intents/{id}/cancel", "cancel", "cancellation_reason", cancelPayment},
	{"POST /v1/refunds", "refund", "payment_intent charge amount reason metadata currency", createRefund},
	{"GET /v1/refunds", "list_refunds", "payment_intent charge created" + page, listRefunds},
	{"GET /v1/refunds/{id}", "read_refund", "", readRefund},
	{"POST /v1/refunds/{id}", "update_refund", "metadata", updateRefund},
	{"POST /v1/refunds/{id}/cancel", "cancel_refund", "", cancelRefund},
	{"GET /v1/charges", "list_charges", "payment_intent customer created" + page, listCharges},
	{"GET /v1/charges/search", "search", "query limit page", search[chargeDoc](charges, "/v1/charges/search")},
	{"GET /v1/charges/{id}", "read_charge", "", readCharge},
	{"GET /v1/balance", "read_balance", "", readBalance},
	{"GET /v1/balance_transactions", "list_balance_transactions", "currency source type created" + page, listTransactions},
	{"GET /v1/balance_transactions/{id}", "read_balance_transaction", "", readTransaction},
	{"POST /v1/payouts", "create_payout", "amount currency description metadata method statement_descriptor", createPayout},
	{"GET /v1/payouts", "list_payouts", "status created" + page, listPayouts},
	{"GET /v1/payouts/{id}", "read_payout", "", readPayout},
	{"POST /v1/customers", "create_customer", "email name phone description metadata", createCustomer},
	{"GET /v1/customers", "list_customers", "email created" + page, listCustomers},
	{"GET /v1/customers/search", "search", "query limit page", search[customer](customers, "/v1/customers/search")},
	{"GET /v1/customers/{id}", "read_customer", "", readCustomer},
	{"POST /v1/customers/{id}", "update_customer", "email name phone description metadata", updateCustomer},
	{"POST /v1/payment_methods/{id}/attach", "attach_payment_method", "customer", attachMethod},
	{"POST /v1/payment_methods", "create_payment_method", "type card billing_details metadata", createMethod},
	{"GET /v1/payment_methods/{id}", "read_payment_method", "", readMethod},
	{"GET /v1/disputes", "list_disputes", "payment_intent charge created" + page, listDisputes},
	{"GET /v1/disputes/{id}", "read_dispute", "", readDispute},
	{"POST /v1/disputes/{id}", "update_dispute", "evidence metadata submit", updateDispute},
	{"POST /v1/disputes/{id}/close", "close_dispute", "", concedeDispute},
	{"POST /v1/webhook_endpoints", "create_webhook_endpoint", "url enabled_events api_version connect description metadata", createEndpoint},
	{"GET /v1/webhook_endpoints", "list_webhook_endpoints", "limit starting_after ending_before", listEndpoints},
	{"GET /v1/webhook_endpoints/{id}", "read_webhook_endpoint", "", readEndpoint},
	{"POST /v1/webhook_endpoints/{id}", "update_webhook_endpoint", "url enabled_events disabled description metadata", updateEndpoint},
	{"DELETE /v1/webhook_endpoints/{id}", "delete_webhook_endpoint", "", deleteEndpoint},
	{"GET /v1/events", "list_events", "type types created" + page, listEvents},
	{"GET /v1/events/{id}", "read_event", "", readEvent},
}

// ownCodes are the faults an operation has beside the common ones.
var ownCodes = map[string][]string{
	"create_checkout": {"lag:5", "decline:api_key_expired"}, "create_payment": {"lag:5", "decline:insufficient_funds"}, "confirm": {"decline:insufficient_funds"},
	"capture": {"decline:expired_card"}, "refund": {"decline:charge_disputed", "refund_failed", "refund_waits", "lag:5"}, "search": {"lag:60"}, "pay": {"decline:insufficient_funds"},
}

// Operations are the API's calls and pay, the submit of the hosted page.
func (s *Simulator) Operations() []sandbox.Operation {
	list := []sandbox.Operation{{Name: "pay", Changes: true, Codes: ownCodes["pay"]}}
	for _, e := range endpoints {
		o := sandbox.Operation{Name: e.operation, Changes: !e.read(), Codes: ownCodes[e.operation]}
		if o.Changes {
			o.Codes = append([]string{"500_stored"}, o.Codes...)
		}
		list = append(list, o)
	}
	return list
}

func (s *Simulator) unknownPath(rw http.ResponseWriter, r *http.Request) {
	if problem := s.authenticate(r); problem != nil {
		answerProblem(rw, problem)
		return
	}
	answerProblem(rw, refuse(http.StatusNotFound, "invalid_request_error", "", "", "Unrecognized request URL (%s: %s).", r.Method, r.URL.Path))
}

// Tick ends what the clock has brought to its end: pages, holds, refunds under
// way and idempotency keys.
func (s *Simulator) Tick(now time.Time) {
	for {
		var key, id string
		err := s.world.Store.View(func(tx *sandbox.Tx) error { return firstDue(tx, now, &key, &id) })
		if err != nil || key == "" {
			s.complain("due", err)
			return
		}
		err = s.world.Store.Update(func(tx *sandbox.Tx) error {
			if err := tx.Delete(due, key); err != nil {
				return err
			}
			return (&change{sim: s, tx: tx, now: now}).mature(id)
		})
		if err != nil {
			s.complain("mature "+id, err)
			return
		}
	}
}

func (s *Simulator) complain(what string, err error) {
	if err != nil {
		s.world.Log.Error("stripe simulator", slog.String("at", what), slog.Any("error", err))
	}
}
