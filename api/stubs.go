package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

type rateClass string

const (
	reading   rateClass = "read"
	writing   rateClass = "write"
	quoting   rateClass = "quote"
	uploading rateClass = "upload"
	signing   rateClass = "sign"
	hooks     rateClass = "hook"
	unlimited rateClass = ""
)

const csrfHeader = "x-csrf-token"

type Server struct{}

func requestID(context.Context) string { return "" }
func (s *Server) limited(api huma.API, c rateClass) func(huma.Context, func(huma.Context)) {
	return nil
}
func (s *Server) allowed(api huma.API, p permission) func(huma.Context, func(huma.Context)) {
	return nil
}

// browserAnswer is a redirect or a small page.
type browserAnswer struct {
	Status      int
	Location    string        `header:"Location"`
	ContentType string        `header:"Content-Type"`
	SetCookie   []http.Cookie `header:"Set-Cookie"`
	Body        []byte
}

type loginInput struct {
	Screen   string `query:"screen" enum:"login,signup" default:"login"`
	ReturnTo string `query:"returnTo" maxLength:"500" doc:"a path of this site to come back to"`
}

type callbackInput struct {
	Code  string `query:"code" maxLength:"2048"`
	State string `query:"state" maxLength:"512"`
	Error string `query:"error" maxLength:"100"`
}

type logoutInput struct{}

func (s *Server) login(ctx context.Context, in *loginInput) (*browserAnswer, error) { return nil, nil }
func (s *Server) loginCallback(ctx context.Context, in *callbackInput) (*browserAnswer, error) {
	return nil, nil
}
func (s *Server) logout(ctx context.Context, in *nothing) (*browserAnswer, error) { return nil, nil }
func (s *Server) confirmLogout(ctx context.Context, in *nothing) (*browserAnswer, error) {
	return nil, nil
}
func (s *Server) getSession(ctx context.Context, in *nothing) (*body[Session], error) {
	return nil, nil
}
func (s *Server) getUser(ctx context.Context, in *nothing) (*body[User], error) { return nil, nil }
func (s *Server) getCSRFToken(ctx context.Context, in *nothing) (*body[CSRFToken], error) {
	return nil, nil
}
func (s *Server) getConfig(ctx context.Context, in *nothing) (*body[Config], error) { return nil, nil }
func (s *Server) getKYCStatus(ctx context.Context, in *nothing) (*body[KYCStatus], error) {
	return nil, nil
}
func (s *Server) createKYCToken(ctx context.Context, in *nothing) (*body[KYCToken], error) {
	return nil, nil
}
func (s *Server) getLimits(ctx context.Context, in *nothing) (*body[Limits], error) { return nil, nil }
func (s *Server) getExchangeRates(ctx context.Context, in *nothing) (*body[map[string]string], error) {
	return nil, nil
}
func (s *Server) getPublicPrices(ctx context.Context, in *nothing) (*body[PublicPrices], error) {
	return nil, nil
}

// OrderFilter is what narrows a customer's orders.
type OrderFilter struct {
	Status       string   `query:"status" enum:"all,pending,payment_approved,fulfilling,filled,sent,failed" default:"all"`
	LegacyStatus []string `query:"legacyStatus" enum:"pending,payment_processing,completed,failed,cancelled" doc:"comma-separated"`
	Query        string   `query:"q" maxLength:"100" doc:"order id, reference, asset or destination address"`
}

type listOrdersInput struct {
	Paging
	OrderFilter
}

type newOrderInput struct {
	Key  string `header:"Idempotency-Key" minLength:"8" maxLength:"100" doc:"once per intent; a repeat gets the same answer"`
	Body NewOrder
}
type newPurchaseInput struct {
	Key  string `header:"Idempotency-Key" minLength:"8" maxLength:"100"`
	Body NewPurchase
}
type pricingRequest struct{ Body PricingInput }

type evidenceForm struct {
	Kind string        `form:"kind" enum:"receipt,card_photo" required:"true"`
	File huma.FormFile `form:"file" contentType:"image/jpeg,image/png" required:"true"`
}
type evidenceInput struct {
	ObjectID
	RawBody huma.MultipartFormFiles[evidenceForm]
}
type fileKey struct {
	Key string `path:"key" maxLength:"64"`
}

type fileAnswer struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

// TransactionFilter is what narrows a customer's history.
type TransactionFilter struct {
	Status string `query:"status" enum:"all,completed,pending,payment_processing,failed,cancelled" default:"all" doc:"legacyStatus"`
	Crypto string `query:"crypto" enum:"all,BTC,ETH,USDT,USDC" default:"all"`
	Query  string `query:"q" maxLength:"100" doc:"order id, wallet address or crypto"`
}
type listTransactionsInput struct {
	Paging
	TransactionFilter
}

