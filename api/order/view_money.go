package order

import (
	"time"
)

// Choice is the decision that a customer has about an order, and its deadline.
type Choice struct {
	Reason    string     `json:"reason" enum:"failed,price_moved,money_short,money_over,money_late"`
	DueAt     *time.Time `json:"dueAt" doc:"when the default is carried out; null while we keep trying"`
	Default   string     `json:"default" enum:"refund_now"`
	KeptUntil *time.Time `json:"keptUntil" doc:"until when we keep trying, as was asked"`
	Offers    []string   `json:"offers" doc:"keep_trying, refund_now, requote, keep_order"`
}

// OrderMoney is the course of an order's money so far, as its customer sees it.
type OrderMoney struct {
	Received string         `json:"received" doc:"US dollars that arrived"`
	Refunded string         `json:"refunded" doc:"US dollars given back so far"`
	Refunds  []OrderRefund  `json:"refunds"`
	Receipts []MoneyReceipt `json:"receipts" doc:"money that arrived by itself, by rails without a card"`
	// Surpluses is what arrived beyond the price.
	Surpluses []OrderSurplus `json:"surpluses" doc:"what arrived beyond the price, oldest first; the last may be to choose about"`
	Dispute   *OrderDispute  `json:"dispute" doc:"the last dispute of the card payment"`
	Choice    *Choice        `json:"choice,omitempty"`
	// CoinOffer waits for the customer's answer.
	CoinOffer *CoinOffer `json:"coinOffer,omitempty" doc:"a refund that is offered with less coin"`
	Reduced   string     `json:"reduced" doc:"US dollars refunded with less coin: the price lines and this are the total"`
}

// OrderRefund is a refund.
type OrderRefund struct {
	Amount      string    `json:"amount" doc:"US dollars"`
	Destination string    `json:"destination" enum:"card,balance"`
	Status      string    `json:"status" doc:"requested, pending, succeeded or failed"`
	At          time.Time `json:"at"`
}

// MoneyReceipt is money that arrived.
type MoneyReceipt struct {
	Amount     string    `json:"amount" doc:"US dollars"`
	ReceivedOn string    `json:"receivedOn" doc:"YYYY-MM-DD"`
	At         time.Time `json:"at" doc:"when we noted it"`
}

// OrderDispute is a dispute of a card payment at its bank.
type OrderDispute struct {
	Status string    `json:"status" doc:"open, won, lost or accepted"`
	Amount string    `json:"amount" doc:"US dollars"`
	At     time.Time `json:"at"`
}

// AdminMoney is the course of an order's money so far, as staff see it.
type AdminMoney struct {
	Receipts  []AdminReceipt `json:"receipts"`
	Returns   []AdminReturn  `json:"returns" doc:"what left it again: receipts reversed, and returns by the bank"`
	Surpluses []AdminSurplus `json:"surpluses" doc:"what arrived beyond the price, oldest first"`
	Refunds   []AdminRefund  `json:"refunds"`
	Disputes  []AdminDispute `json:"disputes"`
	Choice    *Choice        `json:"choice,omitempty" doc:"what the customer was asked"`
	// CoinOffers are the refunds that were offered with less coin.
	CoinOffers []CoinOffer `json:"coinOffers" doc:"refunds offered with less coin, oldest first"`
	// Proposals are what one person may not do alone.
	Proposals []OrderProposal `json:"proposals" doc:"what waits, or waited, for a second person; oldest first"`
}

// ProposalEvidence is what a second person checks beside the amount.
type ProposalEvidence struct {
	TxID          *string `json:"txid,omitempty" doc:"of mark_sent"`
	ReceivedOn    *string `json:"receivedOn,omitempty" doc:"of confirm_receipt: YYYY-MM-DD"`
	BankReference *string `json:"bankReference,omitempty" doc:"of confirm_receipt"`
	DestAddress   *string `json:"destAddress,omitempty" doc:"of amend_address: where the coin is to go"`
	LessCoin      bool    `json:"lessCoin,omitempty" doc:"of refund: offered to the customer with less coin"`
	Evidence      *string `json:"evidence,omitempty" doc:"of transfer_dead: where it was seen that the transfer can never confirm"`
}

