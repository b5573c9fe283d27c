package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/tradepost/tradepost/workflows"
)

// unstruck are workflow types without a scenario, each with the reason.
var unstruck = map[string]string{
	"TreasuryMove": "on a stack of its own: TestBar25KilledWhileCoinMoves",
}

// everyWorkflow checks that each type of workflow runs where the kills are.
func everyWorkflow(t *testing.T) {
	t.Helper()
	temporal, err := client.DialContext(t.Context(), client.Options{HostPort: stack.TemporalAddress(), Namespace: "tradepost"})
	require.NoError(t, err)
	defer temporal.Close()
	for _, name := range workflows.Types() {
		if unstruck[name] != "" {
			continue
		}
		until(t, "a workflow of the type "+name+": an errand or a scenario goes through it, or unstruck says why not", func() bool {
			found, err := temporal.CountWorkflow(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{Query: fmt.Sprintf("WorkflowType = %q", name)})
			return err == nil && found.GetCount() > 0
		})
	}
	for _, name := range slices.Sorted(maps.Keys(unstruck)) {
		require.Contains(t, workflows.Types(), name, "unstruck names a workflow that is there no more")
	}
}

// completeCases compares the transactions that scenarios executed with those that exist: every exported method of
// models that changes a case or a gift card, or records an event of one, is reached, or is listed in unreached with the
// reason.
func completeCases(t *testing.T, runs []ran) {
	t.Helper()
	reached := map[string]bool{}
	for _, name := range reviewed {
		reached[name] = true // m.killReviews
	}
	for _, r := range runs {
		for _, p := range r.trace {
			reached[p.Transaction] = true
			for _, name := range p.Within {
				reached[name] = true
			}
		}
	}
	opening := methods(t, opensOnCase)
	require.Greater(t, len(opening), 20, "the parser finds them")
	missing := slices.DeleteFunc(slices.Clone(opening), func(name string) bool { return reached[name] || unreached[name] != "" })
	require.Empty(t, missing, "these open a transaction on a matter and no errand goes through them: add one, or say in unreached why not")
	for _, name := range slices.Sorted(maps.Keys(unreached)) {
		require.Contains(t, opening, name, "unreached names a method that is there no more")
	}
}

// unreached are exported methods of models that open a transaction on a case
// or a gift card and are reached by no scenario, each with the reason.
var unreached = map[string]string{
	"MissReview":          "a look that found nobody: every review passes it before anything is entered, and the next look says the same",
	"RevealGiftCard":      "an audited look: who did not get the answer looks again, and both looks are told",
	"RevealPayout":        "likewise",
	"ResealPayouts":       "a sweep over ciphertexts, without a story; models/payout_test.go",
	"MailPayoutLinkAgain": "a mail at its customer's request, which changes nothing of the payout; models/confirm_test.go",
	"MailExportLinkAgain": "likewise",
	"LatePayout":          "a reminder, or the end of what a bank can send back: worker/payout_test.go",

	// Transactions are found by their customer's id, which these do not write.
	"VoucherTransferRefused": "TransferRefused's twin, which is struck with an order; worker/voucher_test.go",

	"VoucherTransferInDoubt": "TransferInDoubt's twin, which is struck with an order; worker/voucher_test.go",
	"DeclareVoucherDead":     "DeclareDead's twin, likewise",
	"BookRevived":            "as with an order (unkilled); worker/voucher_test.go",

	"GoOnVoucher":      "GoOn's twin (unkilled): worker/switch_test.go",
	"MaySendVoucher":   "MaySend's twin, for a send that left no trace: worker/voucher_test.go",
	"ResendVoucherBuy": "ResendBuy's twin, for a purchase that left no trace: worker/voucher_test.go",
	"VoidVoucher":      "one statement of an admin's on a voucher that nobody has redeemed: models/voucher_test.go",
	"VoidBatch":        "one transaction on a hundred vouchers at most, and pressed again it is refused: models/voucher_batch_test.go",
	"AgreeToVoid":      "likewise",
	"ExpireVouchers":   "a sweep over the same, one voucher a transaction",
	"ResealVouchers":   "a sweep over ciphertexts, without a story; models/voucher_test.go",

	"ProposeKYC": "one transaction without a workflow; a second proposal is refused: models/kyc_proposal_test.go",

	"ProposeRoles":  "one transaction that no workflow follows, and pressed again it is refused: models/team_test.go",
	"ApproveRoles":  "likewise",
	"TakeRoles":     "likewise",
	"SignMemberOut": "likewise; pressed again it ends nothing",

	"ResolveBreak":      "one transaction that no workflow follows, and pressed again it is refused: api/reconciliation_test.go",
	"ApproveBreak":      "likewise",
	"DropBreakProposal": "likewise",

	"DecideMove":      "TestBar25KilledWhileCoinMoves strikes it, and all that follows",
	"LoadMove":        "likewise",
	"StartMove":       "likewise",
	"MarkMoveSent":    "likewise",
	"RecordMove":      "likewise",
	"MarkMoveArrived": "likewise",
	"MarkMoveUnknown": "what a send of unknown outcome leads to there",
	"MoveNotSent":     "what looking it up in vain leads to, before a person is asked: worker/treasury_test.go",
	"FailMove":        "a refusal, which moved nothing: worker/treasury_test.go",
}

