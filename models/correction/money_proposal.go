package correction

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// Dual control over what moves money without a provider: one person proposes, and another approves. A proposal books
// nothing; approving it checks everything again and books it in the same transaction, exactly once.

// MoneyAct is what can be proposed. It is stored as JSON under its kind.
type MoneyAct interface {
	kind() string
	// subject is the receipt, return, payout, redemption, gift card or case it is about; "" is none. One
	// proposal is open for each.
	subject() string
	// stops is the order whose coin waits while this is open; "" is none.
	stops(ctx context.Context, tx *store.DB) (orderID string, err error)
	// execute does the act, or refuses it.
	execute(c *moneyChange) error
}

// moneyActs are the kinds of acts, and how each is read from its proposal.
var moneyActs = map[string]func() MoneyAct{
	"reverse_receipt":    func() MoneyAct { return &ReverseReceipt{} },
	"bank_return":        func() MoneyAct { return &BankReturn{} },
	"reinstate_return":   func() MoneyAct { return &ReinstateReturn{} },
	"place_money":        func() MoneyAct { return &PlaceMoney{} },
	"credit_money":       func() MoneyAct { return &CreditMoney{} },
	"recall_money":       func() MoneyAct { return &RecallMoney{} },
	"send_back_money":    func() MoneyAct { return &SendBackMoney{} },
	"journal":            func() MoneyAct { return &Journal{} },
	"return_payout":      func() MoneyAct { return &ReturnPayout{} },
	"transfer_dead":      func() MoneyAct { return &VoucherTransfer{} },
	"claim_card":         func() MoneyAct { return &ClaimCard{} },
	"reverse_card_claim": func() MoneyAct { return &ReverseCardClaim{} },
}

// MoneyActKinds are the kinds of acts, sorted.
func MoneyActKinds() []string { return slices.Sorted(maps.Keys(moneyActs)) }

// MoneyProposal is an act that waits for a second person, or its outcome.
type MoneyProposal struct {
	ID         string `gorm:"primaryKey"`
	Kind       string
	SubjectID  *string
	OrderID    *string
	Data       json.RawMessage `gorm:"type:jsonb"`
	DocumentID *string
	Reason     string
	ProposedBy string
	CreatedAt  time.Time               `gorm:"default:clock_now()"`
	Status     casework.ProposalStatus `gorm:"default:open"`
	DecidedBy  *string
	DecidedAt  *time.Time
	Answer     string
}

// TableName implements GORM's Tabler.
func (MoneyProposal) TableName() string { return "money_proposals" }

// Act is what is proposed.
func (p *MoneyProposal) Act() (MoneyAct, error) {
	empty, known := moneyActs[p.Kind]
	if !known {
		return nil, fmt.Errorf("read proposal: %q is no kind of act", p.Kind)
	}
	act := empty()
	if err := json.Unmarshal(p.Data, act); err != nil {
		return nil, fmt.Errorf("read proposal: %w", err)
	}
	return act, nil
}

// MoneyDone is what an approved act leaves to its caller: orders whose workflows need a signal to read their rows
// again, and a decision to be delivered, of an order, a payout or a redemption.
type MoneyDone struct {
	Orders   []string
	Decision *order.Decision
	Matter   *casework.CaseDecision
	Card     string // a gift card whose workflow has to read its row again
}

// moneyChange is the transaction that executes one act.
type moneyChange struct {
	ctx context.Context
	tx  *store.DB
	by  store.Actor
	// first is who proposed the act; by is who approves it. While it is proposed they are one person.
	first string
	now   time.Time
	id    string // of the proposal: what is booked is named by it
	done  MoneyDone
}

// changed records that an order's workflow has to read its row again.
func (c *moneyChange) changed(orderID string) { c.done.Orders = append(c.done.Orders, orderID) }

// attest notes what the act's two people stated.
func (c *moneyChange) attest(kind dualcontrol.Kind, customer string, subject dualcontrol.Ref, amount money.Units) error {
	return dualcontrol.Attest(c.ctx, c.tx, dualcontrol.Attestation{Kind: kind, By: c.first, Customer: customer, Subject: subject, Amount: &amount,
		Source: dualcontrol.Ref{Kind: MoneyProposal{}.TableName(), ID: c.id}, Proposed: true, Second: c.by.ActorID})
}

