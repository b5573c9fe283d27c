package workflows

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
)

// stage is an order's workflow in the test environment, where time is skipped.
// The row is one OrderState that activities change; what they are to do is
// given case by case. The paths that go well run on the real thing in worker.
type stage struct {
	*testing.T
	*testsuite.TestWorkflowEnvironment
	row      order.OrderState
	release  int // of the worker that reads the row first
	steps    []string
	outcomes map[string]Outcome
	refused  map[string]error
}

var timing = activities.Timing{CallTimeout: 45 * time.Second, Heartbeat: 15 * time.Second, RetryFirst: time.Second, RetryMost: time.Minute, PaymentPoll: time.Minute,
	AuthorisedPoll: 6 * time.Hour, CaptureBudget: 15 * time.Minute, BuyBudget: 24 * time.Hour, SendBudget: 24 * time.Hour, RefundBudget: 72 * time.Hour,
	ConfirmBudget: 72 * time.Hour, OrderLife: 20 * time.Second, LookupGrace: 5 * time.Second, LookupGap: 4 * time.Second, LookupTries: 3,
	SendLookup: time.Minute, FollowFirst: 2 * time.Second, FollowUnasked: 30 * time.Second, FollowMost: time.Minute}

const row = "0198a000-0000-7000-8000-000000000001"

// begin prepares an order at a status. Activities succeed unless configured otherwise.
func begin(t *testing.T, at order.OrderState) *stage {
	s := &stage{T: t, TestWorkflowEnvironment: environment(), row: at, outcomes: map[string]Outcome{}, refused: map[string]error{}}
	s.row.ID, s.row.Asset = row, "BTC"
	if s.row.Rail == "" {
		s.row.Rail = pricing.MethodCard
	}
	for _, structs := range []any{&activities.Orders{}, &activities.Payments{}, &activities.Exchange{}, &activities.Custody{}} {
		s.RegisterActivity(structs)
	}
	began := s.Now()
	s.OnActivity(rows.Load, mock.Anything, row).Return(func(context.Context, string) (activities.Loaded, error) {
		read := s.row
		read.DueIn -= s.Now().Sub(began)
		return activities.Loaded{State: read, Timing: timing, Release: s.release}, nil
	}).Maybe()
	s.decided(rows.RetryStep, "retry", func() { s.row.Status, s.row.Waits, s.row.Attention, s.row.FailedStep = s.before(), false, "", "" })
	s.decided(rows.Reserve, "reserve", func() { s.row.Status, s.row.Waits = order.StatusFulfilling, false })
	s.decided(rows.CaptureUnknown, "capture unknown", func() { s.row.Waits, s.row.Attention = true, order.AttentionCaptureUnknown })
	s.stopped(rows.CaptureRefused, func(string) {})
	s.stopped(rows.RefuseDecision, func(string) {})
	s.stopped(rows.FailStep, func(string) { s.row.Status = order.StatusFailed })
	s.stopped(rows.AskPerson, func(code string) { s.row.Waits, s.row.Attention = true, code })
	return s
}

// before is the status of the step that failed.
func (s *stage) before() order.OrderStatus {
	switch {
	case s.row.Status != order.StatusFailed:
		return s.row.Status
	case s.row.FailedStep == execution.StepBuy:
		return order.StatusFulfilling
	}
	return order.StatusFilled
}

func (s *stage) decided(step any, name string, then func()) {
	s.OnActivity(step, mock.Anything, mock.Anything).Return(func(context.Context, activities.Decided) (order.OrderState, error) {
		s.steps = append(s.steps, name)
		then()
		return s.row, nil
	}).Maybe()
}

func (s *stage) stopped(step any, then func(code string)) {
	s.OnActivity(step, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.Stopped) (order.OrderState, error) {
		s.steps = append(s.steps, in.Step+in.Code)
		if in.Step != "" {
			s.row.FailedStep = in.Step
		}
		then(in.Code)
		return s.row, nil
	}).Maybe()
}

// step has an activity about the order fail with each class in turn, and then succeed. The
// last class repeats for ever when then is nil.
func (s *stage) step(step any, name string, then func(), failures ...activities.Failure) {
	attempt := 0
	act := func() (order.OrderState, error) {
		s.steps = append(s.steps, name)
		if attempt++; attempt <= len(failures) || then == nil {
			return s.row, failures[min(attempt, len(failures))-1].Error()
		}
		then()
		return s.row, nil
	}
	given := slices.Repeat([]any{mock.Anything}, reflect.TypeOf(step).NumIn())
	s.OnActivity(step, given...).Return(act2(step, act)).Maybe()
}