func (s *Server) listOrders(ctx context.Context, in *listOrdersInput) (*page[Order], error) {
	return nil, nil
}
func (s *Server) getOrdersSummary(ctx context.Context, in *OrderFilter) (*body[OrdersSummary], error) {
	return nil, nil
}
func (s *Server) getOrder(ctx context.Context, in *ObjectID) (*body[OrderDetail], error) {
	return nil, nil
}
func (s *Server) getOrderReceipt(ctx context.Context, in *ObjectID) (*body[OrderReceipt], error) {
	return nil, nil
}
func (s *Server) calculatePricing(ctx context.Context, in *pricingRequest) (*body[Pricing], error) {
	return nil, nil
}
func (s *Server) createOrder(ctx context.Context, in *newOrderInput) (*body[Order], error) {
	return nil, nil
}
func (s *Server) buy(ctx context.Context, in *newPurchaseInput) (*body[Order], error) {
	return nil, nil
}
func (s *Server) cancelOrder(ctx context.Context, in *ObjectID) (*decided, error) { return nil, nil }
func (s *Server) uploadEvidence(ctx context.Context, in *evidenceInput) (*body[Evidence], error) {
	return nil, nil
}
func (s *Server) getEvidence(ctx context.Context, in *fileKey) (*fileAnswer, error) { return nil, nil }
func (s *Server) listWithdrawals(ctx context.Context, in *Paging) (*page[Withdrawal], error) {
	return nil, nil
}
func (s *Server) listTransactions(ctx context.Context, in *listTransactionsInput) (*page[Transaction], error) {
	return nil, nil
}
func (s *Server) getTransactionsSummary(ctx context.Context, in *TransactionFilter) (*body[TransactionsSummary], error) {
	return nil, nil
}
func (s *Server) exportTransactions(ctx context.Context, in *TransactionFilter) (*huma.StreamResponse, error) {
	return nil, nil
}
func (s *Server) streamEvents(ctx context.Context, in *nothing) (*huma.StreamResponse, error) {
	return nil, nil
}

// PaymentFilter is what narrows the admin's payments.
type PaymentFilter struct {
	Status string `query:"status" enum:"all,pending,approved,declined" default:"all"`
	Method string `query:"method" maxLength:"32" default:"all"`
}
type listPaymentsInput struct {
	Paging
	PaymentFilter
}
type listedPayments struct {
	Link  string `header:"Link"`
	Total int    `header:"X-Total-Count"`
	Body  PendingPayments
}
type rejectionInput struct {
	ObjectID
	Body Rejection
}
type confirmationInput struct {
	ObjectID
	Body Confirmation
}
type reasonedInput struct {
	ObjectID
	Body *Reasoned
}

func (s *Server) listPendingPayments(ctx context.Context, in *listPaymentsInput) (*listedPayments, error) {
	return nil, nil
}
func (s *Server) getPaymentsSummary(ctx context.Context, in *PaymentFilter) (*body[PaymentsSummary], error) {
	return nil, nil
}
func (s *Server) processPayment(ctx context.Context, in *ObjectID) (*decided, error) {
	return nil, nil
}
func (s *Server) rejectPayment(ctx context.Context, in *rejectionInput) (*decided, error) {
	return nil, nil
}
func (s *Server) confirmPayment(ctx context.Context, in *confirmationInput) (*decided, error) {
	return nil, nil
}

// AdminOrderFilter is what narrows the admin's orders.
type AdminOrderFilter struct {
	Status    string `query:"status" enum:"all,pending,payment_approved,fulfilling,filled,sent,failed" default:"all"`
	Attention bool   `query:"attention" doc:"only orders that wait for a person"`
	Query     string `query:"q" maxLength:"100" doc:"order id, asset or destination address"`
}
type listAdminOrdersInput struct {
	Paging
	AdminOrderFilter
}

func (s *Server) listAdminOrders(ctx context.Context, in *listAdminOrdersInput) (*page[AdminOrder], error) {
	return nil, nil
}
func (s *Server) getAdminOrdersSummary(ctx context.Context, in *AdminOrderFilter) (*body[AdminOrdersSummary], error) {
	return nil, nil
}
func (s *Server) getAdminOrder(ctx context.Context, in *ObjectID) (*body[AdminOrderDetail], error) {
	return nil, nil
}
func (s *Server) fulfillOrder(ctx context.Context, in *reasonedInput) (*decided, error) {
	return nil, nil
}
func (s *Server) retryOrder(ctx context.Context, in *reasonedInput) (*decided, error) {
	return nil, nil
}
func (s *Server) refundOrder(ctx context.Context, in *reasonedInput) (*decided, error) {
	return nil, nil
}
func (s *Server) holdOrder(ctx context.Context, in *reasonedInput) (*decided, error) {
	return nil, nil
}
func (s *Server) resumeOrder(ctx context.Context, in *reasonedInput) (*decided, error) {
	return nil, nil
}

type webhookInput struct{ RawBody []byte }
type accepted struct{ Status int }

func (s *Server) webhook(provider string) func(context.Context, *webhookInput) (*accepted, error) {
	return func(ctx context.Context, in *webhookInput) (*accepted, error) { return nil, nil }
}

type health struct {
	Status   string `json:"status" enum:"ok,unavailable"`
	Database string `json:"database,omitempty"`
	Temporal string `json:"temporal,omitempty" doc:"informational: orders are accepted while it is away"`
}
type healthAnswer struct {
	Status int
	Body   health
}

func (s *Server) health(ctx context.Context, in *nothing) (*healthAnswer, error) { return nil, nil }
func (s *Server) readiness(ctx context.Context, in *nothing) (*healthAnswer, error) {
	return nil, nil
}
