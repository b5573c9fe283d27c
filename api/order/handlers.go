// Package order answers the calls about orders, their payments and refunds.
package order

import (
	"context"
	"log/slog"
	"time"

	"gocloud.dev/blob"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	dualcontrolapi "github.com/tradepost/tradepost/api/dualcontrol"
	executionapi "github.com/tradepost/tradepost/api/execution"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// Handlers answer the calls about orders, their payments and refunds.
type Handlers struct {
	*caseworkapi.Console
	*dualcontrolapi.Limits
	*executionapi.Networks
	*Decisions
	*rest.SecondFactor
	Brand        string
	DB           *store.DB
	Files        *blob.Bucket
	Histories    Histories
	LapseWarning time.Duration
	Log          *slog.Logger
	Places       executionapi.Places
	Policy       *policy.Policy
	Quoter       *pricing.Quoter
	RateScale    int
	Recipients   Recipients
	RemindAfter  time.Duration
	Replay       func(history []byte) error
	Vault        *secret.Keys
	Workflows    Workflows
}

// Workflows is how these calls reach Temporal. What is not started or delivered, the
// sweeper finds.
type Workflows interface {
	StartOrder(ctx context.Context, order *order.Order) error
	// Decide sends a decision and waits; decided is false when its execution outlasts the
	// wait.
	Decide(ctx context.Context, orderID, kind, decisionID string, wait time.Duration) (outcome workflows.Outcome, decided bool, err error)
	// BookReceipt is Decide for money that its order's workflow does not wait for.
	BookReceipt(ctx context.Context, orderID, decisionID string, wait time.Duration) (outcome workflows.Outcome, decided bool, err error)
	Signal(ctx context.Context, orderID, signal, reason string) error
	// RunRefund starts a refund's workflow and waits; done is false when it is
	// still under way then.
	RunRefund(ctx context.Context, orderID string, sequence int, wait time.Duration) (done bool, err error)
	// AnswerDispute has an answer passed on to the bank.
	AnswerDispute(ctx context.Context, orderID string, sequence int) error
}
