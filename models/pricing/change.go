package pricing

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// Bounds of what people may enter.
const (
	mostPercent     = 50
	mostFee         = 1_000_00       // cents
	mostOrderAmount = 100_000_000_00 // cents
)

// The kinds of what has versions.
const (
	PricedMethod  = "payment_method"
	PricedCountry = "country"
)

// PricingVersion is one change of the pricing, with its actor.
type PricingVersion struct {
	ID         string `gorm:"primaryKey"`
	Kind       string
	SubjectID  string
	Name       string
	Version    int
	ActorID    string
	ActorEmail string           `gorm:"->;-:migration"`
	Before     *json.RawMessage `gorm:"type:jsonb"`
	After      *json.RawMessage `gorm:"type:jsonb"`
	Reason     string
	CreatedAt  time.Time `gorm:"default:clock_now()"`
}

// PricingVersions is one page of what was changed, newest first; of one kind
// when there is one.
func PricingVersions(ctx context.Context, db *store.DB, kind string, p store.Page) ([]PricingVersion, *store.Cursor, error) {
	query := db.ORM(ctx).Table("pricing_versions").Select("pricing_versions.*, u.email AS actor_email").Joins("JOIN users u ON u.id = pricing_versions.actor_id")
	if kind != "" {
		query = query.Where("pricing_versions.kind = ?", kind)
	}
	var rows []PricingVersion
	if err := p.In(query, "pricing_versions").Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("list versions of the pricing: %w", err)
	}
	rows, next := store.Cut(rows, p, func(v PricingVersion) store.Cursor { return store.Cursor{At: v.CreatedAt, ID: v.ID} })
	return rows, next, nil
}

// MethodPricing are the fields of a method that people change, as they are
// entered: amounts in dollars, nothing where there is no limit. What is nil stays as
// it is.
type MethodPricing struct {
	BaseMarginPercent string   `json:"baseMarginPercent"`
	ProcessingFee     string   `json:"processingFee"`
	MinOrderAmount    string   `json:"minOrderAmount"`
	MaxOrderAmount    *string  `json:"maxOrderAmount"`
	IsEnabled         bool     `json:"isEnabled"`
	Description       *string  `json:"description"`
	Countries         []string `json:"countries"` // where it is offered; none: everywhere
}

// Entered are the fields as they stand.
func (m *PaymentMethod) Entered() MethodPricing {
	most := ""
	if m.MaxOrderAmount != nil {
		most = money.USD.Format(*m.MaxOrderAmount)
	}
	return MethodPricing{BaseMarginPercent: m.BaseMarginPercent.String(), ProcessingFee: money.USD.Format(m.ProcessingFee),
		MinOrderAmount: money.USD.Format(m.MinOrderAmount), MaxOrderAmount: &most, IsEnabled: m.IsEnabled,
		Description: &m.Description, Countries: append([]string{}, m.Countries...)}
}

// on is the method with what was entered.
func (in MethodPricing) on(m PaymentMethod) (PaymentMethod, error) {
	var err error
	if m.BaseMarginPercent, err = enteredPercent("baseMarginPercent", in.BaseMarginPercent); err != nil {
		return m, err
	}
	if m.ProcessingFee, err = enteredDollars("processingFee", in.ProcessingFee, mostFee); err != nil {
		return m, err
	}
	if m.MinOrderAmount, err = enteredDollars("minOrderAmount", in.MinOrderAmount, mostOrderAmount); err != nil {
		return m, err
	}
	if in.MaxOrderAmount != nil {
		if m.MaxOrderAmount, err = enteredLimit(*in.MaxOrderAmount); err != nil {
			return m, err
		}
	}
	if m.MaxOrderAmount != nil && (m.MaxOrderAmount.Sign() == 0 || m.MaxOrderAmount.Cmp(m.MinOrderAmount) < 0) {
		return m, store.Invalid("maxOrderAmount", "below_minimum", "Enter a maximum above the minimum")
	}
	if m.IsEnabled = in.IsEnabled; in.Description != nil {
		m.Description = strings.TrimSpace(*in.Description)
	}
	if in.Countries != nil {
		m.Countries = listed(in.Countries)
	}
	return m, nil
}

