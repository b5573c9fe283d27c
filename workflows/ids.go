// Package workflows defines one durable workflow per business object.
//
// Invariants:
//
//   - A workflow may start from its row at any status. The row's guards, not the
//     workflow id, prevent double work; identities at providers never hold a run
//     id.
//   - Code here is deterministic: no clock, randomness, network or database of
//     its own. Whatever it needs is an activity's result.
//   - Histories hold ids, amounts and states only: nothing personal, no reasons,
//     addresses, tokens, URLs or provider texts.
//   - A person's decision arrives as an Update whose id is the decision's and which
//     contains nothing else. Validators read only the workflow's own state. Every accepted
//     Update is answered before the workflow ends.
//   - Steps that only touch Postgres are local activities; steps that call providers are
//     regular ones on the task queue of the process that holds the key.
package workflows

import (
	"fmt"
	"strings"

	"go.temporal.io/sdk/temporal"

	"github.com/tradepost/tradepost/activities"
)

// Task queues, one a worker binary.
const (
	CoreQueue     = "core"
	PaymentsQueue = "payments"
	ExchangeQueue = "exchange"
	CustodyQueue  = "custody"
)

// Queues lists the task queues.
func Queues() []string { return []string{CoreQueue, PaymentsQueue, ExchangeQueue, CustodyQueue} }

// Workflow types, as the Temporal web UI shows them.
const (
	OrderType = "Order"
	KYCType   = "KYC"
	SweepType = "Sweep"
	MailsType = "Mails"

	RefundType    = "Refund"
	DisputeType   = "Dispute"
	PaymentType   = "Payment"
	ReceiptType   = "Receipt"
	MoneyPollType = "MoneyPoll"

	GiftCardType = "GiftCard"

	DataExportType     = "DataExport"
	AccountClosureType = "AccountClosure"
)

// SweepID is the workflow id, and the schedule id, of the sweeper.
const SweepID = "sweep"

// MailsID is the workflow id of what sends mails: there is one.
const MailsID = "mails"

// MoneyPollID is the workflow id of the poll for refunds and disputes.
const MoneyPollID = "money-poll"

const (
	orderPrefix   = "order/"
	kycPrefix     = "kyc/"
	refundPrefix  = "refund/"
	disputePrefix = "dispute/"
	paymentPrefix = "payment/"
	receiptPrefix = "receipt/"
	cardPrefix    = "gift-card/"
)

// OrderID is the workflow id of an order.
func OrderID(id string) string { return orderPrefix + id }

// RefundID is the workflow id of a refund that does not end its order.
func RefundID(r activities.PartRef) string {
	return fmt.Sprintf("%s%s/%d", refundPrefix, r.OrderID, r.Sequence)
}

// DisputeID is the workflow id of a dispute.
func DisputeID(d activities.PartRef) string {
	return fmt.Sprintf("%s%s/%d", disputePrefix, d.OrderID, d.Sequence)
}

// PaymentID is the workflow id of the later checks of an order's payment.
func PaymentID(orderID string) string { return paymentPrefix + orderID }

// ReceiptID is the workflow id of a decision that books money beside its order's workflow.
func ReceiptID(r activities.Decided) string {
	return receiptPrefix + r.OrderID + "/" + r.DecisionID
}

// ParseOrderID gives the order a workflow is about: its own, or that of its
// refund, dispute, payment or receipt.
func ParseOrderID(workflowID string) (id string, ok bool) {
	for _, prefix := range []string{orderPrefix, refundPrefix, disputePrefix, paymentPrefix, receiptPrefix} {
		if rest, about := strings.CutPrefix(workflowID, prefix); about {
			id, _, _ = strings.Cut(rest, "/")
			return id, true
		}
	}
	return "", false
}

// GiftCardID is the workflow id of a gift card.
func GiftCardID(id string) string { return cardPrefix + id }

// KYCID is the workflow id of a customer's verification.
func KYCID(userID string) string { return kycPrefix + userID }

// Signals. Each contains a WebhookSignal.
const (
	// PaymentChanged: the card processor reports a change of the payment.
	PaymentChanged = "payment_changed"
	// TransferChanged: the custodian reports a change of the transfer.
	TransferChanged = "transfer_changed"
	// OrderChanged: the order's row changed beside the workflow.
	OrderChanged = "order_changed"
	// DisputeChanged: the card processor reports a change of a dispute, or staff answered
	// it.
	DisputeChanged = "dispute_changed"
	// CardChanged: a step is due for a gift card.
	CardChanged = "card_changed"
	// ApplicantChanged: the identity provider reports a change of a review, or the customer
	// has opened the widget.
	ApplicantChanged = "applicant_changed"
)

// WebhookSignal is the reason of a new read: it is never trusted as a fact.
type WebhookSignal struct {
	Reason string `json:"reason"`
}

// Search attributes of an order's workflow: its status or what it waits for,
// its coin and its rail.
var (
	StatusAttribute = temporal.NewSearchAttributeKeyKeyword("OrderStatus")
	AssetAttribute  = temporal.NewSearchAttributeKeyKeyword("Asset")
	RailAttribute   = temporal.NewSearchAttributeKeyKeyword("Rail")

	// ReferenceAttribute is the reference by which people name what a workflow is about, AttentionAttribute the reason
	// why it waits for a person, or nothing.
	ReferenceAttribute = temporal.NewSearchAttributeKeyKeyword("Reference")
	AttentionAttribute = temporal.NewSearchAttributeKeyKeyword("Attention")
)

// Attributes are the search attributes that a namespace must have.
var Attributes = []temporal.SearchAttributeKeyKeyword{
	StatusAttribute, AssetAttribute, RailAttribute, ReferenceAttribute, AttentionAttribute}
