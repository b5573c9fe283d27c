// Package provider defines what Tradepost needs of its providers, by capability: Payments,
// Exchange, Custody, Identity. Adapters in the folders below speak the real protocols; only
// the mains refer to the one in use.
//
// Invariants of every adapter:
//
//   - It never retries by itself. The activity that calls it owns retries,
//     because only the activity can look up what happened before.
//   - Every call that moves money is given the identity by which the provider identifies
//     it; there is a lookup by that same identity beside it.
//   - Every error it returns is an *Error with an outcome class, so that the
//     caller never has to guess whether the effect may have happened.
//   - Text that came from the provider is only ever in Error.Detail, which
//     customers and workflow histories never see.
package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/money"
)

// Class is what is known of an effect after a failed call.
type Class string

const (
	// Refused: the provider definitely refused and nothing happened. Sending the same
	// request again gives the same answer.
	Refused Class = "refused"
	// Retry: the provider definitely did nothing; the same call may be sent
	// again later with the same identity.
	Retry Class = "retry"
	// Unknown: it may or may not have happened. Look up before sending again.
	Unknown Class = "unknown"
)

// Error is the only kind of error an adapter returns.
type Error struct {
	Class Class
	// Provider is stripe, kraken, bitgo or sumsub.
	Provider string
	// Operation names the call, such as "capture" or "AddOrder".
	Operation string
	// Code is a stable code of ours or the provider's, safe to show an admin:
	// "card_declined", "insufficient_funds", "timeout".
	Code string
	// Detail is the provider's own text, for the admin's eyes and logs only.
	Detail string
	// Status is the answer's HTTP status; zero when there was no answer, or it has no
	// meaning.
	Status int
	// RetryAfter is the delay that the provider requested; zero without one.
	RetryAfter time.Duration
}

func (e *Error) Error() string {
	if e.Detail == "" {
		return fmt.Sprintf("%s %s: %s (%s)", e.Provider, e.Operation, e.Code, e.Class)
	}
	return fmt.Sprintf("%s %s: %s (%s): %s", e.Provider, e.Operation, e.Code, e.Class, e.Detail)
}

// ClassOf gives the class of err; an error that no adapter made is Unknown, since its
// effect is undetermined.
func ClassOf(err error) Class {
	var e *Error
	if errors.As(err, &e) {
		return e.Class
	}
	return Unknown
}

// DetailOf gives what an adapter said of an answer that it could not use; the error's own text without one.
func DetailOf(err error) string {
	var e *Error
	if errors.As(err, &e) && e.Detail != "" {
		return e.Detail
	}
	return err.Error()
}

// NotPermitted reports whether a credential was known and lacks a permission.
func NotPermitted(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusForbidden
}

// Unauthorised reports whether a credential was refused.
func Unauthorised(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == "unauthorised" && e.Status != http.StatusForbidden
}

// ErrNotFound is returned by lookups only: the provider does not have the identity (yet).
// It never means that nothing will appear later.
var ErrNotFound = errors.New("provider: not known there")

// ErrBadSignature is returned by webhook verifiers.
var ErrBadSignature = errors.New("provider: signature does not match")

// Payments accepts cards through a page the provider hosts, authorising first and capturing
// when an admin approves. Amounts are US cents.
type Payments interface {
	// CreateCheckout makes a hosted payment page. Repeating a key within the
	// provider's window gives the same page.
	CreateCheckout(ctx context.Context, in CheckoutInput) (Checkout, error)
	// FindCheckout looks up a page by its order id and generation.
	FindCheckout(ctx context.Context, orderID string, generation int, since time.Time) (Checkout, error)
	// ReadCheckout reads a page and the payment behind it.
	ReadCheckout(ctx context.Context, checkoutID string) (Checkout, error)
	// ExpireCheckout closes an open page so that it cannot be paid any more.
	ExpireCheckout(ctx context.Context, checkoutID string) error
	// ReadPayment reads a payment by its provider id.
	ReadPayment(ctx context.Context, paymentID string) (Payment, error)
	// Settlement captures, cancels and refunds.
	Settlement
}

// Settlement moves the money of an authorised payment.
type Settlement interface {
	Capture(ctx context.Context, paymentID, key string, amount money.Units) (Payment, error)
	CancelPayment(ctx context.Context, paymentID, key string) (Payment, error)
	Refund(ctx context.Context, in RefundInput) (Refund, error)
	// FindRefund looks a refund up by order id and sequence; ErrNotFound if none.
	FindRefund(ctx context.Context, paymentID, orderID string, sequence int) (Refund, error)
}

// CheckoutInput describes a hosted payment page.
type CheckoutInput struct {
	OrderID, Reference string // our id and the customer's short reference
	Generation         int
	Key                string // idempotency key, at most 255 characters
	Amount             money.Units
	Description        string
	CustomerEmail      string
	SuccessURL         string
	CancelURL          string
	ExpiresAt          time.Time
}

