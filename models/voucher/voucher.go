package voucher

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"
	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// VoucherStatus is a voucher's status, for any redeemer.
type VoucherStatus string

// The statuses, in the order a good voucher passes them.
const (
	VoucherAwaiting VoucherStatus = "awaiting_approval" // beyond what one admin may make alone
	VoucherActive   VoucherStatus = "active"            // its code can be redeemed
	VoucherRedeemed VoucherStatus = "redeemed"          // its coin is on the way
	VoucherPaid     VoucherStatus = "paid"              // its coin was sent
	VoucherVoided   VoucherStatus = "voided"
	VoucherExpired  VoucherStatus = "expired"
)

// VoucherStatuses lists them all, for filters and generated tests.
var VoucherStatuses = []VoucherStatus{VoucherAwaiting, VoucherActive, VoucherRedeemed, VoucherPaid, VoucherVoided, VoucherExpired}

// voucherTransitions is the one table of what a voucher's status may become.
var voucherTransitions = map[VoucherStatus][]VoucherStatus{
	VoucherAwaiting: {VoucherActive, VoucherVoided, VoucherExpired},
	VoucherActive:   {VoucherRedeemed, VoucherVoided, VoucherExpired},
	VoucherRedeemed: {VoucherPaid, VoucherActive}, // active again: a person restored it
	VoucherPaid:     {VoucherRedeemed},            // the transfer died after it was reported as sent
}

// RedemptionStatus is where the coin of a redeemed voucher stands.
type RedemptionStatus string

// The statuses, in the order a good redemption passes them.
const (
	RedemptionAccepted   RedemptionStatus = "accepted"   // recorded
	RedemptionFulfilling RedemptionStatus = "fulfilling" // coin reserved; what is missing is being bought
	RedemptionFilled     RedemptionStatus = "filled"     // nothing is missing; being sent
	RedemptionSent       RedemptionStatus = "sent"       // the network has it
	RedemptionRestored   RedemptionStatus = "restored"   // given up; the voucher can be redeemed again, or is void
)

// RedemptionStatuses lists them all.
var RedemptionStatuses = []RedemptionStatus{RedemptionAccepted, RedemptionFulfilling, RedemptionFilled, RedemptionSent, RedemptionRestored}

// redemptionTransitions is the one table of what a redemption's status may
// become.
var redemptionTransitions = map[RedemptionStatus][]RedemptionStatus{
	RedemptionAccepted:   {RedemptionFulfilling, RedemptionRestored},
	RedemptionFulfilling: {RedemptionFilled, RedemptionRestored},
	RedemptionFilled:     {RedemptionSent, RedemptionRestored},
	RedemptionSent:       {RedemptionFilled},
}

// Limits on vouchers that no configuration moves (rules §5).
const (
	MaxVoucherLife  = 365 * 24 * time.Hour
	MaxVoucherBatch = 100
)

// voucherTypes are the coins each currency of a voucher can be redeemed for
// (specification §5; USDC is added): dollars are converted, coin pays itself.
var voucherTypes = map[money.Currency][]money.Currency{
	money.USD: {money.BTC, money.ETH, money.USDT, money.USDC},
	money.BTC: {money.BTC},
	money.ETH: {money.ETH},
}

// RedeemedFor are all coins that vouchers pay, Currencies what vouchers are made in.
var (
	RedeemedFor = voucherTypes[money.USD]
	Currencies  = slices.DeleteFunc(append([]money.Currency{money.USD}, money.Assets...), func(c money.Currency) bool { return voucherTypes[c] == nil })
)

// VoucherTypes are the offered coins that a voucher of a currency can be redeemed
// for; none when there are no vouchers in it.
func VoucherTypes(offer money.Offer, currency money.Currency) []money.Currency {
	if !offer.Takes(pricing.RailVoucher) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(voucherTypes[currency]), func(asset money.Currency) bool { return !offer.Sells(asset) })
}

// Voucher is a code that pays coin to its redeemer. Amount is cents, or base units of the coin it is in; USDValue is
// what that was worth in cents as it was made. Its code is sealed.
type Voucher struct {
	ID           string `gorm:"primaryKey"`
	Reference    string
	BatchID      string
	Amount       money.Units
	Currency     money.Currency
	USDValue     money.Units `gorm:"column:usd_value"`
	Status       VoucherStatus
	CodeHash     []byte
	SealedCode   []byte
	Last4        *string // of its code; none of an old one that was not sealed again
	ExpiresAt    time.Time
	CreatedBy    string
	ApprovedBy   *string
	ApprovedAt   *time.Time
	EndedBy      *string
	EndReason    *string
	RedemptionID *string
	CreatedAt    time.Time `gorm:"default:clock_now()"`
	UpdatedAt    time.Time `gorm:"autoUpdateTime:false;default:clock_now()"`
}