// ProposeMoney records an act for a second person to approve. It refuses what could not be done now.
func ProposeMoney(ctx context.Context, db *store.DB, act MoneyAct, documentID string, by store.Actor) (*MoneyProposal, error) {
	if by.Reason = strings.TrimSpace(by.Reason); by.Reason == "" {
		return nil, store.Invalid("reason", "required", "Enter a reason")
	}
	var row *MoneyProposal
	err := db.Tx(ctx, func(tx *store.DB) error {
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		data, err := json.Marshal(act)
		if err != nil {
			return fmt.Errorf("write proposal: %w", err)
		}
		row = &MoneyProposal{ID: store.NewID(), Kind: act.kind(), Data: data, Reason: by.Reason, ProposedBy: by.ActorID, CreatedAt: now, Status: casework.ProposalOpen}
		if err := rehearse(ctx, tx, act, row.ID, by, now); err != nil {
			return err
		}
		return storeMoneyProposal(ctx, tx, act, row, documentID, by)
	})
	return row, err
}

// rehearse executes an act and rolls all of it back, so that a refusal shows at the proposal already.
func rehearse(ctx context.Context, db *store.DB, act MoneyAct, id string, by store.Actor, now time.Time) error {
	if err := db.Exec(ctx, "SAVEPOINT rehearsal"); err != nil {
		return fmt.Errorf("begin to rehearse: %w", err)
	}
	refused := act.execute(&moneyChange{ctx: ctx, tx: db, by: by, first: by.ActorID, now: now, id: id})
	if err := db.Exec(ctx, "ROLLBACK TO SAVEPOINT rehearsal"); err != nil {
		return store.FirstError(refused, fmt.Errorf("take the rehearsal back: %w", err))
	}
	return refused
}

// OpenMoneyProposal is what waits for a second person about a subject, or nil.
func OpenMoneyProposal(ctx context.Context, db *store.DB, subject string) (*KnownMoneyProposal, error) {
	rows, _, err := MoneyProposals(ctx, db, MoneyProposalFilter{SubjectID: subject, Open: true}, store.Page{Limit: 1})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

func storeMoneyProposal(ctx context.Context, db *store.DB, act MoneyAct, row *MoneyProposal, documentID string, by store.Actor) error {
	if id := act.subject(); id != "" {
		row.SubjectID = &id
	}
	if documentID != "" {
		if _, err := ReadMoneyDocument(ctx, db, documentID); err != nil {
			return store.Invalid("documentId", "unknown_document", "Document not found")
		}
		row.DocumentID = &documentID
	} else if row.Kind == "journal" {
		return store.Invalid("documentId", "required", "Add a picture of the supporting document")
	}
	order, err := act.stops(ctx, db)
	if err != nil {
		return err
	}
	if order != "" {
		row.OrderID = &order
	}
	err = db.ORM(ctx).Create(row).Error
	if store.Violates(err, "money_proposals_one_open") {
		return ledger.ErrMoneyProposed
	}
	if err != nil {
		return fmt.Errorf("store proposal: %w", err)
	}
	return auditMoney(ctx, db, row, "proposed", by)
}

func auditMoney(ctx context.Context, db *store.DB, p *MoneyProposal, how string, by store.Actor) error {
	after := map[string]any{"proposal": p.ID, "kind": p.Kind, "data": moneyAudited(p)}
	if p.Status == casework.ProposalApproved {
		after["proposedBy"] = p.ProposedBy
	}
	kind, id := "money_proposal", p.ID
	if p.OrderID != nil {
		kind, id = "order", *p.OrderID
	}
	return audit.Audit(ctx, db, audit.AuditEntry{ActorID: by.ActorID, ActorRole: by.ActorRole, Action: "money." + p.Kind + "_" + how, ObjectKind: kind, ObjectID: id,
		After: after, Reason: by.Reason, RequestID: by.RequestID})
}

// moneyAudited is the act as the audit log keeps it.
func moneyAudited(p *MoneyProposal) map[string]any {
	var data map[string]any
	_ = json.Unmarshal(p.Data, &data) // ProposeMoney wrote it
	return data
}

// changeMoneyProposal locks an open proposal; one that is decided is refused with
// how it ended.
func changeMoneyProposal(ctx context.Context, db *store.DB, id string, fn func(tx *store.DB, p *MoneyProposal, now time.Time) error) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		p, now, err := store.LockedRow[MoneyProposal](ctx, tx, "money_proposals", id, "Proposal")
		if err != nil {
			return err
		}
		if p.Status != casework.ProposalOpen {
			return store.Conflict("proposal_decided", fmt.Sprintf("This was already %s", p.Status))
		}
		return fn(tx, p, now)
	})
}

