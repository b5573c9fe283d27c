package activities

import (
	"errors"
	"reflect"
	"time"

	"github.com/tradepost/tradepost/models/order"
)

// Timing is every wait and budget of the workflows, so that tests can scale
// them. A workflow receives it with its order's state and keeps it until it
// ends, so a change is in force for orders loaded after it.
type Timing struct {
	CallTimeout time.Duration `name:"call-timeout" env:"CALL_TIMEOUT" default:"150s" help:"Longest one attempt of a provider step may take."`
	Heartbeat   time.Duration `name:"heartbeat-timeout" env:"HEARTBEAT_TIMEOUT" default:"15s" help:"Silence after which a worker that carries out a step is taken for dead."`
	RetryFirst  time.Duration `name:"retry-first" env:"RETRY_FIRST" default:"1s" help:"Wait after a step's first failed attempt; it doubles."`
	RetryMost   time.Duration `name:"retry-most" env:"RETRY_MOST" default:"1m" help:"Longest wait between two attempts of a step."`

	PaymentPoll    time.Duration `name:"payment-poll" env:"PAYMENT_POLL" default:"30s" help:"How often an open payment page is read, should webhooks be lost."`
	AuthorisedPoll time.Duration `name:"authorised-poll" env:"AUTHORISED_POLL" default:"6h" help:"How often an authorised payment is read while it waits for a decision."`
	// LapseWarning is AUTHORISATION_WARNING, which the API reads as well.
	LapseWarning  time.Duration `name:"authorisation-warning" env:"AUTHORISATION_WARNING" default:"24h" help:"How long before a card's hold ends staff are warned of it."`
	CaptureBudget time.Duration `name:"capture-budget" env:"CAPTURE_BUDGET" default:"15m" help:"How long a capture is tried."`
	BuyBudget     time.Duration `name:"buy-budget" env:"BUY_BUDGET" default:"24h" help:"How long a purchase on the exchange is tried."`
	SendBudget    time.Duration `name:"send-budget" env:"SEND_BUDGET" default:"24h" help:"How long a transfer is tried."`
	RefundBudget  time.Duration `name:"refund-budget" env:"REFUND_BUDGET" default:"72h" help:"How long a refund is tried and awaited."`
	ConfirmBudget time.Duration `name:"confirm-budget" env:"CONFIRM_BUDGET" default:"72h" help:"How long a transfer is followed before a person is asked."`

	OrderLife   time.Duration `name:"exchange-order-life" env:"EXCHANGE_ORDER_LIFE" default:"20s" help:"How long the exchange may take to accept an order."`
	LookupGrace time.Duration `name:"lookup-grace" env:"LOOKUP_GRACE" default:"5s" help:"Wait after an exchange order's deadline before it is looked up."`
	LookupGap   time.Duration `name:"lookup-gap" env:"LOOKUP_GAP" default:"4s" help:"Wait between two look-ups of one exchange order."`
	LookupTries int           `name:"lookup-tries" env:"LOOKUP_TRIES" default:"3" help:"Look-ups that must find nothing before an exchange order is sent again."`
	SendLookup  time.Duration `name:"send-lookup" env:"SEND_LOOKUP" default:"60s" help:"How long a transfer of unknown outcome is looked up before it is sent again under the same identity."`

	ChoiceWindow   time.Duration `name:"choice-window" env:"CHOICE_WINDOW" default:"72h" help:"How long a customer has to choose between keep trying and a refund; then the money goes back."`
	KeepTryingFor  time.Duration `name:"keep-trying-for" env:"KEEP_TRYING_FOR" default:"24h" help:"How long an order is tried again once its customer said so."`
	KeepTryingWait time.Duration `name:"keep-trying-wait" env:"KEEP_TRYING_WAIT" default:"15m" help:"First wait between two such tries; it doubles."`
	KeepTryingMost time.Duration `name:"keep-trying-most" env:"KEEP_TRYING_MOST" default:"4h" help:"Longest wait between two such tries."`

	DisputePoll time.Duration `name:"dispute-poll" env:"DISPUTE_POLL" default:"1h" help:"How often an open dispute is read, should webhooks be lost."`

	FollowFirst   time.Duration `name:"follow-first" env:"FOLLOW_FIRST" default:"2s" help:"First wait between two looks at a transfer; it grows."`
	FollowUnasked time.Duration `name:"follow-unasked" env:"FOLLOW_UNASKED" default:"30s" help:"How long the custodian may be silent about a customer's transfer before it is looked at without; the wait grows."`
	FollowMost    time.Duration `name:"follow-most" env:"FOLLOW_MOST" default:"60s" help:"Longest wait between two looks at a transfer."`
}

// Wrong names the first value that cannot be worked with, or is nil.
func (t *Timing) Wrong() error {
	values := reflect.ValueOf(t).Elem()
	for i := range values.NumField() {
		if d, is := values.Field(i).Interface().(time.Duration); is && d <= 0 {
			return errors.New(values.Type().Field(i).Tag.Get("env") + " must be above zero")
		}
	}
	if t.LookupTries < 1 {
		return errors.New("LOOKUP_TRIES must be at least 1")
	}
	if t.OrderLife < 10*time.Second || t.OrderLife > time.Minute {
		return errors.New("EXCHANGE_ORDER_LIFE must be between 10s and 1m")
	}
	return nil
}

// patience is how long customers have to choose, for the models.
func (t *Timing) patience() order.Patience {
	return order.Patience{Choice: t.ChoiceWindow, TryFor: t.KeepTryingFor, TryEvery: t.KeepTryingWait, TryAtMost: t.KeepTryingMost}
}