// act2 gives a step's mock the parameters of the step.
func act2(step any, act func() (order.OrderState, error)) any {
	switch step.(type) {
	case func(context.Context, activities.Decided) (order.OrderState, error):
		return func(context.Context, activities.Decided) (order.OrderState, error) { return act() }
	case func(context.Context, activities.Ending) (order.OrderState, error):
		return func(context.Context, activities.Ending) (order.OrderState, error) { return act() }
	case func(context.Context, string, bool) (order.OrderState, error):
		return func(context.Context, string, bool) (order.OrderState, error) { return act() }
	}
	return func(context.Context, string) (order.OrderState, error) { return act() }
}

// decide sends a decision after a while.
func (s *stage) decide(after time.Duration, kind string) {
	s.RegisterDelayedCallback(func() {
		s.UpdateWorkflow(kind, kind, &testsuite.TestUpdateCallback{
			OnReject:   func(err error) { s.refused[kind] = err },
			OnAccept:   func() {},
			OnComplete: func(outcome any, _ error) { s.outcomes[kind], _ = outcome.(Outcome) },
		}, Decision{ID: kind})
	}, after)
}

// play runs the workflow to its end, or until it has stood still for a year.
func (s *stage) play() {
	s.Helper()
	s.SetTestTimeout(2 * time.Minute)
	s.ExecuteWorkflow(Order, OrderInput{OrderID: row})
	require.True(s, s.IsWorkflowCompleted())
	require.NoError(s, s.GetWorkflowError())
}

func (s *stage) close() { s.row.Closed = true }

var (
	refused = activities.Failure{Class: activities.Refused, Code: "insufficient_funds"}
	down    = activities.Failure{Class: activities.Retry, Code: "unreachable"}
	unknown = activities.Failure{Class: activities.Unknown, Code: "timeout"}
	silent  = activities.Failure{Class: activities.NotYet, Code: "signed"}
)

func authorised() order.OrderState {
	return order.OrderState{Status: order.StatusPending, PageOpen: true, Authorised: true, DueIn: time.Minute, LapsesIn: 7 * 24 * time.Hour}
}

func (s *stage) fulfilled() {
	s.row.Status = order.StatusFilled
}

func (s *stage) sentAndConfirmed() {
	s.row.Status = order.StatusSent
	s.close()
}

func TestRefusedCaptureLeavesTheOrderDecidable(t *testing.T) {
	s := begin(t, authorised())
	s.step(payments.Capture, "capture", func() { s.row.Status = order.StatusPaymentApproved }, activities.Failure{Class: activities.Refused, Code: "card_declined"})
	s.step(payments.EndPayment, "release", s.close)
	s.decide(time.Hour, Process)
	s.decide(2*time.Hour, Decline)
	s.step(payments.ReadPayment, "read", func() {})
	s.play()
	require.Equal(t, Outcome{Status: "pending", Code: "card_declined"}, s.outcomes[Process])
	require.Equal(t, Done, s.outcomes[Decline].Code)
	require.Equal(t, []string{"capture", "card_declined", "release"}, s.steps)
}

func TestCaptureOfUnknownOutcomeAsksAPersonAndIsLookedUpByTheNext(t *testing.T) {
	s := begin(t, authorised())
	s.step(payments.Capture, "capture", nil, unknown)
	s.step(payments.ReadPayment, "read", func() {})
	s.step(payments.EndPayment, "release", s.close)
	s.decide(time.Minute, Process)
	s.decide(time.Hour, Decline)
	s.play()
	require.Equal(t, "unknown", s.outcomes[Process].Code)
	require.Contains(t, s.steps, "capture unknown")
	require.Less(t, len(s.steps), 40, "a quarter of an hour with growing waits")
}

func TestBar18SecondDecisionIsRefusedWhileTheFirstRuns(t *testing.T) {
	s := begin(t, authorised())
	s.step(payments.Capture, "capture", func() { s.row.Status = order.StatusPaymentApproved }, down, down, down)
	s.step(payments.Refund, "refund", s.close)
	s.step(payments.ReadPayment, "read", func() {})
	s.decide(time.Minute, Process)
	s.decide(time.Minute+2*time.Second, Decline)
	s.decide(time.Hour, Refund)
	s.play()
	require.Equal(t, Outcome{Status: "payment_approved", Code: Done}, s.outcomes[Process])
	var seen *temporal.ApplicationError
	require.ErrorAs(t, s.refused[Decline], &seen)
	require.Equal(t, NotAwaited, seen.Type())
}

