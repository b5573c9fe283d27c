package treasury

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// A move is proposed by one person and approved by another, or proposed by the
// system and approved by one person (docs/decisions/0018-treasury.md). Each
// decision is a change of the row with its audit entry; the workflow that then
// sends the coin reads the row.

// moveDecimals is how fine the exchange pays coin out.
const moveDecimals = 8

// NewMove is a move about to be proposed. The caller has checked that the actor's
// role allows it.
type NewMove struct {
	Wallet    Wallet
	Amount    money.Units
	Reason    string
	ActorID   string
	ActorRole string
	RequestID string
}

// ProposeMove records what a second person has to approve. Nothing moves.
func ProposeMove(ctx context.Context, db *store.DB, in NewMove, thresholds Thresholds) (*Move, error) {
	in.Reason = strings.TrimSpace(in.Reason)
	limits, err := inForce(ctx, db, thresholds)
	if err != nil {
		return nil, err
	}
	if err := in.check(limits); err != nil {
		return nil, err
	}
	m := &Move{ID: store.NewID(), Asset: in.Wallet.Asset, Network: in.Wallet.Network, Amount: in.Amount, Status: MoveProposed, Reason: in.Reason, Generation: 1, ProposedBy: &in.ActorID}
	err = db.Tx(ctx, func(tx *store.DB) error {
		err := exchangeHas(ctx, tx, m)
		if store.ReasonOf(err) == "exchange_short" {
			return store.Invalid("amount", "exchange_short", err.Error())
		}
		if err != nil {
			return err
		}
		if err := propose(ctx, tx, m); err != nil {
			return err
		}
		return audit.Audit(ctx, tx, audit.AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole, Action: KindMove + ".propose", ObjectKind: KindMove, ObjectID: m.ID,
			After: m.audited(), Reason: m.Reason, RequestID: in.RequestID})
	})
	return m, err
}

func (in *NewMove) check(limits TreasuryLimits) error {
	if in.Reason == "" {
		return store.Invalid("reason", "required", "Enter a reason")
	}
	if _, filled := limits[in.Wallet]; !filled {
		return store.Invalid("wallet", "no_route", "This wallet isn't filled from the exchange")
	}
	if in.Amount.Sign() <= 0 {
		return store.Invalid("amount", "not_positive", "Enter an amount above zero")
	}
	asset := in.Wallet.Asset
	if !asset.Decimal(in.Amount).Equal(asset.Decimal(in.Amount).Truncate(moveDecimals)) {
		return store.Invalid("amount", "too_fine", fmt.Sprintf("Enter at most %d decimals", moveDecimals))
	}
	return nil
}

// exchangeHas refuses more than the books say is at the exchange, under the lock of everything that sends coin from
// there.
func exchangeHas(ctx context.Context, db *store.DB, m *Move) error {
	if err := db.LockKey(ctx, ledger.AccountExchange+":"+string(m.Asset)); err != nil {
		return fmt.Errorf("lock the exchange's account: %w", err)
	}
	have, err := ledger.AccountBalance(ctx, db, ledger.AccountExchange, m.Asset)
	if err != nil {
		return err
	}
	if have.Cmp(m.Amount) < 0 {
		return store.Conflict("exchange_short", fmt.Sprintf("The exchange holds %s %s", m.Asset.Format(have), m.Asset))
	}
	return nil
}

func propose(ctx context.Context, db *store.DB, m *Move) error {
	now, err := db.Now(ctx)
	if err != nil {
		return err
	}
	m.CreatedAt, m.UpdatedAt = now, now
	if err := insertMove(ctx, db, m); err != nil {
		return err
	}
	c := &MoveChange{Move: m, Now: now, ctx: ctx, tx: db}
	return c.event("proposed", m.ProposedBy, m.audited())
}

// audited is what the audit log and the timeline say of a move.
func (m *Move) audited() map[string]any {
	return map[string]any{"amount": m.Asset.Format(m.Amount), "asset": m.Asset, "network": m.Network}
}

// Decisions that staff make about a move.
const (
	MoveApprove  = "approve"
	MoveReject   = "reject"
	MoveWithdraw = "withdraw"
	MoveAdopt    = "adopt"   // of unknown outcome: it is that withdrawal
	MoveResend   = "resend"  // it did not happen: send it again
	MoveGiveUp   = "give_up" // it did not happen, and is withdrawn
	MoveAccept   = "accept"  // of an amount that differs: it is as it is
	MoveRecheck  = "recheck" // of an amount that differs: read both places again
)

