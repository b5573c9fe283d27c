package dualcontrol

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// Action is what lets value leave, or leads to it.
type Action string

// The actions that release value.
const (
	Fulfill        Action = "fulfill"
	Retry          Action = "retry"
	AmendAddress   Action = "amend_address"
	MarkSent       Action = "mark_sent"
	ReleaseReview  Action = "release_review"
	ApprovePayout  Action = "approve_payout"
	ResumeVoucher  Action = "resume_voucher"
	ApproveVoucher Action = "approve_voucher"
	VoidVoucher    Action = "void_voucher"
	RefundOrder    Action = "refund"
	BookBreak      Action = "book_break"
	MoveMoney      Action = "move_money"
	ConfirmReceipt Action = "confirm_receipt"
	ValueCard      Action = "value_card"
	PayBack        Action = "pay_back"
)

// ErrOwnReceipt rejects a decision on coin by a person who attested the order's money.
var ErrOwnReceipt = store.Forbidden("own_receipt", "You confirmed this payment, so someone else must release the crypto.")

// ErrOwnCredit rejects a release of a balance by a person who credited it alone.
var ErrOwnCredit = store.Forbidden("own_credit", "You credited this customer's balance alone, so someone else must release it.")

// ErrOwnIdentity rejects a release of value to a customer by a person who approved the customer's identity alone.
var ErrOwnIdentity = store.Forbidden("own_identity", "You approved this customer's identity alone, so someone else must release value to them first.")

// errFrozen rejects a release that a frozen person decided or began: they have no role meanwhile.
var errFrozen = store.Conflict("proposer_frozen", "The person who decided this is frozen, so someone else must decide it")

// rule is what CheckRelease asks of an action.
type rule struct {
	receipt  bool // whoever attested money of the order is barred
	credit   bool // whoever credited the balance alone is barred, where the value leaves through it
	identity bool // whoever approved the identity alone is barred
	own      error
	second   error
}

var secondPerson = store.Forbidden("second_person", "A second person must approve this")

// rules are the actions with what bars a person from them.
var rules = map[Action]rule{
	Fulfill:        {receipt: true, credit: true, identity: true},
	Retry:          {receipt: true, credit: true, identity: true},
	AmendAddress:   {receipt: true, credit: true, identity: true},
	MarkSent:       {receipt: true, credit: true, identity: true},
	ReleaseReview:  {receipt: true, credit: true, identity: true, second: store.Forbidden("second_person", "A second person must release this")},
	ApprovePayout:  {credit: true, identity: true, second: store.Forbidden("second_person", "A second person must approve this payout")},
	ResumeVoucher:  {identity: true},
	ApproveVoucher: {second: store.Forbidden("own_voucher", "Another admin must approve these vouchers")},
	VoidVoucher:    {second: store.Forbidden("own_batch", "Another admin must agree")},
	RefundOrder:    {own: store.Forbidden("own_order", "You can't decide on your own order")},
	BookBreak:      {second: store.Forbidden("own_proposal", "Another person must approve your proposal")},
	MoveMoney:      {second: store.Forbidden("own_proposal", "Another person must approve your proposal")},
	ConfirmReceipt: {own: store.Forbidden("own_order", "You can't decide on your own order"), second: store.Forbidden("own_proposal", "A second person must approve this")},
	ValueCard:      {own: store.Forbidden("own_card", "You can't decide on your own gift card"), second: store.Forbidden("second_person", "A second person must approve this gift card")},
	PayBack:        {credit: true, identity: true, own: store.Forbidden("own_account", "You can't decide on your own money"), second: secondPerson},
}

// Release is value that is about to leave.
type Release struct {
	Action   Action
	Actors   []string // everyone who decides it: the proposer and the approver
	First    string   // who agreed before; the actors must be other people. Empty: nobody
	Customer string   // whose value it is; empty: no customer's
	Subject  Ref
	// Balance is set where the value leaves through the customer's balance: a payout, or an order that the balance pays.
	// Spent is when it was taken from the balance: later credits are not part of it.
	Balance bool
	Spent   time.Time
	// Executes is set where the release is executed now. It seconds the customer's identity for whoever approved it alone.
	Executes bool
}