func TestExhaustedPurchaseFailsAndGoesOnFromThere(t *testing.T) {
	for name, failure := range map[string]activities.Failure{"refused": refused, "exhausted": down} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, order.OrderState{Status: order.StatusFulfilling})
			tried, retried := 0, false
			s.OnActivity(exchange.Buy, mock.Anything, row).Return(func(context.Context, string) (order.OrderState, error) {
				if tried++; !retried {
					return s.row, failure.Error()
				}
				s.fulfilled()
				return s.row, nil
			})
			s.step(custody.Send, "send", s.sentAndConfirmed)
			s.RegisterDelayedCallback(func() { retried = true }, 48*time.Hour)
			s.decide(49*time.Hour, Retry)
			s.play()
			require.Equal(t, []string{"buy" + failure.Code, "retry", "send"}, s.steps)
			require.Equal(t, name == "exhausted", tried > 2)
		})
	}
}

// Neither an unknown outcome of a transfer, nor a failure to record it, is its failure.
func TestTransferOfUnknownOutcomeIsNeverAFailure(t *testing.T) {
	for _, failure := range []activities.Failure{unknown, {Class: activities.Storage, Code: "database"}} {
		t.Run(string(failure.Class), func(t *testing.T) {
			s := begin(t, order.OrderState{Status: order.StatusFilled})
			failing := true
			s.OnActivity(custody.Send, mock.Anything, row).Return(func(context.Context, string) (order.OrderState, error) {
				if failing {
					return s.row, failure.Error()
				}
				s.sentAndConfirmed()
				return s.row, nil
			})
			s.RegisterDelayedCallback(func() { failing = false }, 48*time.Hour)
			s.decide(49*time.Hour, Retry)
			s.play()
			require.Equal(t, []string{casework.AttentionSendUnknown, "retry"}, s.steps)
		})
	}
}

func TestBar30WrongAddressWaitsForAnotherOne(t *testing.T) {
	s := begin(t, order.OrderState{Status: order.StatusFilled})
	s.step(custody.Send, "send", s.sentAndConfirmed, activities.Failure{Class: activities.Refused, Code: "invalid_address"})
	s.decided(rows.AmendAddress, "amend", func() { s.row.Waits, s.row.Attention = false, "" })
	s.decide(time.Hour, AmendAddress)
	s.play()
	require.Equal(t, []string{"send", casework.AttentionAddress, "amend", "send"}, s.steps)
}

func TestTransferIsFollowedWithoutCountingThePolls(t *testing.T) {
	s := begin(t, order.OrderState{Status: order.StatusFilled})
	s.step(custody.Send, "send", func() { s.row.TransferOn = true })
	s.step(custody.Follow, "look", s.sentAndConfirmed, silent, silent, silent)
	s.play()
	require.Equal(t, []string{"send", "look", "look", "look", "look"}, s.steps)
}

// A custodian's webhook causes one read of the transfer at once; after its silence the
// transfer is polled until its state changes.
func TestTransferIsReadOnTheCustodiansWebhook(t *testing.T) {
	for name, test := range map[string]struct {
		lines []time.Duration
		polls []time.Duration // since it was sent
	}{
		"told":   {[]time.Duration{5 * time.Second, 10 * time.Second}, []time.Duration{5 * time.Second, 10 * time.Second}},
		"silent": {nil, []time.Duration{30 * time.Second, time.Minute}},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, order.OrderState{Status: order.StatusFilled, TransferOn: true})
			s.release = activities.Release
			began, polls := s.Now(), []time.Duration(nil)
			s.OnActivity(custody.Follow, mock.Anything, row, test.lines != nil).Return(func(_ context.Context, _ string, notified bool) (order.OrderState, error) {
				polls = append(polls, s.Now().Sub(began).Truncate(time.Second))
				if len(polls) == 2 {
					s.sentAndConfirmed()
				} else if !notified {
					return s.row, silent.Error()
				}
				return s.row, nil
			})
			for _, at := range test.lines {
				s.RegisterDelayedCallback(func() { s.SignalWorkflow(TransferChanged, WebhookSignal{Reason: "transfer"}) }, at)
			}
			s.play()
			require.Equal(t, test.polls, polls)
		})
	}
}