// continues reports whether a workflow of a scenario still runs, or whether that is unknown.
func continues(t *testing.T, b *buyer) bool {
	t.Helper()
	temporal, err := client.DialContext(t.Context(), client.Options{HostPort: stack.TemporalAddress(), Namespace: "tradepost"})
	require.NoError(t, err)
	defer temporal.Close()
	rows, err := database.Query(t.Context(), `SELECT 'gift-card/' || id FROM gift_cards WHERE user_id = $1
		UNION SELECT matter || '/' || matter_id FROM matter_events WHERE user_id = $1 AND matter <> 'kyc'`, b.id)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var id string
		require.NoError(t, rows.Scan(&id))
		found, err := temporal.DescribeWorkflowExecution(t.Context(), id, "")
		var none *serviceerror.NotFound // of what has no workflow
		if errors.As(err, &none) {
			continue
		}
		if err != nil || found.GetWorkflowExecutionInfo().GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
			return true
		}
	}
	require.NoError(t, rows.Err())
	return false
}

// known is a new customer with a verified identity.
func known(t *testing.T) *visitor {
	t.Helper()
	v := signedUp(t)
	v.passKYC()
	return v
}

// enrolled is a newcomer with a second factor.
func enrolled(t *testing.T) *visitor {
	t.Helper()
	v := signedUp(t)
	var setup struct{ Secret string }
	v.post("/api/2fa/setup", nil, &setup)
	code, err := totp.GenerateCode(setup.Secret, time.Now())
	require.NoError(t, err)
	v.post("/api/2fa/verify", map[string]string{"token": code}, nil)
	v.started()
	return v
}

// asks has the customer call until their newest row of a table has a status.
func (b *buyer) asks(ctx context.Context, path string, body any, table, there string) error {
	return insist(ctx, table+" that is "+there, func() bool { _, at := b.where(ctx, table); return at == there }, func() {
		b.customer.try(ctx, http.MethodPost, path, "", body, nil)
	})
}

const aMinuteAgo = "clock_now() - interval '1 minute'"

// falls makes what a row waits for due, and waits until it has happened. It is the only step without an actor.
func (b *buyer) falls(ctx context.Context, table, columns, happened string) error {
	return insist(ctx, "what is due in "+table, func() bool { return b.holds(ctx, happened) }, func() {
		_ = b.makesDue(ctx, table, columns, happened) // again, in a moment
	})
}