// CheckRelease returns an error if one of the actors must not release this value: ErrOwnReceipt, ErrOwnCredit,
// ErrOwnIdentity, or the action's error for a customer's or a first person's own decision, or a conflict if one of them is
// frozen. Accounts that reach one mailbox are one person. The caller holds the lock of the subject.
func CheckRelease(ctx context.Context, tx *store.DB, r Release) error {
	known, is := rules[r.Action]
	if !is {
		return fmt.Errorf("%q is not an action that releases value: list it", r.Action)
	}
	if known.own != nil && r.Customer != "" {
		if err := noneIs(ctx, tx, r.Actors, known.own, r.Customer); err != nil {
			return err
		}
	}
	if known.second != nil && r.First != "" {
		if err := noneIs(ctx, tx, r.Actors, known.second, r.First); err != nil {
			return err
		}
	}
	if err := CheckNotFrozen(ctx, tx, append(slices.Clone(r.Actors), r.First)...); err != nil {
		return err
	}
	bars, err := barring(ctx, tx, []Release{r})
	if err != nil {
		return err
	}
	for _, b := range bars {
		if err := noneIs(ctx, tx, r.Actors, b.refusal(), b.By); err != nil {
			return err
		}
	}
	if r.Executes && slices.ContainsFunc(bars, bar.ofIdentity) {
		return secondIdentity(ctx, tx, r)
	}
	return nil
}

// CheckNotFrozen returns an error if one of the people is frozen. Empty ids are the platform's own.
func CheckNotFrozen(ctx context.Context, tx *store.DB, ids ...string) error {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == "" })
	var frozen bool
	err := tx.Row(ctx, "SELECT EXISTS (SELECT FROM users WHERE id = ANY($1::uuid[]) AND frozen_at IS NOT NULL)", ids).Scan(&frozen)
	if err != nil {
		return fmt.Errorf("read who is frozen: %w", err)
	}
	if frozen {
		return errFrozen
	}
	return nil
}

func noneIs(ctx context.Context, db *store.DB, actors []string, refusal error, others ...string) error {
	for _, actor := range actors {
		if actor == "" {
			continue // the platform itself
		}
		if err := people.Another(ctx, db, actor, refusal, others...); err != nil {
			return err
		}
	}
	return nil
}

// secondIdentity notes that another person has released value to a customer: their identity rests on one person's
// statement no longer.
func secondIdentity(ctx context.Context, tx *store.DB, r Release) error {
	err := tx.Exec(ctx, `UPDATE attestations SET second_by = $1, second_at = clock_now()
		WHERE customer_id = $2 AND kind = $3 AND by_id <> $1 AND second_by IS NULL AND withdrawn_at IS NULL`, r.Actors[len(r.Actors)-1], r.Customer, string(Identity))
	if err != nil {
		return fmt.Errorf("second identity: %w", err)
	}
	return nil
}

// bar is an attestation that bars the person who made it from one of several releases.
type bar struct {
	N    int // of the release
	Kind Kind
	By   string
	Own  bool // of the release's own subject
}

func (b bar) ofIdentity() bool { return b.Kind == Identity }

func (b bar) refusal() error {
	switch {
	case b.Kind == Identity:
		return ErrOwnIdentity
	case b.Own:
		return ErrOwnReceipt
	}
	return ErrOwnCredit
}

// barring reads the attestations that bar people from releases: one query per rule that applies to any of them.
func barring(ctx context.Context, db *store.DB, releases []Release) ([]bar, error) {
	var receipt, credit, identity affected
	for i := range releases {
		r, known := &releases[i], rules[releases[i].Action]
		if known.receipt {
			receipt.add(i+1, r)
		}
		if known.credit && r.Balance {
			credit.add(i+1, r)
		}
		if known.identity {
			identity.add(i+1, r)
		}
	}
	var bars []bar
	for _, read := range []func(context.Context, *store.DB) ([]bar, error){receipt.receiptBars, credit.creditBars, identity.identityBars} {
		found, err := read(ctx, db)
		if err != nil {
			return nil, fmt.Errorf("read attestations: %w", err)
		}
		bars = append(bars, found...)
	}
	return bars, nil
}

// affected holds the releases that one rule applies to, a slice per column.
type affected struct {
	numbers              []int // position among the releases, from 1
	kinds, ids, customer []string
	spent                []*time.Time
}

func (a *affected) add(number int, r *Release) {
	var spent *time.Time
	if !r.Spent.IsZero() {
		spent = &r.Spent
	}
	a.numbers, a.spent = append(a.numbers, number), append(a.spent, spent)
	a.kinds, a.ids, a.customer = append(a.kinds, r.Subject.Kind), append(a.ids, r.Subject.ID), append(a.customer, r.Customer)
}