func TestPaymentPageThatCannotBeMadeIsRetriedByAPerson(t *testing.T) {
	s := begin(t, order.OrderState{Status: order.StatusPending, DueIn: time.Hour})
	s.step(payments.CreateCheckout, "page", func() { s.row.PageOpen = true }, refused)
	s.step(payments.ReadPayment, "read", func() {})
	s.step(payments.EndPayment, "end", s.close)
	s.decide(time.Second, Retry)
	s.decide(5*time.Minute, Cancel) // while a poll reads the payment: executed after it
	s.play()
	require.Equal(t, []string{"page", order.AttentionCheckout, "retry", "page"}, s.steps[:4])
	require.Equal(t, Done, s.outcomes[Cancel].Code)
}

func TestCustomerCancelsWhileThePageIsBeingMade(t *testing.T) {
	s := begin(t, order.OrderState{Status: order.StatusPending, DueIn: time.Hour})
	s.step(payments.CreateCheckout, "page", nil, down)
	s.step(payments.EndPayment, "end", s.close)
	s.decide(10*time.Minute, Cancel)
	s.play()
	require.Equal(t, Done, s.outcomes[Cancel].Code)
	require.Equal(t, "end", s.steps[len(s.steps)-1])
}

func TestDeadlineEndsAnUnpaidCardAndAnUnreadablePaymentIsPolledOn(t *testing.T) {
	s := begin(t, order.OrderState{Status: order.StatusPending, PageOpen: true, DueIn: 30 * time.Minute})
	s.step(payments.ReadPayment, "read", nil, down)
	s.step(payments.EndPayment, "end", s.close)
	s.play()
	require.Equal(t, "end", s.steps[len(s.steps)-1])
	require.Greater(t, len(s.steps), 20)
}

func TestDecisionThatTheRowDoesNotAllowIsRefusedWithItsReason(t *testing.T) {
	s := begin(t, order.OrderState{Status: order.StatusPending, Rail: "zelle", DueIn: time.Hour})
	s.OnActivity(rows.ConfirmReceipt, mock.Anything, mock.Anything).Return(order.OrderState{}, activities.Failure{Class: activities.Conflict, Code: "bank_reference_used"}.Error())
	s.OnActivity(rows.EndUnpaid, mock.Anything, mock.Anything).Return(func(context.Context, activities.Ending) (order.OrderState, error) {
		s.close()
		return s.row, nil
	})
	s.decide(time.Minute, ConfirmReceipt)
	s.play()
	require.Equal(t, "bank_reference_used", s.outcomes[ConfirmReceipt].Code)
	require.Equal(t, []string{"bank_reference_used"}, s.steps)
}

func TestRefundThatTheBankRefusesWaitsForAPerson(t *testing.T) {
	s := begin(t, order.OrderState{Status: order.StatusFailed, FailedStep: execution.StepBuy})
	s.step(payments.Refund, "refund", s.close, refused)
	s.decide(time.Minute, Refund)
	s.RegisterDelayedCallback(func() {
		s.UpdateWorkflow(Refund, "again", &testsuite.TestUpdateCallback{OnReject: func(err error) { s.refused["again"] = err }, OnAccept: func() {}, OnComplete: func(any, error) {}}, Decision{ID: "again"})
	}, time.Hour)
	s.play()
	require.Equal(t, order.AttentionRefundFailed, s.outcomes[Refund].Code)
	require.Equal(t, []string{"refund", order.AttentionRefundFailed, "refund"}, s.steps)
}

// Two people declare a transfer dead during a read whose result, its removal, the workflow
// has yet to receive: the decision is executed.
func TestDeadTransferIsDeclaredDuringAPoll(t *testing.T) {
	s := begin(t, order.OrderState{Status: order.StatusSent, TransferOn: true})
	s.step(custody.Follow, "look", nil, silent)
	s.step(custody.DeclareDead, "dead", func() {
		s.row.Status, s.row.FailedStep, s.row.TransferOn = order.StatusFailed, execution.StepSend, false
	})
	s.step(payments.Refund, "refund", s.close)
	s.decide(time.Second, TransferDead)
	s.decide(2*time.Hour, Refund)
	s.play()
	require.Equal(t, Done, s.outcomes[TransferDead].Code)
	require.Equal(t, []string{"dead", "refund"}, s.steps[len(s.steps)-2:])
}