// CheckoutStatus is the state of a hosted payment page.
type CheckoutStatus string

// The states of a hosted payment page.
const (
	CheckoutOpen     CheckoutStatus = "open"
	CheckoutComplete CheckoutStatus = "complete"
	CheckoutExpired  CheckoutStatus = "expired"
)

// Checkout is a hosted payment page as the provider reports it.
type Checkout struct {
	ID        string
	URL       string // only while open; never put it into a history or a log
	Status    CheckoutStatus
	ExpiresAt time.Time
	Payment   *Payment // nil until the customer has submitted a card
}

// PaymentStatus is the state of a card payment.
type PaymentStatus string

// The states of a card payment.
const (
	PaymentAwaiting   PaymentStatus = "awaiting"   // no usable card yet, or 3-D Secure open
	PaymentProcessing PaymentStatus = "processing" // the provider is still deciding
	PaymentAuthorised PaymentStatus = "authorised" // held, not captured
	PaymentCaptured   PaymentStatus = "captured"
	PaymentCancelled  PaymentStatus = "cancelled" // released or expired, nothing captured
)

// Payment is a card payment as the provider reports it.
type Payment struct {
	ID         string
	Status     PaymentStatus
	Amount     money.Units // requested
	Capturable money.Units // held and open
	Received   money.Units // captured
	Refunded   money.Units
	CardBrand  string
	CardLast4  string
	// CardFingerprint is the same for the same card, regardless of the payer.
	CardFingerprint string
	CaptureBefore   time.Time // zero when the provider does not report it
	// DeclineCode is the last decline, if the last attempt failed, and DeclineCharge
	// its id, when it has one.
	DeclineCode, DeclineCharge string

	Expired bool // cancelled because the hold expired
}

// RefundInput describes a refund of a captured payment.
type RefundInput struct {
	PaymentID, OrderID, Key string
	Sequence                int
	Amount                  money.Units
}

// RefundStatus is the state of a refund.
type RefundStatus string

// The states of a refund.
const (
	RefundPending   RefundStatus = "pending"
	RefundSucceeded RefundStatus = "succeeded"
	RefundFailed    RefundStatus = "failed"
)

// Refund is a refund as the provider reports it.
type Refund struct {
	ID     string
	Status RefundStatus
	Amount money.Units
}

// Exchange buys coin for US dollars at market, within a limit.
type Exchange interface {
	// Tickers gives the current prices of the assets we trade, without those whose pair is not listed or has no price.
	Tickers(ctx context.Context) (map[money.Currency]Ticker, error)
	// Pairs gives the exchange's rules for each asset we trade, one that is not listed included.
	Pairs(ctx context.Context) (map[money.Currency]Pair, error)
	// Buy sends one immediate-or-cancel limit order. It does not look up first:
	// the caller does (FindOrder), because the id alone is not idempotent.
	Buy(ctx context.Context, in BuyInput) (orderID string, err error)
	// FindOrder searches open and closed orders for our client order id.
	FindOrder(ctx context.Context, clientID string, since time.Time) (ExchangeOrder, error)
	// ReadOrder reads one order by the exchange's id.
	ReadOrder(ctx context.Context, orderID string) (ExchangeOrder, error)
	// Balances gives free balances by currency, in base units.
	Balances(ctx context.Context) (map[money.Currency]money.Units, error)
}

// Ticker is the price of one asset in US dollars for one whole coin.
type Ticker struct {
	Ask, Bid, Last decimal.Decimal
	At             time.Time // when we read it
}

// Pair is what the exchange accepts for one asset.
type Pair struct {
	Name          string
	LotDecimals   int32 // finest amount
	PriceDecimals int32
	TickSize      decimal.Decimal
	MinAmount     decimal.Decimal // whole coins
	MinCost       decimal.Decimal // US dollars
	TakerFee      decimal.Decimal // percent
	Tradable      bool
	// Unlisted means that the exchange does not know the pair (any more): it has a name and no rules.
	Unlisted bool
}

// BuyInput is one limit IOC order.
type BuyInput struct {
	ClientID string // UUID
	Asset    money.Currency
	Amount   money.Units // base units of Asset, a multiple of the pair's lot
	Limit    decimal.Decimal
	Deadline time.Time
}

// ExchangeOrder is an order as the exchange reports it. Account from what was executed,
// never from what was requested: a cancelled order may have filled in part.
type ExchangeOrder struct {
	ID, ClientID string
	Done         bool        // closed, cancelled or expired: it will not change any more
	Filled       money.Units // base units of the asset
	Cost, Fee    money.Units // US cents, cost without fee; each rounded up to the cent
}

