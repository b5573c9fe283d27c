package order

import (
	"time"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	executionapi "github.com/tradepost/tradepost/api/execution"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
)

func adminReturn(r *order.ReceiptReturn) AdminReturn {
	view := AdminReturn{ID: r.ID, ReceiptID: r.ReceiptID, Kind: r.Kind, Amount: money.USD.Format(r.Amount), BankReference: r.BankReference, Code: r.Code,
		Clawed: money.USD.Format(r.Clawed()), Owed: money.USD.Format(r.Owed), At: r.CreatedAt, ReinstatedAt: r.ReinstatedAt}
	if r.ReturnedOn != nil {
		day := r.ReturnedOn.Format("2006-01-02")
		view.ReturnedOn = &day
	}
	return view
}

// RiskReasons are reasons as the contract names them.
func RiskReasons(reasons []string) []RiskReason {
	return rest.Mapped(reasons, func(r *string) RiskReason { return RiskReason(*r) })
}

func orderRisk(o *order.Order) *OrderRisk {
	if o.RiskScore == 0 && !o.UnderReview {
		return nil
	}
	return &OrderRisk{Score: o.RiskScore, Reasons: RiskReasons(o.RiskReasons), UnderReview: o.UnderReview}
}

// AdminReturn is money that left an order again.
type AdminReturn struct {
	ID            string     `json:"id" format:"uuid"`
	ReceiptID     string     `json:"receiptId" format:"uuid"`
	Kind          string     `json:"kind" enum:"reversal,return" doc:"reversal: confirmed on the wrong order; return: by the bank"`
	Amount        string     `json:"amount"`
	BankReference *string    `json:"bankReference"`
	ReturnedOn    *string    `json:"returnedOn" doc:"YYYY-MM-DD"`
	Code          string     `json:"code"`
	Clawed        string     `json:"clawed" doc:"what the customer bears: taken from their balance, or owed"`
	Owed          string     `json:"owed" doc:"what their balance did not cover as it was booked"`
	At            time.Time  `json:"at"`
	ReinstatedAt  *time.Time `json:"reinstatedAt"`
}

// Order is a customer's own order. One object has both shapes of specification §3: the
// direct order's and the older one's (rules §1).
type Order struct {
	ID             string             `json:"id" format:"uuid"`
	Reference      string             `json:"reference" doc:"short public reference, such as TP-7K3M-9QWX"`
	UserID         string             `json:"userId" format:"uuid"`
	Asset          rest.Coin          `json:"asset"`
	AmountAsset    string             `json:"amountAsset"`
	QuoteFiat      string             `json:"quoteFiat" doc:"total in US dollars"`
	PaymentMethod  string             `json:"paymentMethod"`
	Channel        string             `json:"channel"`
	Status         string             `json:"status" enum:"pending,payment_approved,fulfilling,filled,sent,failed"`
	DestAddress    string             `json:"destAddress"`
	Network        rest.Network       `json:"network"`
	TxID           *string            `json:"txid" doc:"transaction id on the network, once sent"`
	CryptoCurrency string             `json:"cryptoCurrency"`
	Amount         string             `json:"amount"`
	FiatAmount     string             `json:"fiatAmount"`
	WalletAddress  string             `json:"walletAddress"`
	LegacyStatus   string             `json:"legacyStatus" enum:"pending,payment_processing,completed,failed,cancelled"`
	PaymentDueAt   time.Time          `json:"paymentDueAt"`
	Attention      *CustomerAttention `json:"attention,omitempty"`
	Authorised     bool               `json:"authorised" doc:"its card holds the amount, and we have yet to accept it"`
	Action         *OrderAction       `json:"action,omitempty" doc:"what its customer has to do"`
	Metadata       OrderMetadata      `json:"metadata"`
	CreatedAt      time.Time          `json:"createdAt"`
	UpdatedAt      time.Time          `json:"updatedAt"`
}

// OrderAction is what an order waits for its customer to do.
type OrderAction struct {
	Kind     string     `json:"kind" enum:"pay,choose,address,confirm_address,confirm_order,identity"`
	Deadline *time.Time `json:"deadline" doc:"null: there is none"`
}

// NewAddress names another address for an order's coin.
type NewAddress struct {
	DestAddress string `json:"destAddress" maxLength:"200"`
}

// CustomerAttention is that an order waits, and for what, in terms for its customer.
type CustomerAttention struct {
	Reason  WaitingReason `json:"reason"`
	Since   time.Time     `json:"since"`
	Choices []string      `json:"choices"`
}