// receiptBars returns the people who attested a receipt of the releases' own subjects.
func (a *affected) receiptBars(ctx context.Context, db *store.DB) ([]bar, error) {
	if len(a.numbers) == 0 {
		return nil, nil
	}
	return store.RowsOf[bar](ctx, db, `SELECT r.n, t.kind, w::text AS by, true AS own
		FROM unnest($1::int[], $2::text[], $3::text[]) AS r(n, subject_kind, subject_id)
		JOIN attestations t USING (subject_kind, subject_id), unnest(ARRAY[t.by_id, t.second_by]) w
		WHERE t.kind = $4 AND t.withdrawn_at IS NULL AND w IS NOT NULL`, a.numbers, a.kinds, a.ids, string(Receipt))
}

// creditBars returns the people who alone credited the balances that the releases spend, before they were spent.
func (a *affected) creditBars(ctx context.Context, db *store.DB) ([]bar, error) {
	if len(a.numbers) == 0 {
		return nil, nil
	}
	return store.RowsOf[bar](ctx, db, `SELECT DISTINCT r.n, t.kind, t.by_id::text AS by, false AS own
		FROM unnest($1::int[], $2::text[], $3::timestamptz[]) AS r(n, customer, spent)
		JOIN attestations t ON t.customer_id = CAST(nullif(r.customer, '') AS uuid)
		WHERE `+unseconded+` AND t.kind = ANY($5) AND (t.kind <> ALL($6) OR t.credited_at IS NOT NULL)
		  AND (r.spent IS NULL OR greatest(t.at, t.credited_at) <= r.spent)`,
		a.numbers, a.customer, a.spent, barFor.Seconds(), texts(credits), texts(onceCredited))
}

// identityBars returns the people who alone approved the identities of the releases' customers.
func (a *affected) identityBars(ctx context.Context, db *store.DB) ([]bar, error) {
	if len(a.numbers) == 0 {
		return nil, nil
	}
	return store.RowsOf[bar](ctx, db, `SELECT r.n, t.kind, t.by_id::text AS by, false AS own
		FROM unnest($1::int[], $2::text[]) AS r(n, customer)
		JOIN attestations t ON t.customer_id = CAST(nullif(r.customer, '') AS uuid)
		WHERE t.kind = $3 AND `+unseconded, a.numbers, a.customer, string(Identity), barFor.Seconds())
}

// unseconded is the condition of an attestation t that rests on one person within $4 seconds.
const unseconded = `t.withdrawn_at IS NULL AND t.second_by IS NULL AND NOT t.proposed
	AND greatest(t.at, t.credited_at) > clock_now() - make_interval(secs => $4)`

func texts(kinds []Kind) []string {
	out := make([]string, len(kinds))
	for i, kind := range kinds {
		out[i] = string(kind)
	}
	return out
}

// BarsOf returns the reason for which a person must not make each of several releases, in their order: own_receipt,
// own_credit or own_identity; empty where nothing bars them.
func BarsOf(ctx context.Context, db *store.DB, person string, releases []Release) ([]string, error) {
	reasons := make([]string, len(releases))
	if len(releases) == 0 {
		return reasons, nil
	}
	bars, err := barring(ctx, db, releases)
	if err != nil || len(bars) == 0 {
		return reasons, err
	}
	mine, err := people.AccountsOf(ctx, db, person)
	if err != nil {
		return nil, err
	}
	for _, b := range bars {
		if i := b.N - 1; reasons[i] == "" && slices.Contains(mine, b.By) {
			reasons[i] = store.ReasonOf(b.refusal())
		}
	}
	return reasons, nil
}

// Barred returns, of several members of staff, those who must not make a release, with the reason as BarsOf has it.
func Barred(ctx context.Context, db *store.DB, r Release, staff []string) (map[string]string, error) {
	bars, err := barring(ctx, db, []Release{r})
	if err != nil || len(bars) == 0 {
		return nil, err
	}
	out := map[string]string{}
	for _, person := range staff {
		for _, b := range bars {
			same, err := people.Same(ctx, db, person, b.By)
			if err != nil {
				return nil, err
			}
			if same && out[person] == "" {
				out[person] = store.ReasonOf(b.refusal())
			}
		}
	}
	return out, nil
}