// Custody sends coin from our wallets.
type Custody interface {
	// Send requests a transfer. The caller looks up by sequence id first.
	Send(ctx context.Context, in SendInput) (Transfer, error)
	FindTransfer(ctx context.Context, wallet Wallet, sequenceID string) (Transfer, error)
	ReadTransfer(ctx context.Context, wallet Wallet, transferID string) (Transfer, error)
	// Spendable gives what a wallet can send now, in base units.
	Spendable(ctx context.Context, wallet Wallet) (money.Units, error)
	// VerifyAddress is a second opinion on an address's form at send time.
	VerifyAddress(ctx context.Context, wallet Wallet, address string) (bool, error)
}

// Wallet names the coin and network of one of our wallets.
type Wallet struct {
	Asset   money.Currency
	Network string // bitcoin, ethereum or tron
}

// SendInput is one transfer out of a wallet.
type SendInput struct {
	Wallet     Wallet
	SequenceID string // our identity: one send per id is ever confirmed
	Address    string
	Amount     money.Units
}

// TransferStatus is the state of a transfer.
type TransferStatus string

// The states of a transfer.
const (
	TransferAwaiting  TransferStatus = "awaiting_approval" // a custody admin must approve it
	TransferSigned    TransferStatus = "signed"            // on its way, no txid on the network yet
	TransferBroadcast TransferStatus = "broadcast"         // the network has it
	TransferConfirmed TransferStatus = "confirmed"
	TransferRejected  TransferStatus = "rejected" // refused by an approver: nothing was sent
	TransferFailed    TransferStatus = "failed"
	TransferRemoved   TransferStatus = "removed"
	TransferReplaced  TransferStatus = "replaced"
)

// Transfer is a send as the custodian reports it.
type Transfer struct {
	ID, ApprovalID, TxID string
	Status               TransferStatus
	Amount               money.Units
	Fee                  money.Units    // network fee in base units of FeeCurrency
	FeeCurrency          money.Currency // tokens pay their gas in ETH
	ReplacedBy           string
}

// Identity verifies who a customer is, through a widget the provider serves.
type Identity interface {
	// WidgetToken makes an access token for the provider's browser widget, to be verified
	// at a level of the provider's. A customer at another level there is moved to it when
	// the widget opens.
	WidgetToken(ctx context.Context, userID, email, level string) (string, error)
	// Status reads the review of a customer by our own id; ErrNotFound if the provider has
	// no record of them, or has deleted it.
	Status(ctx context.Context, userID string) (Review, error)
	// Reset has a customer verified from the beginning; the provider refuses it while it
	// reviews what they sent.
	Reset(ctx context.Context, applicantID string) error
}

// ReviewStatus is the state of an identity review, in the platform's terms.
type ReviewStatus string

// The states of an identity review.
const (
	ReviewNotStarted ReviewStatus = "not_started"
	ReviewPending    ReviewStatus = "pending"
	ReviewApproved   ReviewStatus = "approved"
	ReviewRejected   ReviewStatus = "rejected"
)

// Review is an identity review as the provider reports it.
type Review struct {
	ApplicantID string
	// Attempt names the submission that is reviewed, or the last one.
	Attempt  string
	Status   ReviewStatus
	CanRetry bool
	OnHold   bool
	// State is the provider's own name of the review's state.
	State string
	// Deactivated: the provider treats the customer as if they did not exist.
	Deactivated bool
	Level       string
	// Reason is the moderation comment, which may be shown to the customer.
	Reason  string
	Labels  []string
	Country string // ISO 3166-1 alpha-2 when known
	// CountryUnread is what the provider calls the country, if that is none we know; empty otherwise.
	CountryUnread string
	// At is when a finished review was decided; zero before that.
	At time.Time
	// DocumentsUntil is when the first document that was shown runs out; zero
	// when none does.
	DocumentsUntil time.Time
}

// WebhookEvent is a verified webhook. It is a signal alone: the workflow that it signals
// reads the provider again.
type WebhookEvent struct {
	ID      string // unique at the provider, for deduplication
	Type    string
	Subject string // what it is about: payment id, transfer id, our user id
	OrderID string // when the webhook itself contains our id
	At      time.Time
	// Held is the payment that the webhook itself shows as authorised, whole; nil for every
	// other webhook.
	Held *Payment
	// Previous is set where the previous secret signed it.
	Previous bool
}

// WebhookVerifier checks a webhook's signature and reads it. It returns ErrBadSignature for
// anything forged, altered or stale at now.
type WebhookVerifier interface {
	Verify(header http.Header, body []byte, now time.Time) (WebhookEvent, error)
}

// Rotating accepts webhooks of two secrets while one replaces the other.
type Rotating struct{ Current, Earlier WebhookVerifier }

// Verify implements WebhookVerifier.
func (r Rotating) Verify(header http.Header, body []byte, now time.Time) (WebhookEvent, error) {
	event, err := r.Current.Verify(header, body, now)
	if !errors.Is(err, ErrBadSignature) {
		return event, err
	}
	event, err = r.Earlier.Verify(header, body, now)
	event.Previous = true
	return event, err
}
