package stripe

// The types below are Stripe's objects: the json names are the wire's. Amounts
// are in the currency's smallest unit, times in unix seconds. Fields that are
// always empty here are spelt out because clients expect them to be there.

type session struct {
	ID                 string            `json:"id"`
	Object             string            `json:"object"`
	AmountSubtotal     int64             `json:"amount_subtotal"`
	AmountTotal        int64             `json:"amount_total"`
	AutomaticTax       map[string]any    `json:"automatic_tax"`
	CancelURL          *string           `json:"cancel_url"`
	ClientReferenceID  *string           `json:"client_reference_id"`
	ClientSecret       *string           `json:"client_secret"`
	Created            int64             `json:"created"`
	Currency           string            `json:"currency"`
	Customer           *string           `json:"customer"`
	CustomerCreation   string            `json:"customer_creation"`
	CustomerDetails    map[string]any    `json:"customer_details"`
	CustomerEmail      *string           `json:"customer_email"`
	CustomFields       []any             `json:"custom_fields"`
	CustomText         map[string]any    `json:"custom_text"`
	ExpiresAt          int64             `json:"expires_at"`
	Invoice            *string           `json:"invoice"`
	Livemode           bool              `json:"livemode"`
	Locale             *string           `json:"locale"`
	Metadata           map[string]string `json:"metadata"`
	Mode               string            `json:"mode"`
	PaymentIntent      *string           `json:"payment_intent"`
	PaymentLink        *string           `json:"payment_link"`
	PaymentMethodTypes []string          `json:"payment_method_types"`
	PaymentStatus      string            `json:"payment_status"`
	SetupIntent        *string           `json:"setup_intent"`
	ShippingOptions    []any             `json:"shipping_options"`
	Status             string            `json:"status"`
	SubmitType         *string           `json:"submit_type"`
	Subscription       *string           `json:"subscription"`
	SuccessURL         *string           `json:"success_url"`
	TotalDetails       map[string]int64  `json:"total_details"`
	UIMode             string            `json:"ui_mode"`
	URL                *string           `json:"url"`
}

type intent struct {
	ID                        string            `json:"id"`
	Object                    string            `json:"object"`
	Amount                    int64             `json:"amount"`
	AmountCapturable          int64             `json:"amount_capturable"`
	AmountReceived            int64             `json:"amount_received"`
	Application               *string           `json:"application"`
	AutomaticPaymentMethods   map[string]any    `json:"automatic_payment_methods"`
	CanceledAt                *int64            `json:"canceled_at"`
	CancellationReason        *string           `json:"cancellation_reason"`
	CaptureMethod             string            `json:"capture_method"`
	ClientSecret              string            `json:"client_secret"`
	ConfirmationMethod        string            `json:"confirmation_method"`
	Created                   int64             `json:"created"`
	Currency                  string            `json:"currency"`
	Customer                  *string           `json:"customer"`
	Description               *string           `json:"description"`
	LastPaymentError          *cardProblem      `json:"last_payment_error"`
	LatestCharge              *string           `json:"latest_charge"`
	Livemode                  bool              `json:"livemode"`
	Metadata                  map[string]string `json:"metadata"`
	NextAction                map[string]any    `json:"next_action"`
	OnBehalfOf                *string           `json:"on_behalf_of"`
	PaymentMethod             *string           `json:"payment_method"`
	PaymentMethodOptions      map[string]any    `json:"payment_method_options"`
	PaymentMethodTypes        []string          `json:"payment_method_types"`
	Processing                map[string]any    `json:"processing"`
	ReceiptEmail              *string           `json:"receipt_email"`
	Review                    *string           `json:"review"`
	SetupFutureUsage          *string           `json:"setup_future_usage"`
	Shipping                  map[string]any    `json:"shipping"`
	StatementDescriptor       *string           `json:"statement_descriptor"`
	StatementDescriptorSuffix *string           `json:"statement_descriptor_suffix"`
	Status                    string            `json:"status"`
	TransferGroup             *string           `json:"transfer_group"`
}

type charge struct {
	ID                        string            `json:"id"`
	Object                    string            `json:"object"`
	Amount                    int64             `json:"amount"`
	AmountCaptured            int64             `json:"amount_captured"`
	AmountRefunded            int64             `json:"amount_refunded"`
	BalanceTransaction        *string           `json:"balance_transaction"`
	BillingDetails            map[string]any    `json:"billing_details"`
	Captured                  bool              `json:"captured"`
	Created                   int64             `json:"created"`
	Currency                  string            `json:"currency"`
	Customer                  *string           `json:"customer"`
	Description               *string           `json:"description"`
	Disputed                  bool              `json:"disputed"`
	FailureCode               *string           `json:"failure_code"`
	FailureMessage            *string           `json:"failure_message"`
	FraudDetails              map[string]any    `json:"fraud_details"`
	Livemode                  bool              `json:"livemode"`
	Metadata                  map[string]string `json:"metadata"`
	Outcome                   map[string]any    `json:"outcome"`
	Paid                      bool              `json:"paid"`
	PaymentIntent             *string           `json:"payment_intent"`
	PaymentMethod             *string           `json:"payment_method"`
	PaymentMethodDetails      chargeDetails     `json:"payment_method_details"`
	ReceiptEmail              *string           `json:"receipt_email"`
	ReceiptNumber             *string           `json:"receipt_number"`
	ReceiptURL                *string           `json:"receipt_url"`
	Refunded                  bool              `json:"refunded"`
	Review                    *string           `json:"review"`
	Shipping                  map[string]any    `json:"shipping"`
	StatementDescriptor       *string           `json:"statement_descriptor"`
	StatementDescriptorSuffix *string           `json:"statement_descriptor_suffix"`
	Status                    string            `json:"status"`
}

