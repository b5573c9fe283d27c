package account

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// KindTwoFactor is the security of an account: what happened to its second factor and sessions (its id is the
// person's then), and the recovery of a lost factor (its id is the recovery's).
const KindTwoFactor casework.Kind = "two_factor"

// Lifters are those who can lift a second factor off an account: two of them
// together.
var Lifters = []string{"admin"}

var _ = casework.ListCases(&casework.CaseRules{Matter: KindTwoFactor, Label: "the security of your account", Page: "/settings/security", StaffPage: "/admin/security",
	Table: "two_factor_recoveries",
	Events: []string{"signed_in_new_device", emailChanged, "enabled", "disabled", "codes_renewed", "locked",
		"recovery_asked", "recovery_vouched", "recovery_ready", "recovery_cancelled", "recovery_refused", "recovery_expired", "recovered"},
	Mailings: []casework.Mailing{
		{Event: "signed_in_new_device", Kind: "sign_in_new_device"},
		{Event: emailChanged, Kind: emailChanged},
		{Event: "enabled", Kind: "two_factor_enabled"},
		{Event: "disabled", Kind: "two_factor_disabled"},
		{Event: "codes_renewed", Kind: "backup_codes_renewed"},
		{Event: "locked", Kind: "two_factor_locked"},
		{Event: "recovery_asked", Kind: "two_factor_recovery_asked"},
		{Event: "recovery_asked", Kind: "two_factor_recovery_waiting", Roles: Lifters},
		{Event: "recovery_ready", Kind: "two_factor_recovery_ready", Roles: Lifters},
		{Event: "recovery_cancelled", Kind: "two_factor_recovery_cancelled"},
		{Event: "recovery_refused", Kind: "two_factor_recovery_refused"},
		{Event: "recovered", Kind: "two_factor_recovered"},
	}})

// accountSecurity is the case of a person's own sign-in.
func accountSecurity(userID, status string) casework.About {
	return casework.About{Matter: KindTwoFactor, ID: userID, UserID: userID, Status: status}
}

// The states of a recovery. A requested recovery is vouched for by one admin and approved by another, once its delay
// is over.
const (
	RecoveryAsked     = "asked"
	RecoveryVouched   = "vouched"
	RecoveryDone      = "recovered"
	RecoveryCancelled = "cancelled"
	RecoveryRefused   = "refused"
	RecoveryExpired   = "expired"
)

// What people decide about a recovery.
const (
	RecoveryVouch   = "vouch"   // an admin has identified the person
	RecoveryApprove = "approve" // another admin lifts the factor
	RecoveryRefuse  = "refuse"
	RecoveryCancel  = "cancel" // the account's owner stops it
)

// RecoveryDecisions lists them.
var RecoveryDecisions = []string{RecoveryVouch, RecoveryApprove, RecoveryRefuse, RecoveryCancel}

// recoveryLife is how long a recovery can be approved after its delay.
const recoveryLife = 14 * 24 * time.Hour

// TwoFactorRecovery is a request to remove a lost second factor from an account.
type TwoFactorRecovery struct {
	ID                string `gorm:"primaryKey"`
	Reference         string
	UserID            string
	Status            string
	ReadyAt           time.Time
	ExpiresAt         time.Time
	VouchedBy         *string
	VouchedAt         *time.Time
	ApprovedBy        *string
	WorkflowStartedAt *time.Time
	SweptAt           *time.Time
	WakeAt            *time.Time
	CreatedAt         time.Time `gorm:"autoCreateTime:false"`
	UpdatedAt         time.Time `gorm:"autoUpdateTime:false"`
	ClosedAt          *time.Time
}

// RecoveryAwaits lists what can be decided about a recovery in a state.
func RecoveryAwaits(status string) []string {
	switch status {
	case RecoveryAsked:
		return []string{RecoveryVouch, RecoveryRefuse, RecoveryCancel}
	case RecoveryVouched:
		return []string{RecoveryApprove, RecoveryRefuse, RecoveryCancel}
	}
	return nil
}

// recoveryChange is one transaction on one recovery.
type recoveryChange struct {
	*TwoFactorRecovery
	Now time.Time

	ctx context.Context
	tx  *store.DB
}

func (c *recoveryChange) about() casework.About {
	return casework.About{Matter: KindTwoFactor, ID: c.ID, UserID: c.UserID, Reference: c.Reference, Status: c.Status}
}