// enteredLimit is the largest order; nothing entered is no limit.
func enteredLimit(text string) (*money.Units, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	most, err := enteredDollars("maxOrderAmount", text, mostOrderAmount)
	return &most, err
}

func enteredPercent(field, text string) (decimal.Decimal, error) {
	text = strings.TrimSpace(text)
	value, err := decimal.NewFromString(text)
	switch {
	case err != nil || strings.ContainsAny(text, "eE+-"):
		return value, store.Invalid(field, "invalid_percent", "Enter a percentage of zero or more")
	case value.Exponent() < -4:
		return value, store.Invalid(field, "too_fine", "Enter at most four decimals")
	case value.GreaterThan(decimal.NewFromInt(mostPercent)):
		return value, store.Invalid(field, "too_high", fmt.Sprintf("Enter at most %d %%", mostPercent))
	}
	return value, nil
}

func enteredDollars(field, text string, most int64) (money.Units, error) {
	value, err := money.USD.Parse(strings.TrimSpace(text))
	switch {
	case err != nil || value.Sign() < 0:
		return value, store.Invalid(field, "invalid_amount", "Enter an amount of zero or more, with at most two decimals")
	case value.Cmp(money.FromInt(most)) > 0:
		return value, store.Invalid(field, "too_high", "Enter at most "+money.Dollars(money.FromInt(most)))
	}
	return value, nil
}

// Floor is what a margin must leave after discount and bonus: the exchange's fee on every purchase, in percent.
func Floor(markets map[money.Currency]*Market) decimal.Decimal {
	floor := decimal.Zero
	for _, m := range markets {
		floor = decimal.Max(floor, m.TakerFee)
	}
	return floor
}

// Leaves is the least that a margin leaves of a price after discount and bonus,
// over all levels and tiers, in percent (rules §2).
func (p *Pricing) Leaves(m *PaymentMethod) decimal.Decimal {
	least := m.BaseMarginPercent
	for _, level := range p.KYC {
		margin := decimal.Max(decimal.Zero, m.BaseMarginPercent.Add(level.MarginAdjustmentPercent))
		for _, tier := range p.Levels {
			left := margin.Sub(decimal.Min(margin, tier.MarginDiscountPercent))
			if m.PaymentMethod != MethodBalance { // what is paid from the balance earns no bonus
				left = left.Sub(tier.BonusRewardPercent)
			}
			least = decimal.Min(least, left)
		}
	}
	return least
}

// checkFloor refuses a margin by which we would pay for the customer's coin.
func (p *Pricing) checkFloor(m *PaymentMethod, floor decimal.Decimal) error {
	if left := p.Leaves(m); left.LessThan(floor) {
		return store.Invalid("baseMarginPercent", "below_floor", fmt.Sprintf(
			"With the best discount and bonus this leaves %s %%, and the exchange takes %s %%. Enter %s %% or more.", left, floor, m.BaseMarginPercent.Add(floor).Sub(left)))
	}
	return nil
}

// TryMethod is a method as it would be with what was entered. It changes
// nothing.
func TryMethod(ctx context.Context, db *store.DB, id string, in MethodPricing) (before, after PaymentMethod, err error) {
	now, err := store.RowByID[PaymentMethod](ctx, db, id, "Payment method")
	if err != nil {
		return before, after, err
	}
	after, err = judge(ctx, db, *now, in)
	return *now, after, err
}

// judge is a method with what was entered, when that may be.
func judge(ctx context.Context, db *store.DB, m PaymentMethod, in MethodPricing) (PaymentMethod, error) {
	after, err := in.on(m)
	if err != nil || after.BaseMarginPercent.Equal(m.BaseMarginPercent) {
		return after, err
	}
	pricing, err := ReadPricing(ctx, db)
	if err != nil {
		return after, err
	}
	markets, err := Markets(ctx, db)
	if err != nil {
		return after, err
	}
	return after, pricing.checkFloor(&after, Floor(markets))
}