type chargeDetails struct {
	Card chargeCard `json:"card"`
	Type string     `json:"type"`
}

type chargeCard struct {
	AmountAuthorized int64          `json:"amount_authorized"`
	Brand            string         `json:"brand"`
	CaptureBefore    int64          `json:"capture_before,omitempty"`
	Checks           map[string]any `json:"checks"`
	Country          string         `json:"country"`
	ExpMonth         int            `json:"exp_month"`
	ExpYear          int            `json:"exp_year"`
	Fingerprint      string         `json:"fingerprint"`
	Funding          string         `json:"funding"`
	Last4            string         `json:"last4"`
	Network          string         `json:"network"`
	ThreeDSecure     map[string]any `json:"three_d_secure"`
	Wallet           map[string]any `json:"wallet"`
}

type paymentMethod struct {
	ID             string            `json:"id"`
	Object         string            `json:"object"`
	BillingDetails map[string]any    `json:"billing_details"`
	Card           methodCard        `json:"card"`
	Created        int64             `json:"created"`
	Customer       *string           `json:"customer"`
	Livemode       bool              `json:"livemode"`
	Metadata       map[string]string `json:"metadata"`
	Type           string            `json:"type"`
}

type methodCard struct {
	Brand       string         `json:"brand"`
	Checks      map[string]any `json:"checks"`
	Country     string         `json:"country"`
	ExpMonth    int            `json:"exp_month"`
	ExpYear     int            `json:"exp_year"`
	Fingerprint string         `json:"fingerprint"`
	Funding     string         `json:"funding"`
	Last4       string         `json:"last4"`
	Wallet      map[string]any `json:"wallet"`
}

type refund struct {
	ID                        string            `json:"id"`
	Object                    string            `json:"object"`
	Amount                    int64             `json:"amount"`
	BalanceTransaction        *string           `json:"balance_transaction"`
	Charge                    string            `json:"charge"`
	Created                   int64             `json:"created"`
	Currency                  string            `json:"currency"`
	FailureBalanceTransaction *string           `json:"failure_balance_transaction,omitempty"`
	FailureReason             string            `json:"failure_reason,omitempty"`
	Metadata                  map[string]string `json:"metadata"`
	PaymentIntent             *string           `json:"payment_intent"`
	Reason                    *string           `json:"reason"`
	ReceiptNumber             *string           `json:"receipt_number"`
	Status                    string            `json:"status"`
}

type dispute struct {
	ID                  string            `json:"id"`
	Object              string            `json:"object"`
	Amount              int64             `json:"amount"`
	BalanceTransactions []any             `json:"balance_transactions"`
	Charge              string            `json:"charge"`
	Created             int64             `json:"created"`
	Currency            string            `json:"currency"`
	Evidence            map[string]string `json:"evidence"`
	EnhancedTypes       []string          `json:"enhanced_eligibility_types"`
	EvidenceDetails     map[string]any    `json:"evidence_details"`
	IsChargeRefundable  bool              `json:"is_charge_refundable"`
	Livemode            bool              `json:"livemode"`
	Metadata            map[string]string `json:"metadata"`
	PaymentIntent       *string           `json:"payment_intent"`
	Reason              string            `json:"reason"`
	Status              string            `json:"status"`
}

type customer struct {
	ID          string            `json:"id"`
	Object      string            `json:"object"`
	Balance     int64             `json:"balance"`
	Created     int64             `json:"created"`
	Description *string           `json:"description"`
	Email       *string           `json:"email"`
	Livemode    bool              `json:"livemode"`
	Metadata    map[string]string `json:"metadata"`
	Name        *string           `json:"name"`
	Phone       *string           `json:"phone"`
}

type event struct {
	ID              string       `json:"id"`
	Object          string       `json:"object"`
	APIVersion      string       `json:"api_version"`
	Created         int64        `json:"created"`
	Data            eventData    `json:"data"`
	Livemode        bool         `json:"livemode"`
	PendingWebhooks int          `json:"pending_webhooks"`
	Request         eventRequest `json:"request"`
	Type            string       `json:"type"`
}

type eventData struct {
	Object             any            `json:"object"`
	PreviousAttributes map[string]any `json:"previous_attributes,omitempty"`
}

type eventRequest struct {
	ID             *string `json:"id"`
	IdempotencyKey *string `json:"idempotency_key"`
}

// The documents in the store: an object and what Stripe does not show of it.
type (
	sessionDoc struct {
		session
		Order  string     `json:"_order"`
		Items  []lineItem `json:"_items"`
		Intent intentData `json:"_intent"`
	}
	intentDoc struct {
		intent
		Order   string `json:"_order"`
		Session string `json:"_session"`
	}
	chargeDoc struct {
		charge
		Order string `json:"_order"`
	}
	methodDoc struct {
		paymentMethod
		Test string `json:"_test"` // id of the test card it was made of
	}
	refundDoc struct {
		refund
		Order string `json:"_order"`
		Fails bool   `json:"_fails"`
	}
	disputeDoc struct {
		dispute
		Order string `json:"_order"`
	}
)

// lineItem is one line of a checkout page.
type lineItem struct {
	Name     string `json:"name"`
	Note     string `json:"note"`
	Unit     int64  `json:"unit"`
	Quantity int64  `json:"quantity"`
}

// intentData is what a checkout page gives its PaymentIntent.
type intentData struct {
	CaptureMethod string            `json:"captureMethod"`
	Description   string            `json:"description"`
	ReceiptEmail  string            `json:"receiptEmail"`
	Suffix        string            `json:"suffix"`
	Metadata      map[string]string `json:"metadata"`
}

// optional is nil for an empty string, as Stripe shows what was not given.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