// OrderMetadata is a failure as the customer sees it: a code and the platform's message,
// never a provider's.
type OrderMetadata struct {
	Resolution       *string `json:"resolution" doc:"how a failed order ended: declined, cancelled, expired or refunded"`
	AfterSent        *string `json:"afterSent" enum:"refunded,disputed" doc:"what became of all the money of an order once it was sent"`
	FulfillmentCode  *string `json:"fulfillmentCode"`
	FulfillmentError *string `json:"fulfillmentError" prose:"yes" doc:"what happened, in plain words"`
	RetryCount       int     `json:"retryCount"`
}

// OrderDetail is one order with its price, payment and timeline.
type OrderDetail struct {
	Order
	OrderMoney
	BasePrice        string                `json:"basePrice"`
	PaymentMethodFee string                `json:"paymentMethodFee"`
	VolumeDiscount   string                `json:"volumeDiscount"`
	Total            string                `json:"total"`
	UnitPrice        string                `json:"unitPrice" doc:"US dollars for one coin"`
	Payment          OrderPayment          `json:"payment"`
	Events           []OrderEvent          `json:"events"`
	Choices          []string              `json:"choices" doc:"what the customer can do now: pay, cancel, upload_receipt, upload_card_photo, amend_address, receipt"`
	Decision         *caseworkapi.Decision `json:"decision,omitempty" doc:"a decision that is being carried out"`
	Retrying         bool                  `json:"retrying" doc:"the last thing that happened is an attempt that failed"`
	HeldAddress      *HeldAddress          `json:"heldAddress,omitempty" doc:"another address that waits for its mailed link"`
	PaidAt           *time.Time            `json:"paidAt"`
	SentAt           *time.Time            `json:"sentAt"`
	ConfirmedAt      *time.Time            `json:"confirmedAt"`
	ClosedAt         *time.Time            `json:"closedAt"`
	ExplorerURL      *string               `json:"explorerUrl" doc:"the transaction's page at an explorer; null: not sent, or none is configured"`
}

// HeldAddress is another address for an order, which its customer confirms with a
// mailed link.
type HeldAddress struct {
	Address   string    `json:"address"`
	ExpiresAt time.Time `json:"expiresAt" doc:"until when the link works"`
}

// ConfirmAddress is the token of a mailed link.
type ConfirmAddress struct {
	Token string `json:"token" minLength:"1" maxLength:"100"`
}

// OrderPayment is the paying side of an order, as its customer sees it.
type OrderPayment struct {
	Method         string        `json:"method"`
	Status         string        `json:"status" enum:"pending,approved,declined"`
	Amount         string        `json:"amount"`
	Currency       string        `json:"currency"`
	DueAt          time.Time     `json:"dueAt"`
	Reference      string        `json:"reference" doc:"to be named in the transfer"`
	Checkout       *Checkout     `json:"checkout,omitempty" doc:"card only"`
	Instructions   []Instruction `json:"instructions" doc:"how to pay, other rails"`
	WantsCardPhoto bool          `json:"wantsCardPhoto"`
	Evidence       []Evidence    `json:"evidence"`
	SubmittedAt    *time.Time    `json:"submittedAt"`
	AuthorisedAt   *time.Time    `json:"authorisedAt"`
	CapturedAt     *time.Time    `json:"capturedAt"`
	CardBrand      *string       `json:"cardBrand"`
	CardLast4      *string       `json:"cardLast4"`
	DeclineCode    *string       `json:"declineCode" doc:"why the last card was declined"`
}

// Checkout is the hosted card page of an order.
type Checkout struct {
	State     string     `json:"state" enum:"preparing,ready,done,closed"`
	URL       *string    `json:"url"`
	ExpiresAt *time.Time `json:"expiresAt"`
}

// Instruction is one line of how to pay.
type Instruction struct {
	Label string `json:"label" prose:"yes"`
	Value string `json:"value"`
	Copy  bool   `json:"copy" doc:"worth a copy button"`
}

// Evidence is a file a customer sent in.
type Evidence struct {
	ID        string    `json:"id" format:"uuid"`
	Kind      string    `json:"kind" enum:"receipt,card_photo"`
	URL       *string   `json:"url" doc:"null once purged"`
	CreatedAt time.Time `json:"createdAt"`
}

// OrderEvent is one step of an order's timeline.
type OrderEvent struct {
	ID       int64          `json:"id"`
	At       time.Time      `json:"at"`
	Kind     EventKind      `json:"kind"`
	Actor    string         `json:"actor" enum:"system,customer,staff,provider"`
	Status   string         `json:"status"`
	Internal bool           `json:"internal,omitempty" doc:"for staff only"`
	Data     map[string]any `json:"data"`
}