// MoveDecisions are the decisions that a person can make about a move.
func MoveDecisions(m *Move, actorID string) []string {
	own := store.Text(m.ProposedBy) == actorID
	switch {
	case m.Status == MoveProposed && own:
		return []string{MoveWithdraw}
	case m.Status == MoveProposed:
		return []string{MoveApprove, MoveReject}
	case m.Status == MoveUnknown && !own:
		return []string{MoveAdopt, MoveResend, MoveGiveUp}
	case m.Status == MoveDiffers && !own:
		return []string{MoveAccept, MoveRecheck}
	}
	return []string{}
}

// MoveDecision is a decision about a move. The caller has checked that the actor's role allows it.
type MoveDecision struct {
	ID, Kind                      string
	ActorID, ActorRole, RequestID string
	Reason                        string
	Reference                     string // of the withdrawal that is adopted
	Seen                          string // the version that is approved
}

// DecideMove executes a decision: status, timeline and audit in one transaction. A move decided meanwhile is refused
// with its decider's name.
func DecideMove(ctx context.Context, db *store.DB, in MoveDecision) (*Move, error) {
	in.Reason, in.Reference = strings.TrimSpace(in.Reason), strings.TrimSpace(in.Reference)
	var move *Move
	err := ChangeMove(ctx, db, in.ID, func(c *MoveChange) error {
		move = c.Move
		if err := c.mayDecide(in); err != nil {
			return err
		}
		if in.Kind == MoveApprove {
			if err := casework.CheckApproval(c.ctx, c.tx, KindApproval, in.ID, in.Seen); err != nil {
				return err
			}
		}
		before := map[string]any{"status": c.Move.Status}
		if err := c.decide(in); err != nil {
			return err
		}
		after := c.Move.audited()
		after["status"] = c.Move.Status
		if in.Kind == MoveAdopt {
			after["withdrawal"] = in.Reference
		}
		return audit.Audit(c.ctx, c.tx, audit.AuditEntry{ActorID: in.ActorID, ActorRole: in.ActorRole, Action: KindMove + "." + in.Kind, ObjectKind: KindMove, ObjectID: c.Move.ID,
			Before: before, After: after, Reason: in.Reason, RequestID: in.RequestID})
	})
	return move, err
}

// mayDecide refuses an actor who must not decide, and decisions that the move does not wait for.
func (c *MoveChange) mayDecide(in MoveDecision) error {
	own := store.Text(c.Move.ProposedBy) == in.ActorID
	if !own {
		refusal := store.Forbidden("own_proposal", "A second person must decide this")
		if err := people.Another(c.ctx, c.tx, in.ActorID, refusal, store.Text(c.Move.ProposedBy)); err != nil {
			return err
		}
	}
	waits := map[string]MoveStatus{MoveApprove: MoveProposed, MoveReject: MoveProposed, MoveWithdraw: MoveProposed,
		MoveAdopt: MoveUnknown, MoveResend: MoveUnknown, MoveGiveUp: MoveUnknown, MoveAccept: MoveDiffers, MoveRecheck: MoveDiffers}[in.Kind]
	switch {
	case c.Move.Status != waits:
		return c.decided()
	case own && in.Kind != MoveWithdraw:
		return store.Forbidden("own_proposal", "A second person must decide this")
	case !own && in.Kind == MoveWithdraw:
		return store.Forbidden("not_yours", "Only the person who proposed this can withdraw it")
	case in.Reason == "" && in.Kind != MoveApprove:
		return store.Invalid("reason", "required", "Enter a reason")
	case in.Reference == "" && in.Kind == MoveAdopt:
		return store.Invalid("reference", "required", "Enter the exchange's reference of the withdrawal")
	}
	return nil
}

// decided returns the state of the move since the actor read it.
func (c *MoveChange) decided() error {
	who := "The system"
	if c.Move.DecidedBy != nil {
		if err := c.tx.ORM(c.ctx).Raw("SELECT email FROM users WHERE id = ?", *c.Move.DecidedBy).Row().Scan(&who); err != nil {
			return fmt.Errorf("read who decided: %w", err)
		}
	}
	switch c.Move.Status {
	case MoveProposed:
		return store.Conflict("move_state", "The move needs approval")
	case MoveRejected, MoveWithdrawn:
		return store.Conflict("move_decided", fmt.Sprintf("%s has already %s this", who, c.Move.Status))
	}
	return store.Conflict("move_decided", fmt.Sprintf("%s has already approved this: it is %s", who, c.Move.Status))
}