// ChangeMethod changes a method's pricing: row, version and audit in one transaction. seen is the version the person
// saw; zero is any.
func ChangeMethod(ctx context.Context, db *store.DB, id string, seen int, in MethodPricing, by store.Actor) (*PaymentMethod, error) {
	var changed PaymentMethod
	err := db.Tx(ctx, func(tx *store.DB) error {
		m, now, err := store.LockedRow[PaymentMethod](ctx, tx, "payment_methods", id, "Payment method")
		if err != nil {
			return err
		}
		after, err := judge(ctx, tx, *m, in)
		if err != nil {
			return err
		}
		if err := checkSeen(ctx, tx, id, seen, m.Version); err != nil {
			return err
		}
		before := m.Entered()
		changed = after
		version := change{kind: PricedMethod, id: id, name: m.PaymentMethod, version: m.Version + 1, before: before, after: after.Entered(), by: by}
		if version.nothing() {
			return nil
		}
		changed.Version, changed.UpdatedAt = m.Version+1, now
		if err := tx.ORM(ctx).Save(&changed).Error; err != nil {
			return fmt.Errorf("store payment method: %w", err)
		}
		return noteChange(ctx, tx, version)
	})
	return &changed, err
}

// checkSeen refuses a change of something that changed since it was read, naming who changed it.
func checkSeen(ctx context.Context, db *store.DB, id string, seen, version int) error {
	if seen == 0 || seen == version {
		return nil
	}
	var last struct {
		Email     string
		CreatedAt time.Time
	}
	result := db.ORM(ctx).Raw("SELECT u.email, v.created_at FROM pricing_versions v JOIN users u ON u.id = v.actor_id WHERE v.subject_id = ? ORDER BY v.version DESC LIMIT 1", id).Scan(&last)
	if result.Error != nil {
		return fmt.Errorf("read the last change: %w", result.Error)
	}
	who, at := "Somebody", ""
	if result.RowsAffected == 1 {
		who, at = last.Email, " on "+last.CreatedAt.UTC().Format("2 January 2006 at 15:04 UTC")
	}
	return store.Conflict("changed_meanwhile", who+" changed this"+at+". Check the current values.")
}

// change is one version of something.
type change struct {
	kind, id, name string
	version        int
	before, after  any // nil: it was not there, it is not there any more
	by             store.Actor
}

// nothing reports whether the change changes nothing.
func (c change) nothing() bool {
	before, err1 := json.Marshal(c.before)
	after, err2 := json.Marshal(c.after)
	return err1 == nil && err2 == nil && bytes.Equal(before, after)
}

// noteChange writes the version and the line in the audit log.
func noteChange(ctx context.Context, db *store.DB, c change) error {
	row := PricingVersion{ID: store.NewID(), Kind: c.kind, SubjectID: c.id, Name: c.name, Version: c.version, ActorID: c.by.ActorID, Reason: c.by.Reason}
	entry := audit.AuditEntry{ActorID: c.by.ActorID, ActorRole: c.by.ActorRole, Action: "pricing." + c.kind, ObjectKind: c.kind, ObjectID: c.id,
		Reason: c.by.Reason, RequestID: c.by.RequestID}
	for _, side := range []struct {
		from  any
		kept  **json.RawMessage
		audit *map[string]any
	}{{c.before, &row.Before, &entry.Before}, {c.after, &row.After, &entry.After}} {
		if side.from == nil {
			continue
		}
		text, err := json.Marshal(side.from)
		if err == nil {
			err = json.Unmarshal(text, side.audit)
		}
		if err != nil {
			return fmt.Errorf("write version: %w", err)
		}
		*side.kept = (*json.RawMessage)(&text)
	}
	if err := db.ORM(ctx).Omit("ActorEmail").Create(&row).Error; err != nil {
		return fmt.Errorf("write version: %w", err)
	}
	return audit.Audit(ctx, db, entry)
}

// PriceOf is what a base price in cents costs by a method, at a level and a
// tier: the calculator of every quote.
func (p *Pricing) PriceOf(base money.Units, method *PaymentMethod, level, tier string) Lines {
	terms := kyc.CustomerTerms{Level: level, VolumeTier: tier}
	return PriceOf(base, PriceInput{Method: method, KYC: LevelOf(terms, p), Tier: TierOf(terms, p)})
}

// VolumeTiers are all tiers, from the smallest volume.
func VolumeTiers(ctx context.Context, db *store.DB) ([]VolumeTier, error) {
	var rows []VolumeTier
	if err := db.ORM(ctx).Order("min_volume_30_days").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("list volume tiers: %w", err)
	}
	return rows, nil
}