// OrdersSummary counts a customer's orders over the whole filtered set.
type OrdersSummary struct {
	Total      int            `json:"total"`
	TotalSpent string         `json:"totalSpent" doc:"US dollars of completed orders"`
	Pending    int            `json:"pending" doc:"pending or payment_processing"`
	Completed  int            `json:"completed"`
	ByStatus   map[string]int `json:"byStatus"`
}

// AdminOrder is an order as staff see it.
type AdminOrder struct {
	ID              string                  `json:"id" format:"uuid"`
	Reference       string                  `json:"reference"`
	UserID          string                  `json:"userId" format:"uuid"`
	CustomerEmail   string                  `json:"customerEmail"`
	CustomerName    string                  `json:"customerName"`
	Country         string                  `json:"country" doc:"of the customer; empty while unknown"`
	Asset           string                  `json:"asset"`
	AmountAsset     string                  `json:"amountAsset"`
	QuoteFiat       string                  `json:"quoteFiat"`
	PaymentMethod   string                  `json:"paymentMethod"`
	Channel         string                  `json:"channel"`
	Status          string                  `json:"status" enum:"pending,payment_approved,fulfilling,filled,sent,failed"`
	DestAddress     string                  `json:"destAddress"`
	Network         string                  `json:"network"`
	KrakenOrderID   *string                 `json:"krakenOrderId"`
	BitgoTransferID *string                 `json:"bitgoTransferId"`
	TxID            *string                 `json:"txid"`
	Held            bool                    `json:"held"`
	Authorised      bool                    `json:"authorised" doc:"its card holds the amount, and nobody has accepted it yet"`
	Received        string                  `json:"received" doc:"US dollars that came for it"`
	Refunded        string                  `json:"refunded" doc:"US dollars given back so far"`
	Reduced         string                  `json:"reduced" doc:"US dollars of these that the customer agreed to with less coin"`
	LessCoin        bool                    `json:"lessCoin" doc:"a partial refund can be offered with less coin"`
	OfferUntil      *time.Time              `json:"offerUntil" doc:"until when the customer can agree to less coin; null: nothing is offered"`
	CaptureBefore   *time.Time              `json:"captureBefore" doc:"when the hold on the card ends"`
	Expiring        bool                    `json:"expiring" doc:"the hold on the card ends soon, and nobody has decided yet"`
	Attention       *executionapi.Attention `json:"attention,omitempty"`
	Decision        *caseworkapi.Decision   `json:"decision,omitempty" doc:"a decision that is being carried out: buttons stay locked"`
	Proposal        *WaitingProposal        `json:"proposal,omitempty" doc:"what waits for a second person"`
	Actions         []string                `json:"actions" doc:"what the signed-in person can do now"`
	OwnReceipt      bool                    `json:"ownReceipt" doc:"its money came on the signed-in person's word: others decide about its coin"`
	BarredBy        string                  `json:"barredBy" enum:",own_receipt,own_credit,own_identity" doc:"why the signed-in person must not release its value: they confirmed its payment, credited the balance that pays it alone, or approved the customer's identity alone"`
	Metadata        AdminOrderMetadata      `json:"metadata"`
	Risk            *OrderRisk              `json:"risk,omitempty" doc:"what speaks against it, if anything"`
	WorkflowURL     *string                 `json:"workflowUrl" doc:"the order's workflow in the Temporal web UI"`
	CreatedAt       time.Time               `json:"createdAt"`
	UpdatedAt       time.Time               `json:"updatedAt"`
}

// AdminOrderMetadata is a failure as staff see it, including the provider's text.
type AdminOrderMetadata struct {
	Resolution       *string    `json:"resolution"`
	FailedStep       *string    `json:"failedStep"`
	FulfillmentCode  *string    `json:"fulfillmentCode"`
	FulfillmentError *string    `json:"fulfillmentError"`
	RetryCount       int        `json:"retryCount"`
	LastError        *string    `json:"lastError"`
	LastErrorAt      *time.Time `json:"lastErrorAt"`
	NextAttemptAt    *time.Time `json:"nextAttemptAt" doc:"when the step that failed last is tried again"`
}