// Redemption is one redeeming of a voucher: coin bought and sent to a customer.
// Value is what the voucher is worth in its own currency, Amount the coin's base
// units, BasePrice what that coin cost in cents at UnitPrice.
type Redemption struct {
	ID            string `gorm:"primaryKey"`
	Reference     string
	VoucherID     string
	UserID        string
	Status        RedemptionStatus
	Value         money.Units
	Currency      money.Currency
	Asset         money.Currency
	Network       string
	DestAddress   string
	Amount        money.Units
	UnitPrice     decimal.Decimal
	PriceLimit    decimal.Decimal
	MarginPercent decimal.Decimal
	BasePrice     money.Units
	NeedsIdentity bool
	FromStock     money.Units
	StockCost     money.Units

	AttentionReason *string
	AttentionSince  *time.Time
	UnderReview     bool // compliance has yet to release it
	RetryCount      int
	LastError       *string
	LastErrorAt     *time.Time
	ResumedAt       *time.Time
	RestoredAt      *time.Time // was open when a backup was restored (restore.go)
	TxID            *string    `gorm:"column:txid"`
	SentAt          *time.Time
	ConfirmedAt     *time.Time

	WorkflowStartedAt *time.Time
	SweptAt           *time.Time
	WakeAt            *time.Time
	CreatedAt         time.Time  `gorm:"default:clock_now()"`
	UpdatedAt         time.Time  `gorm:"autoUpdateTime:false;default:clock_now()"`
	MovedAt           *time.Time // as an order's
	ClosedAt          *time.Time
}

// TableName implements GORM's Tabler.
func (Redemption) TableName() string { return "voucher_redemptions" }

// OwnCoin reports whether the voucher pays the coin it is in, so that nothing
// was converted.
func (r *Redemption) OwnCoin() bool { return r.Currency == r.Asset }

// Reasons why a redemption waits for a person beside those an order has too.
const (
	AttentionRefused  = "transfer_refused"  // custody refused the transfer
	AttentionRejected = "transfer_rejected" // custody's approver said no
	AttentionDied     = "transfer_died"     // the transfer ended without effect
	AttentionBuy      = "buy_refused"       // the exchange refused the order
)

// RedemptionReasons lists every reason why a redemption waits for a person, or is reviewed by one; the contract
// contains it.
var RedemptionReasons = []string{casework.AttentionFrozen, casework.AttentionKYC, casework.AttentionBlocked, casework.AttentionRisk, casework.AttentionPaused, casework.AttentionNoPrice, casework.AttentionPrice,
	AttentionBuy, casework.AttentionBuyUnknown, casework.AttentionCaps, casework.AttentionApproval, AttentionRejected, casework.AttentionAddress, AttentionRefused,
	casework.AttentionSendUnknown, casework.AttentionTransfer, AttentionDied, casework.AttentionUnconfirmed, casework.AttentionInternal}

// lookedAt are reasons to review a redemption that continues automatically meanwhile.
var lookedAt = []string{casework.AttentionApproval, casework.AttentionTransfer}

// Waits reports whether a redemption is stopped until a person decides.
func (r *Redemption) Waits() bool {
	return r.AttentionReason != nil && !slices.Contains(lookedAt, *r.AttentionReason)
}

// Sentence is the redemption in one line, for workflow summaries: nothing
// personal.
func (r *Redemption) Sentence() string {
	return fmt.Sprintf("%s · %s %s for a voucher of %s %s", r.Reference, r.Asset.Format(r.Amount), r.Asset, r.Currency.Format(r.Value), r.Currency)
}

// KindVoucher is the redemption of a voucher, as a case: its id is the
// redemption's.
const KindVoucher casework.Kind = "voucher"

// VoucherEventKinds lists every kind of event that a redemption's timeline can hold; the contract contains it.
var VoucherEventKinds = []string{"redeemed", "reserved", "exchange_placed", "filled", "transfer_requested", "sent", "confirmed",
	"attempt_failed", "attention", "delayed", "resumed", "restored", "voided", "transfer_died", "transfer_revived"}

// VoucherKeepers are those who see to vouchers (rules §7).
var VoucherKeepers = []string{"admin"}

// VoucherRules are what redemptions have of their own among cases.
var VoucherRules = casework.ListCases(&casework.CaseRules{
	Matter: KindVoucher, Label: "voucher", Page: "/vouchers/{id}", StaffPage: "/admin/vouchers?status=waiting",
	Events: VoucherEventKinds, Table: "voucher_redemptions",
	Mailings: []casework.Mailing{
		{Event: "redeemed", Kind: "voucher_redeemed"},
		{Event: "sent", Kind: "voucher_sent"},
		{Event: "delayed", Kind: "voucher_delayed"},
		{Event: "restored", Kind: "voucher_restored"},
		{Event: "voided", Kind: "voucher_voided"},
		{Event: "attention", Kind: "voucher_attention", Roles: VoucherKeepers},
	},
})