// makesDue changes the customer's rows of a table unless it has happened: whoever sees to what is due holds the rows,
// and they would be due once more if they changed afterwards.
func (b *buyer) makesDue(ctx context.Context, table, columns, happened string) error {
	tx, err := database.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // nothing after the commit
	if _, err := tx.Exec(ctx, "SELECT FROM "+table+" WHERE user_id = $1 FOR UPDATE", b.id); err != nil {
		return err
	}
	change := "UPDATE " + table + " SET " + columns + " WHERE user_id = $1 AND NOT EXISTS (" + happened + ")"
	if _, err := tx.Exec(ctx, change, b.id); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// isNow finds a row of a table that has a status.
func isNow(table, status string) string {
	return "SELECT FROM " + table + " WHERE user_id = $1 AND status = '" + status + "'"
}

// eventOf finds an event of the customer's cases.
func eventOf(caseKind, kind string) string {
	return "SELECT FROM matter_events WHERE user_id = $1 AND matter = '" + caseKind + "' AND kind = '" + kind + "'"
}

func (b *buyer) hasEvent(ctx context.Context, caseKind, kind string) bool {
	return b.holds(ctx, eventOf(caseKind, kind))
}

func (b *buyer) losesFactor(ctx context.Context) error {
	return b.asks(ctx, "/api/2fa/recovery", nil, "two_factor_recoveries", "asked")
}

func (b *buyer) keepsFactor(ctx context.Context) error {
	return b.asks(ctx, "/api/2fa/recovery/cancel", nil, "two_factor_recoveries", "cancelled")
}

// admits has an admin decide about the recovery until it stands where that leads.
func (b *buyer) admits(kind string, who *visitor, there string) func(context.Context) error {
	return func(ctx context.Context) error {
		return insist(ctx, "a recovery that is "+there, func() bool { _, at := b.where(ctx, "two_factor_recoveries"); return at == there }, func() {
			id, _ := b.where(ctx, "two_factor_recoveries")
			who.try(ctx, http.MethodPost, "/api/admin/recoveries/"+id+"/"+kind, "", reason("they showed their passport"), nil)
		})
	}
}

func (b *buyer) waitsOutDelay(ctx context.Context) error {
	return b.falls(ctx, "two_factor_recoveries", "ready_at = "+aMinuteAgo+", wake_at = "+aMinuteAgo,
		eventOf("two_factor", "recovery_ready"))
}

func (b *buyer) asksForData(ctx context.Context) error {
	return steps(ctx, func(ctx context.Context) error {
		return b.asks(ctx, "/api/account/data", nil, "data_exports", "unconfirmed")
	}, b.confirms("data_exports", "ready"))
}

// fetchesData downloads the copy: one download is recorded once.
func (b *buyer) fetchesData(ctx context.Context) error {
	return insist(ctx, "the copy", func() bool { return b.hasEvent(ctx, "data_export", "fetched") }, func() {
		id, _ := b.where(ctx, "data_exports")
		b.customer.try(ctx, http.MethodGet, "/api/account/data/"+id, "", nil, nil)
	})
}

func (b *buyer) letsDataExpire(ctx context.Context) error {
	return b.falls(ctx, "data_exports", "wake_at = "+aMinuteAgo, isNow("data_exports", "expired"))
}

func (b *buyer) asksToClose(ctx context.Context) error {
	return b.asks(ctx, "/api/account/closure", nil, "account_closures", "waiting")
}

func (b *buyer) keepsAccount(ctx context.Context) error {
	return b.asks(ctx, "/api/account/closure/cancel", nil, "account_closures", "cancelled")
}

func (b *buyer) isClosed(ctx context.Context) error {
	return b.falls(ctx, "account_closures", "wake_at = "+aMinuteAgo, isNow("account_closures", "closed"))
}

// messages counts what was written in the customer's tickets.
func (b *buyer) messages(ctx context.Context) (n int) {
	_ = database.QueryRow(ctx, "SELECT count(*) FROM ticket_messages m JOIN tickets t ON t.id = m.ticket_id WHERE t.user_id = $1", b.id).Scan(&n) // none yet
	return n
}

func (b *buyer) opensTicket(ctx context.Context) error {
	return insist(ctx, "a ticket", func() bool { return b.messages(ctx) == 1 }, func() {
		b.customer.try(ctx, http.MethodPost, "/api/support/tickets", "ticket-of-"+b.id, map[string]string{"subject": "general", "message": "Where is it?"}, nil)
	})
}

// answersTicket has staff do something with the ticket until it is in progress
// and holds so many messages.
func (b *buyer) answersTicket(action string, messages int) func(context.Context) error {
	return func(ctx context.Context) error {
		there := func() bool {
			_, at := b.where(ctx, "tickets")
			return at == "in_progress" && b.messages(ctx) == messages
		}
		return insist(ctx, "a ticket after "+action, there, func() {
			id, _ := b.where(ctx, "tickets")
			var body any
			if action == "reply" {
				body = map[string]string{"message": "On its way."}
			}
			b.staff.try(ctx, http.MethodPost, "/api/admin/support/tickets/"+id+"/"+action, "", body, nil)
		})
	}
}

// writesInTicket has the customer write until it holds so many messages.
func (b *buyer) writesInTicket(messages int) func(context.Context) error {
	return func(ctx context.Context) error {
		return insist(ctx, "the customer's message", func() bool { return b.messages(ctx) == messages }, func() {
			id, _ := b.where(ctx, "tickets")
			b.customer.try(ctx, http.MethodPost, "/api/support/tickets/"+id+"/messages", "", map[string]string{"message": "Thank you."}, nil)
		})
	}
}

func (b *buyer) closesTicket(ctx context.Context) error {
	return insist(ctx, "a closed ticket", func() bool { _, at := b.where(ctx, "tickets"); return at == "closed" }, func() {
		id, _ := b.where(ctx, "tickets")
		b.customer.try(ctx, http.MethodPost, "/api/support/tickets/"+id+"/close", "", nil, nil)
	})
}

// staysSilent lets the ticket close automatically.
func (b *buyer) staysSilent(ctx context.Context) error {
	return b.falls(ctx, "tickets", "closes_at = "+aMinuteAgo, isNow("tickets", "closed"))
}

// cardFalls lets a card's review end without a decision.
func (b *buyer) cardFalls(ctx context.Context) error {
	return b.falls(ctx, "gift_cards", "review_due_at = "+aMinuteAgo, isNow("gift_cards", "expired"))
}

// hasUntil lets the approval of the customer's documents end so far from now, until that is recorded.
func (b *buyer) hasUntil(end, kind string) func(context.Context) error {
	return func(ctx context.Context) error {
		return b.falls(ctx, "kyc_records", "expires_at = clock_now() + interval '"+end+"', wake_at = "+aMinuteAgo,
			eventOf("kyc", kind))
	}
}

// renews has the provider request documents again.
func (b *buyer) renews(ctx context.Context) error {
	err := insist(ctx, "a renewal", func() bool { return b.hasEvent(ctx, "kyc", "renewal_started") }, func() {
		b.customer.try(ctx, http.MethodPost, "/api/kyc/renew", "", nil, nil)
	})
	if err != nil {
		return err
	}
	return b.isAskedAgain(ctx)
}

// isAskedAgain waits until the provider has been reset.
func (b *buyer) isAskedAgain(ctx context.Context) error {
	return await(ctx, "the provider to ask again", func() bool {
		var wanted bool
		err := database.QueryRow(ctx, "SELECT reset_wanted_at IS NOT NULL FROM kyc_records WHERE user_id = $1", b.id).Scan(&wanted)
		return err == nil && !wanted
	})
}

func (b *buyer) wantsEnhanced(ctx context.Context) error {
	return insist(ctx, "an application for the higher level", func() bool { return b.hasEvent(ctx, "kyc", "enhanced_wanted") }, func() {
		b.customer.try(ctx, http.MethodPost, "/api/kyc/enhanced", "", nil, nil)
	})
}

// examines has an officer decide about the identity until that is recorded.
func (b *buyer) examines(kind, reported string) func(context.Context) error {
	return func(ctx context.Context) error {
		return insist(ctx, "an identity that is "+reported, func() bool { return b.hasEvent(ctx, "kyc", reported) }, func() {
			b.staff.try(ctx, http.MethodPost, "/api/admin/kyc/"+b.id+"/"+kind, "", reason("the picture differs"), nil)
		})
	}
}