// AdminOrderDetail is one order with everything staff may see of it.
type AdminOrderDetail struct {
	AdminOrder
	OrderRecord
	AdminMoney
	BasePrice        string                         `json:"basePrice"`
	PaymentMethodFee string                         `json:"paymentMethodFee"`
	VolumeDiscount   string                         `json:"volumeDiscount"`
	Total            string                         `json:"total"`
	UnitPrice        string                         `json:"unitPrice"`
	Payment          PendingPayment                 `json:"payment"`
	Events           []OrderEvent                   `json:"events"`
	Transfers        []executionapi.AdminWithdrawal `json:"transfers"`
	References       []ProviderReference            `json:"references" doc:"what it is called at the providers"`
	Notes            []OrderNote                    `json:"notes" doc:"newest first"`
	TwoAbove         string                         `json:"twoAbove" doc:"US dollars above which marking the order as sent needs a second person"`
	RefundAlone      string                         `json:"refundAlone" doc:"US dollars that one person may still give back of this order today, with what went back of it and of the customer's others; more needs a second person"`
	CreditAlone      string                         `json:"creditAlone" doc:"US dollars that one person may still confirm for this customer today; more needs a second person"`
	ConfirmedAt      *time.Time                     `json:"confirmedAt"`
}

// AdminOrdersSummary is the admin screen's counters over the whole filtered set.
type AdminOrdersSummary struct {
	Total           int `json:"total"`
	Pending         int `json:"pending"`
	Approved        int `json:"approved" doc:"payment_approved"`
	Fulfilling      int `json:"fulfilling"`
	Filled          int `json:"filled"`
	Sent            int `json:"sent"`
	Failed          int `json:"failed"`
	NeedsAttention  int `json:"needsAttention"`
	Actionable      int `json:"actionable" doc:"those that staff can act on now, over the search"`
	Proposed        int `json:"proposed" doc:"something waits for a second person"`
	MatchingFilters int `json:"matchingFilters"`
}

// OrderReceipt is what the printable receipt shows.
type OrderReceipt struct {
	Brand            string     `json:"brand"`
	OrderID          string     `json:"orderId" format:"uuid"`
	Reference        string     `json:"reference"`
	CustomerName     string     `json:"customerName"`
	CustomerEmail    string     `json:"customerEmail"`
	Asset            string     `json:"asset"`
	AmountAsset      string     `json:"amountAsset"`
	UnitPrice        string     `json:"unitPrice"`
	BasePrice        string     `json:"basePrice"`
	PaymentMethodFee string     `json:"paymentMethodFee"`
	VolumeDiscount   string     `json:"volumeDiscount"`
	Total            string     `json:"total"`
	Currency         string     `json:"currency"`
	PaymentMethod    string     `json:"paymentMethod"`
	CardBrand        *string    `json:"cardBrand"`
	CardLast4        *string    `json:"cardLast4"`
	DestAddress      string     `json:"destAddress"`
	Network          string     `json:"network"`
	TxID             *string    `json:"txid"`
	Status           string     `json:"status"`
	Resolution       *string    `json:"resolution"`
	Authorised       bool       `json:"authorised" doc:"its card holds the amount, and we have yet to accept it"`
	CreatedAt        time.Time  `json:"createdAt"`
	PaidAt           *time.Time `json:"paidAt"`
	SentAt           *time.Time `json:"sentAt"`
}

// NewOrder is the body of POST /api/orders.
type NewOrder struct {
	Asset         string  `json:"asset" maxLength:"16"`
	AmountAsset   string  `json:"amountAsset" maxLength:"64" doc:"whole coins, plain decimal digits"`
	PaymentMethod string  `json:"paymentMethod" maxLength:"32"`
	DestAddress   string  `json:"destAddress" maxLength:"200"`
	Network       *string `json:"network,omitempty" maxLength:"16" doc:"when given, the address must be of this network"`
	QuoteID       *string `json:"quoteId,omitempty" maxLength:"2048" doc:"from calculate-pricing; without one the price is locked now"`
}

// NewPurchase is the body of POST /api/buy: amountFiat is the price before fees.
type NewPurchase struct {
	Asset         string `json:"asset" maxLength:"16"`
	AmountFiat    string `json:"amountFiat" maxLength:"64" doc:"US dollars before fees"`
	DestAddress   string `json:"destAddress" maxLength:"200"`
	PaymentMethod string `json:"paymentMethod" maxLength:"32"`
}

// PricingInput is the body of calculate-pricing.
type PricingInput struct {
	Asset         string `json:"asset" maxLength:"16"`
	AmountAsset   string `json:"amountAsset" maxLength:"64"`
	PaymentMethod string `json:"paymentMethod" maxLength:"32"`
	DestAddress   string `json:"destAddress,omitempty" maxLength:"200" doc:"when given, network and addressError speak of it"`
}

// RiskReason is what speaks against an order.
type RiskReason string

// OrderRisk is what speaks against an order; for staff only.
type OrderRisk struct {
	Score       int          `json:"score"`
	Reasons     []RiskReason `json:"reasons"`
	UnderReview bool         `json:"underReview" doc:"compliance has yet to release it"`
}