// About is the redemption among cases.
func (r *Redemption) About() casework.About {
	return casework.About{Matter: KindVoucher, ID: r.ID, UserID: r.UserID, Reference: r.Reference, Status: string(r.Status)}
}

// ReadVoucher reads one voucher; NotFound when there is none.
func ReadVoucher(ctx context.Context, db *store.DB, id string) (*Voucher, error) {
	if !store.IsID(id) {
		return nil, store.NotFound("Voucher")
	}
	var v Voucher
	if err := db.ORM(ctx).Where("id = ?", id).Take(&v).Error; err != nil {
		if store.IsMissing(err) {
			return nil, store.NotFound("Voucher")
		}
		return nil, fmt.Errorf("read voucher: %w", err)
	}
	return &v, nil
}

// ReadRedemption reads one redemption; NotFound when there is none.
func ReadRedemption(ctx context.Context, db *store.DB, id string) (*Redemption, error) {
	if !store.IsID(id) {
		return nil, store.NotFound("Redemption")
	}
	var r Redemption
	if err := db.ORM(ctx).Where("id = ?", id).Take(&r).Error; err != nil {
		if store.IsMissing(err) {
			return nil, store.NotFound("Redemption")
		}
		return nil, fmt.Errorf("read redemption: %w", err)
	}
	return &r, nil
}

// RedemptionOf reads a customer's own redemption; NotFound when it is not theirs.
func RedemptionOf(ctx context.Context, db *store.DB, userID, id string) (*Redemption, error) {
	r, err := ReadRedemption(ctx, db, id)
	if err == nil && r.UserID != userID {
		return nil, store.NotFound("Redemption")
	}
	return r, err
}

// changeVoucher locks a voucher and runs fn on it; what fn did commits together
// with the voucher's row.
func changeVoucher(ctx context.Context, db *store.DB, id string, fn func(tx *store.DB, v *Voucher, now time.Time) error) error {
	if !store.IsID(id) {
		return store.NotFound("Voucher")
	}
	return db.Tx(ctx, func(tx *store.DB) error {
		v, now, err := lockVoucher(ctx, tx, "id = $1", id)
		if err != nil {
			return err
		}
		was := *v
		if err := fn(tx, v, now); err != nil {
			return err
		}
		return storeVoucher(ctx, tx, &was, v, now)
	})
}

// lockVoucher reads the one voucher a condition finds, until the transaction
// ends, with the database's time.
func lockVoucher(ctx context.Context, db *store.DB, condition string, arg any) (*Voucher, time.Time, error) {
	v, now, err := store.OneLocked[Voucher](ctx, db, store.Locked("vouchers", condition), arg)
	if store.IsMissing(err) {
		return nil, time.Time{}, store.NotFound("Voucher")
	}
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("read voucher: %w", err)
	}
	return v, now, nil
}

// storeVoucher writes what changed of a voucher's row, guarded by the status it was
// read with.
func storeVoucher(ctx context.Context, db *store.DB, was, v *Voucher, now time.Time) error {
	v.UpdatedAt = now
	_, values, err := store.ChangedColumns(ctx, db, was, v)
	if err != nil {
		return err
	}
	moved := store.Conflict("voucher_moved", "The voucher has changed. Refresh the page.")
	return db.LaterORM(ctx, store.Write{Table: "vouchers", One: moved}, func(orm *gorm.DB) *gorm.DB {
		return orm.Model(&Voucher{}).Where("id = ? AND status = ?", v.ID, was.Status).Updates(values)
	})
}

// move changes the voucher's status; a move the table does not list is refused.
func (v *Voucher) move(to VoucherStatus) error {
	if !slices.Contains(voucherTransitions[v.Status], to) {
		return store.Conflict("voucher_state", fmt.Sprintf("A voucher that is %s can't become %s", v.Status, to))
	}
	v.Status = to
	if to == VoucherPaid || to == VoucherVoided || to == VoucherExpired {
		v.SealedCode = nil // not needed any more
	}
	return nil
}

// postVoucher books what happened to a voucher that is not redeemed.
func postVoucher(ctx context.Context, db *store.DB, v *Voucher, event, group string, lines ...ledger.Posting) error {
	return ledger.PostAbout(ctx, db, ledger.About(string(KindVoucher), v.ID, event, group), lines)
}