// changeRecovery locks a recovery and runs fn on it; it is the only way one
// changes.
func changeRecovery(ctx context.Context, db *store.DB, id string, fn func(c *recoveryChange) error) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		recovery, now, err := store.LockedRow[TwoFactorRecovery](ctx, tx, "two_factor_recoveries", id, "Recovery")
		if err != nil {
			return err
		}
		c := &recoveryChange{TwoFactorRecovery: recovery, Now: now, ctx: ctx, tx: tx}
		if err := fn(c); err != nil {
			return err
		}
		return c.store()
	})
}

func (c *recoveryChange) store() error {
	c.UpdatedAt = c.Now
	if err := c.tx.ORM(c.ctx).Model(&TwoFactorRecovery{}).Where("id = ?", c.ID).Select("*").Omit("id", "created_at").Updates(c.TwoFactorRecovery).Error; err != nil {
		return fmt.Errorf("store recovery: %w", err)
	}
	return nil
}

// lockRecovery locks a person's recovery that is in progress, or none. It comes before their factor's lock, as it
// does where the factor is lifted.
func lockRecovery(ctx context.Context, db *store.DB, userID string) (*TwoFactorRecovery, error) {
	var rows []TwoFactorRecovery
	err := db.ORM(ctx).Raw("SELECT * FROM two_factor_recoveries WHERE user_id = ? AND closed_at IS NULL FOR UPDATE", userID).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("lock recovery: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

// endRecovery ends the recovery of a factor that was used, or is removed: a later approval would lift another one.
func (f *lockedFactor) endRecovery() error {
	if f.recovery == nil {
		return nil
	}
	c := &recoveryChange{TwoFactorRecovery: f.recovery, Now: f.DBNow, ctx: f.ctx, tx: f.tx}
	open, err := casework.CaseDecisions.Of(KindTwoFactor).Open(f.ctx, f.tx, c.ID)
	if err == nil && open != nil {
		err = casework.CaseDecisions.Resolve(f.ctx, f.tx, open.ID, "recovery_state")
	}
	if err != nil {
		return err
	}
	f.recovery = nil
	if err := c.close(RecoveryCancelled, "recovery_cancelled", casework.ByCustomer); err != nil {
		return err
	}
	return c.store()
}

// AskTwoFactorRecovery records that a person has lost their second factor, and notifies them: the account's owner can
// stop it during the whole delay. A repeated request returns the open one.
func AskTwoFactorRecovery(ctx context.Context, db *store.DB, userID string, delay time.Duration) (recovery *TwoFactorRecovery, err error) {
	err = db.Tx(ctx, func(tx *store.DB) error {
		f, err := lockFactor(ctx, tx, userID)
		if err != nil {
			return err
		}
		if f.EnabledAt == nil {
			return store.Conflict("two_factor_not_enabled", "Two-factor authentication is not enabled")
		}
		if recovery, err = OpenRecovery(ctx, tx, userID); err != nil || recovery != nil {
			return err
		}
		ready := f.DBNow.Add(delay)
		recovery = &TwoFactorRecovery{ID: store.NewID(), Reference: store.Reference("2F-"), UserID: userID, Status: RecoveryAsked, ReadyAt: ready,
			ExpiresAt: ready.Add(recoveryLife), WakeAt: &ready, CreatedAt: f.DBNow, UpdatedAt: f.DBNow}
		if err := tx.ORM(ctx).Create(recovery).Error; err != nil {
			return fmt.Errorf("store recovery: %w", err)
		}
		c := &recoveryChange{TwoFactorRecovery: recovery, Now: f.DBNow, ctx: ctx, tx: tx}
		return c.appendEvent("recovery_asked", casework.ByCustomer)
	})
	return recovery, err
}

// appendEvent appends to the recovery's timeline; each of its events occurs once.
func (c *recoveryChange) appendEvent(kind string, by casework.Actor) error {
	return casework.Append(c.ctx, c.tx, c.about(), casework.Event{Kind: kind, Actor: by, Dedupe: kind, Data: map[string]any{"ready": c.ReadyAt.UTC().Format(time.RFC3339)}})
}

// OpenRecovery reads a person's recovery that is in progress, or nil.
func OpenRecovery(ctx context.Context, db *store.DB, userID string) (*TwoFactorRecovery, error) {
	var recovery TwoFactorRecovery
	err := db.ORM(ctx).Where("user_id = ? AND closed_at IS NULL", userID).Take(&recovery).Error
	if store.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read recovery: %w", err)
	}
	return &recovery, nil
}

// OpenRecoveryDecision writes a decision about a recovery. The caller has
// checked that the actor's role allows it.
func OpenRecoveryDecision(ctx context.Context, db *store.DB, id string, in casework.NewCaseDecision) (decision *casework.CaseDecision, err error) {
	if !in.Own && strings.TrimSpace(in.Reason) == "" {
		return nil, store.Invalid("reason", "required", "Enter how you checked the identity, or why you couldn't")
	}
	err = changeRecovery(ctx, db, id, func(c *recoveryChange) error {
		if in.Own && c.UserID != in.ActorID {
			return store.NotFound("Recovery")
		}
		if err := c.may(in.Kind, in.ActorID); err != nil {
			return err
		}
		if in.Kind == RecoveryApprove {
			if err := casework.CheckApproval(ctx, c.tx, KindRecovery, id, in.Seen); err != nil {
				return err
			}
		}
		decision, err = casework.StoreCaseDecision(ctx, c.tx, c.about(), in)
		return err
	})
	return decision, err
}

// may refuses a decision the recovery does not wait for, and one by the wrong
// person or before its time.
func (c *recoveryChange) may(kind, actorID string) error {
	switch {
	case !slices.Contains(RecoveryAwaits(c.Status), kind):
		return store.Conflict("recovery_state", "The request doesn't allow this: it is "+c.Status)
	case kind == RecoveryApprove && c.Now.Before(c.ReadyAt):
		return store.Conflict("too_early", "You can't approve this until the waiting period is over.")
	case kind == RecoveryApprove && c.VouchedBy != nil:
		return people.Another(c.ctx, c.tx, actorID, store.Forbidden("second_person", "You confirmed the identity, so another admin must approve this."), *c.VouchedBy)
	}
	return nil
}

// RecoveryState is a recovery as its workflow reads it.
type RecoveryState struct {
	Reference string        `json:"reference"`
	Status    string        `json:"status"`
	Closed    bool          `json:"closed,omitempty"`
	Wake      time.Duration `json:"wake,omitempty"` // until something is due
}

// ReadRecoveryState reads the state of a recovery.
func ReadRecoveryState(ctx context.Context, db *store.DB, id string) (RecoveryState, error) {
	var row struct {
		Reference, Status string
		Closed            bool
		Seconds           float64
	}
	result := db.ORM(ctx).Raw(`SELECT reference, status, closed_at IS NOT NULL AS closed,
		coalesce(extract(epoch FROM wake_at - clock_now()), 0) AS seconds FROM two_factor_recoveries WHERE id = ?`, id).Scan(&row)
	if result.Error != nil {
		return RecoveryState{}, fmt.Errorf("read recovery: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return RecoveryState{}, store.NotFound("Recovery")
	}
	next := max(time.Duration(row.Seconds*float64(time.Second)), time.Second)
	return RecoveryState{Reference: row.Reference, Status: row.Status, Closed: row.Closed, Wake: next}, nil
}

// DecideRecovery executes a decision. Lifting the factor ends every session of the account, in the same transaction.
func DecideRecovery(ctx context.Context, db *store.DB, id, decisionID string) error {
	return changeRecovery(ctx, db, id, func(c *recoveryChange) error {
		decision, err := casework.CaseDecisions.Of(KindTwoFactor).Current(ctx, c.tx, id, decisionID, RecoveryDecisions...)
		if err != nil {
			return err
		}
		if err := c.may(decision.Kind, decision.ActorID); err != nil {
			return err
		}
		if err := c.execute(decision); err != nil {
			return err
		}
		return casework.CaseDecisions.Resolve(ctx, c.tx, decision.ID, casework.DecisionDone)
	})
}

func (c *recoveryChange) execute(decision *casework.CaseDecision) error {
	switch decision.Kind {
	case RecoveryVouch:
		c.Status, c.VouchedBy, c.VouchedAt = RecoveryVouched, &decision.ActorID, &c.Now
		return c.appendEvent("recovery_vouched", casework.ByStaff)
	case RecoveryApprove:
		c.ApprovedBy = &decision.ActorID
		if err := c.lift(); err != nil {
			return err
		}
		return c.close(RecoveryDone, "recovered", casework.ByStaff)
	case RecoveryRefuse:
		return c.close(RecoveryRefused, "recovery_refused", casework.ByStaff)
	default:
		return c.close(RecoveryCancelled, "recovery_cancelled", casework.ByCustomer)
	}
}

// lift removes the factor from the account and ends every session.
func (c *recoveryChange) lift() error {
	f, err := lockFactor(c.ctx, c.tx, c.UserID)
	if err != nil {
		return err
	}
	if err := f.remove(); err != nil {
		return err
	}
	f.Failures, f.Lockouts, f.LockedUntil = 0, 0, nil
	if err := f.store(); err != nil {
		return err
	}
	_, err = EndSessions(c.ctx, c.tx, c.UserID)
	return err
}

func (c *recoveryChange) close(status, kind string, by casework.Actor) error {
	c.Status, c.ClosedAt, c.WakeAt = status, &c.Now, nil
	return c.appendEvent(kind, by)
}

// LateRecovery does what is due: admins are notified that the delay is over, and a recovery that no admin approved in
// time ends. It does nothing before its time, or while a decision is being executed.
func LateRecovery(ctx context.Context, db *store.DB, id string) error {
	return changeRecovery(ctx, db, id, func(c *recoveryChange) error {
		open, err := casework.CaseDecisions.Of(KindTwoFactor).Open(ctx, c.tx, id)
		if err != nil || open != nil || c.ClosedAt != nil || c.Now.Before(c.ReadyAt) {
			return err
		}
		if !c.Now.Before(c.ExpiresAt) {
			return c.close(RecoveryExpired, "recovery_expired", casework.BySystem)
		}
		c.WakeAt = &c.ExpiresAt
		return c.appendEvent("recovery_ready", casework.BySystem)
	})
}

// RecoveryRow is a recovery as admins see it.
type RecoveryRow struct {
	TwoFactorRecovery `gorm:"embedded"`
	Email             string
	FirstName         string
	LastName          string
	VoucherEmail      *string
	VouchReason       *string // how the first admin checked who asks
	DecisionKind      *string // of a decision that is being executed
	Now               time.Time
}

// ActionableRecovery is the condition of a recovery that waits for an admin: its
// delay has to be over before what was vouched for can be approved.
const ActionableRecovery = "closed_at IS NULL AND (status = 'asked' OR status = 'vouched' AND ready_at <= clock_now())"

// CountActionableRecoveries counts the requests to lift a second factor that can be decided.
func CountActionableRecoveries(ctx context.Context, db *store.DB) (n int, err error) {
	if err := db.ORM(ctx).Raw("SELECT count(*) FROM two_factor_recoveries WHERE " + ActionableRecovery).Row().Scan(&n); err != nil {
		return 0, fmt.Errorf("count recoveries: %w", err)
	}
	return n, nil
}

// Recoveries lists recoveries for admins: the open ones, oldest first, then the
// last that have ended.
func Recoveries(ctx context.Context, db *store.DB) ([]RecoveryRow, error) {
	var rows []RecoveryRow
	err := db.ORM(ctx).Raw(`
		SELECT r.*, u.email, u.first_name, u.last_name, v.email AS voucher_email, d.kind AS decision_kind, clock_now() AS now,
		       (SELECT reason FROM matter_decisions h WHERE h.matter_id = r.id AND h.matter = ? AND h.kind = ? AND h.actor_id = r.vouched_by
		         ORDER BY h.created_at DESC LIMIT 1) AS vouch_reason
		  FROM ((SELECT * FROM two_factor_recoveries WHERE closed_at IS NULL ORDER BY created_at LIMIT 100)
		        UNION ALL (SELECT * FROM two_factor_recoveries WHERE closed_at IS NOT NULL ORDER BY created_at DESC LIMIT 20)) r
		  JOIN users u ON u.id = r.user_id LEFT JOIN users v ON v.id = r.vouched_by
		  LEFT JOIN matter_decisions d ON d.matter_id = r.id AND d.matter = ? AND d.settled_at IS NULL
		 ORDER BY r.closed_at IS NOT NULL, CASE WHEN r.closed_at IS NULL THEN r.created_at END, r.created_at DESC`, KindTwoFactor, RecoveryVouch, KindTwoFactor).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read recoveries: %w", err)
	}
	return rows, nil
}

// WithdrawVouches withdraws the vouches of a member of staff for people who lost their second factor, and gives the
// recoveries.
func WithdrawVouches(ctx context.Context, tx *store.DB, by string) ([]string, error) {
	return tx.Changed(ctx, `UPDATE two_factor_recoveries SET status = 'asked', vouched_by = NULL, vouched_at = NULL, updated_at = clock_now() WHERE vouched_by = ? AND status = 'vouched' RETURNING id`, by)
}