func (c *MoveChange) decide(in MoveDecision) error {
	switch in.Kind {
	case MoveAccept:
		said := map[string]any{"reason": in.Reason, "amount": c.Move.Asset.Format(*c.Move.Differing)}
		if err := c.event("accepted", &in.ActorID, said); err != nil {
			return err
		}
		return c.accept()
	case MoveRecheck:
		if err := c.recheck(); err != nil {
			return err
		}
		return c.event("recheck", &in.ActorID, map[string]any{"reason": in.Reason})
	}
	m, kind := c.Move, map[string]string{MoveApprove: "approved", MoveReject: "rejected", MoveWithdraw: "withdrawn", MoveAdopt: "adopted", MoveResend: "resend", MoveGiveUp: "failed"}[in.Kind]
	to := map[string]MoveStatus{MoveApprove: MoveApproved, MoveReject: MoveRejected, MoveWithdraw: MoveWithdrawn, MoveAdopt: MoveSent, MoveResend: MoveSending, MoveGiveUp: MoveFailed}[in.Kind]
	if err := c.become(to); err != nil {
		return err
	}
	switch in.Kind {
	case MoveApprove:
		if err := exchangeHas(c.ctx, c.tx, m); err != nil {
			return err
		}
		m.DecidedBy, m.DecidedAt = &in.ActorID, &c.Now
	case MoveReject, MoveWithdraw:
		m.DecidedBy, m.DecidedAt, m.Answer = &in.ActorID, &c.Now, in.Reason
	case MoveAdopt:
		m.ExchangeRef, m.AdoptedAt, m.Problem, m.WakeAt = &in.Reference, &c.Now, nil, nil
	case MoveResend:
		m.Generation, m.SendStartedAt, m.Problem, m.WakeAt = m.Generation+1, nil, nil, nil
	case MoveGiveUp:
		m.Problem = &in.Kind
		if err := c.book("treasury_move_back", "back", MoveBackPostings(m)...); err != nil {
			return err
		}
	}
	return c.event(kind, &in.ActorID, map[string]any{"reason": in.Reason, "reference": in.Reference})
}

// ProposeLowMoves has the system propose a move to every wallet that is low and has none in progress, and withdraw
// what it proposed for one that is not low any more. After a rejection it waits a while before the next proposal.
func ProposeLowMoves(ctx context.Context, db *store.DB, limits Thresholds, again time.Duration) error {
	coverage, err := TreasuryCoverage(ctx, db, limits)
	if err != nil {
		return err
	}
	for i := range coverage {
		cover := &coverage[i]
		switch {
		case cover.Open == nil && cover.Low() && cover.Suggested.Sign() > 0:
			err = proposeLow(ctx, db, cover, again)
		case cover.Open != nil && cover.Open.Status == MoveProposed && cover.Open.ProposedBy == nil && !cover.Low():
			err = withdrawOwn(ctx, db, cover.Open.ID)
		}
		if err != nil && store.CodeOf(err) == "" { // another process was first: the result is the same
			return err
		}
	}
	return nil
}

func proposeLow(ctx context.Context, db *store.DB, cover *Coverage, again time.Duration) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		var refused bool
		err := tx.ORM(ctx).Raw(`SELECT EXISTS (SELECT FROM treasury_moves WHERE asset = ? AND network = ? AND status IN ('rejected', 'failed')
			AND created_at > clock_now() - interval '90 days' AND closed_at > clock_now() - CAST(? AS interval))`, cover.Asset, cover.Network, store.Seconds(again)).Row().Scan(&refused)
		if err != nil || refused {
			return err
		}
		return propose(ctx, tx, &Move{ID: store.NewID(), Asset: cover.Asset, Network: cover.Network, Amount: cover.Suggested, Status: MoveProposed, Generation: 1,
			Reason: fmt.Sprintf("The wallet is below %s %s, less what is paid for and not sent yet", cover.Asset.Format(cover.Threshold.Low), cover.Asset)})
	})
}

func withdrawOwn(ctx context.Context, db *store.DB, id string) error {
	return ChangeMove(ctx, db, id, func(c *MoveChange) error {
		if err := c.become(MoveWithdrawn); err != nil {
			return err
		}
		c.Move.DecidedAt, c.Move.Answer = &c.Now, "The wallet is no longer low"
		return c.event("withdrawn", nil, nil)
	})
}