// ApproveMoney executes what another person has proposed.
func ApproveMoney(ctx context.Context, db *store.DB, id string, by store.Actor) (MoneyDone, error) {
	var done MoneyDone
	err := changeMoneyProposal(ctx, db, id, func(tx *store.DB, p *MoneyProposal, now time.Time) error {
		act, err := p.Act()
		if err != nil {
			return err
		}
		err = dualcontrol.CheckRelease(ctx, tx, dualcontrol.Release{Action: dualcontrol.MoveMoney, Actors: []string{by.ActorID}, First: p.ProposedBy})
		if err != nil {
			return err
		}
		if err := casework.CheckApproval(ctx, tx, KindMoneyProposal, p.ID, by.Seen); err != nil {
			return err
		}
		if by.Reason == "" {
			by.Reason = p.Reason
		}
		// Decided first: the order checks whether a proposal is open.
		if err := decideMoney(ctx, tx, p, casework.ProposalApproved, by, now); err != nil {
			return err
		}
		c := &moneyChange{ctx: ctx, tx: tx, by: by, first: p.ProposedBy, now: now, id: p.ID}
		err = act.execute(c)
		done = c.done
		return err
	})
	if err != nil {
		return MoneyDone{}, err
	}
	return done, nil
}

// RejectMoney ends a proposal without effect; its proposer withdraws it so.
func RejectMoney(ctx context.Context, db *store.DB, id string, by store.Actor) (done MoneyDone, err error) {
	if by.Reason = strings.TrimSpace(by.Reason); by.Reason == "" {
		return done, store.Invalid("reason", "required", "Enter a reason")
	}
	err = changeMoneyProposal(ctx, db, id, func(tx *store.DB, p *MoneyProposal, now time.Time) error {
		how := casework.ProposalRejected
		if p.ProposedBy == by.ActorID {
			how = casework.ProposalWithdrawn
		}
		return decideMoney(ctx, tx, p, how, by, now)
	})
	return done, err
}

func decideMoney(ctx context.Context, db *store.DB, p *MoneyProposal, how casework.ProposalStatus, by store.Actor, now time.Time) error {
	p.Status, p.DecidedBy, p.DecidedAt, p.Answer = how, &by.ActorID, &now, by.Reason
	if err := db.ORM(ctx).Select("status", "decided_by", "decided_at", "answer").Updates(p).Error; err != nil {
		return fmt.Errorf("store proposal: %w", err)
	}
	return auditMoney(ctx, db, p, string(how), by)
}

// KnownMoneyProposal is a proposal with the names of its people.
type KnownMoneyProposal struct {
	MoneyProposal `gorm:"embedded"`
	Proposer      string
	Decider       string
	Reference     string // of the order it is about
}

// MoneyProposalFilter narrows proposals. Empty fields do not narrow.
type MoneyProposalFilter struct {
	OrderID   string
	SubjectID string
	Kinds     []string
	Open      bool
}

func (f MoneyProposalFilter) narrow(query *gorm.DB) *gorm.DB {
	if f.OrderID != "" {
		query = query.Where("money_proposals.order_id = ?", f.OrderID)
	}
	if f.SubjectID != "" {
		query = query.Where("money_proposals.subject_id = ?", f.SubjectID)
	}
	if len(f.Kinds) > 0 {
		query = query.Where("money_proposals.kind IN ?", f.Kinds)
	}
	if f.Open {
		query = query.Where("money_proposals.status = 'open'")
	}
	return query
}