// OrderProposal is a decision that needs a second person: a refund, a mark that the coin
// was sent, a receipt, another address, or a dead transfer.
type OrderProposal struct {
	ID       string `json:"id" format:"uuid"`
	Kind     string `json:"kind" enum:"refund,mark_sent,confirm_receipt,amend_address,transfer_dead"`
	Amount   string `json:"amount" doc:"US dollars"`
	Proposer string `json:"proposer" doc:"e-mail address of who proposed it"`
	Reason   string `json:"reason"`
	Status   string `json:"status" enum:"open,approved,rejected,withdrawn,lapsed"`
	Decider  string `json:"decider" doc:"e-mail address of who decided; empty while it is open, and when it lapsed"`
	Answer   string `json:"answer" doc:"why it was rejected or withdrawn"`
	ProposalEvidence
	CreatedAt time.Time  `json:"createdAt"`
	DecidedAt *time.Time `json:"decidedAt"`
}

// WaitingProposal is a proposal that is open, as lists show it.
type WaitingProposal struct {
	ID       string `json:"id" format:"uuid"`
	Kind     string `json:"kind" enum:"refund,mark_sent,confirm_receipt,amend_address,transfer_dead"`
	Amount   string `json:"amount" doc:"US dollars"`
	Proposer string `json:"proposer" doc:"e-mail address of who proposed it"`
	Reason   string `json:"reason"`
	ProposalEvidence
	CreatedAt time.Time `json:"createdAt"`
}

// ProposalChoice names the proposal that is approved: the one that was reviewed.
type ProposalChoice struct {
	ProposalID string `json:"proposalId" format:"uuid" maxLength:"36"`
	Version    string `json:"version,omitempty" maxLength:"24000" doc:"of GET /api/admin/approvals: what was shown; another one is refused, 409"`
}

// ProposalRejection is why a proposal is rejected, or withdrawn.
type ProposalRejection struct {
	ProposalID string `json:"proposalId" format:"uuid" maxLength:"36"`
	Reason     string `json:"reason" minLength:"1" maxLength:"500"`
}

// OrderNote is a staff member's note about an order.
type OrderNote struct {
	ID        string    `json:"id" format:"uuid"`
	Author    string    `json:"author"`
	Body      string    `json:"body"`
	CreatedAt time.Time `json:"createdAt"`
}

// NewOrderNote is a note about an order.
type NewOrderNote struct {
	Body string `json:"body" maxLength:"2000"`
}

// ProviderReference is a provider's id of a part of an order, and its page there.
type ProviderReference struct {
	Provider string  `json:"provider" enum:"stripe,kraken,bitgo,explorer"`
	Kind     string  `json:"kind" enum:"payment,refund,dispute,purchase,transfer,transaction"`
	ID       string  `json:"id"`
	URL      *string `json:"url" doc:"null where this installation names no address"`
}

// AdminReceipt is money on our bank account, as staff recorded it.
type AdminReceipt struct {
	ID            string    `json:"id"`
	Amount        string    `json:"amount"`
	ReceivedOn    string    `json:"receivedOn" doc:"YYYY-MM-DD"`
	BankReference string    `json:"bankReference"`
	At            time.Time `json:"at"`
	Reversed      bool      `json:"reversed" doc:"it was confirmed on the wrong order, and taken off it"`
}

// AdminRefund is a refund, with its identity at the provider.
type AdminRefund struct {
	ID          string     `json:"id"`
	Amount      string     `json:"amount"`
	Destination string     `json:"destination" enum:"card,balance"`
	Status      string     `json:"status" enum:"requested,pending,succeeded,failed"`
	Origin      string     `json:"origin" enum:"ours,provider" doc:"provider: made at the processor itself"`
	ProviderID  *string    `json:"providerId"`
	FailureCode *string    `json:"failureCode"`
	Gone        bool       `json:"gone" doc:"it failed because the money is not here any more: the balance is no way out"`
	At          time.Time  `json:"at"`
	DoneAt      *time.Time `json:"doneAt"`
}

// AdminDispute is a dispute of the card payment at its bank.
type AdminDispute struct {
	ID         string     `json:"id"`
	Amount     string     `json:"amount"`
	Status     string     `json:"status"`
	Reason     string     `json:"reason" doc:"as the bank calls it"`
	DueBy      *time.Time `json:"dueBy" doc:"when evidence must be in"`
	ProviderID *string    `json:"providerId"`
	At         time.Time  `json:"at"`
	Fee        string     `json:"fee" doc:"US dollars, the processor's"`
	Answer     *string    `json:"answer" doc:"contest or accept, once staff have answered"`
	AnsweredAt *time.Time `json:"answeredAt"`
	ClosedAt   *time.Time `json:"closedAt"`
}