// MoneyProposals is one page of proposals, newest first.
func MoneyProposals(ctx context.Context, db *store.DB, f MoneyProposalFilter, p store.Page) ([]KnownMoneyProposal, *store.Cursor, error) {
	query := db.ORM(ctx).Table("money_proposals").Select("money_proposals.*, p.email AS proposer, coalesce(d.email, '') AS decider, coalesce(o.reference, '') AS reference").
		Joins("JOIN users p ON p.id = money_proposals.proposed_by").Joins("LEFT JOIN users d ON d.id = money_proposals.decided_by").
		Joins("LEFT JOIN orders o ON o.id = money_proposals.order_id")
	var rows []KnownMoneyProposal
	if err := p.In(f.narrow(query), "money_proposals").Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("read proposals: %w", err)
	}
	rows, next := store.Cut(rows, p, func(r KnownMoneyProposal) store.Cursor { return store.Cursor{At: r.CreatedAt, ID: r.ID} })
	return rows, next, nil
}

// MoneyDocument is a picture that proves a proposal.
type MoneyDocument struct {
	ID          string `gorm:"primaryKey"`
	FileKey     string
	ContentType string
	Size        int
	AddedBy     string
	CreatedAt   time.Time `gorm:"default:clock_now()"`
	SealedWith  []byte    // the key, as secret.Keys has it; nil: the picture is from before they were sealed
}

// MoneyDocumentFiles are the pictures of documents.
var MoneyDocumentFiles = store.SealedFiles{Table: "money_documents", ByKey: true, Plain: "sealed_with IS NULL"}

// File is the picture in the bucket.
func (d *MoneyDocument) File() store.SealedFile {
	return MoneyDocumentFiles.File(d.ID, d.FileKey, d.SealedWith == nil)
}

// TableName implements GORM's Tabler.
func (MoneyDocument) TableName() string { return "money_documents" }

// AddMoneyDocument records a stored picture.
func AddMoneyDocument(ctx context.Context, db *store.DB, file MoneyDocument) (*MoneyDocument, error) {
	file.ID = store.NewID()
	if err := db.ORM(ctx).Omit("CreatedAt").Create(&file).Error; err != nil {
		return nil, fmt.Errorf("store document: %w", err)
	}
	return &file, nil
}

// ReadMoneyDocument reads a document.
func ReadMoneyDocument(ctx context.Context, db *store.DB, id string) (*MoneyDocument, error) {
	return store.RowByID[MoneyDocument](ctx, db, id, "Document")
}

// bankDay reads a day on which a bank moved something: not a future one, wherever the bank is.
func bankDay(field, day string, now time.Time) (time.Time, error) {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return at, store.Invalid(field, "bad_date", "Enter a day")
	}
	if at.After(typed.LatestDay(now)) {
		return at, store.Invalid(field, "in_future", "Enter a day that isn't in the future")
	}
	return at, nil
}

// bankReferenceOf is a bank's reference as it is kept: short, and printable.
func bankReferenceOf(field, reference string) (string, error) {
	reference = typed.Reference(reference)
	if reference == "" || len(reference) > 140 || slices.ContainsFunc([]rune(reference), func(r rune) bool { return r < ' ' }) {
		return "", store.Invalid(field, "bad_reference", "Enter the bank's reference")
	}
	return reference, nil
}

// atLeastACent refuses what is no amount of money.
func atLeastACent(field string, amount money.Units) error {
	if amount.Sign() <= 0 || amount.Cmp(money.FromInt(100_000_000_000)) > 0 {
		return store.Invalid(field, "bad_amount", "Enter an amount above zero")
	}
	return nil
}

// WithdrawProposals ends a person's open proposals about money, and gives the proposals.
func WithdrawProposals(ctx context.Context, tx *store.DB, by string) ([]string, error) {
	return tx.Changed(ctx, `UPDATE money_proposals SET status = 'lapsed', decided_at = clock_now() WHERE proposed_by = ? AND status = 'open' RETURNING id`, by)
}
