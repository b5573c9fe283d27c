package pricing

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/store"
)

// CountryPricing is what customers of a country pay on top of a method's
// margin, or that they cannot buy.
type CountryPricing struct {
	ID                string `gorm:"primaryKey"`
	Country           string
	AdjustmentPercent decimal.Decimal
	IsBlocked         bool
	Version           int
	UpdatedAt         time.Time
}

// TableName implements GORM's Tabler.
func (CountryPricing) TableName() string { return "country_pricing" }

// OnTop is what a country pays on top, in percent.
func (p *Pricing) OnTop(country string) decimal.Decimal {
	if c, ok := p.Countries[country]; ok {
		return c.AdjustmentPercent
	}
	return decimal.Zero
}

// SellsTo refuses customers of a country that is blocked. Their open orders continue.
func (p *Pricing) SellsTo(country string) error {
	if c, ok := p.Countries[country]; ok && c.IsBlocked {
		return store.Forbidden("country_blocked", "We don't sell to customers in your country right now. Your open orders continue.")
	}
	return nil
}

// CountryTerms are the fields of a country that people change.
type CountryTerms struct {
	Country           string `json:"country"`
	AdjustmentPercent string `json:"adjustmentPercent"`
	IsBlocked         bool   `json:"isBlocked"`
}

// Entered are the fields as they stand.
func (c *CountryPricing) Entered() CountryTerms {
	return CountryTerms{c.Country, c.AdjustmentPercent.String(), c.IsBlocked}
}

// AddCountry sets what a country pays on top, or blocks it. That there is such a
// country, the caller has checked.
func AddCountry(ctx context.Context, db *store.DB, in CountryTerms, by store.Actor) (*CountryPricing, error) {
	percent, err := enteredPercent("adjustmentPercent", in.AdjustmentPercent)
	if err != nil {
		return nil, err
	}
	row := CountryPricing{ID: store.NewID(), Country: in.Country, AdjustmentPercent: percent, IsBlocked: in.IsBlocked, Version: 1}
	err = db.Tx(ctx, func(tx *store.DB) error {
		if row.UpdatedAt, err = tx.Now(ctx); err != nil {
			return err
		}
		err := tx.ORM(ctx).Create(&row).Error
		if store.Violates(err, "country_pricing_country_key") {
			return store.Invalid("country", "already_there", "This country already has its own pricing. Edit it instead.")
		}
		if err != nil {
			return fmt.Errorf("store country: %w", err)
		}
		return noteChange(ctx, tx, change{kind: PricedCountry, id: row.ID, name: row.Country, version: 1, after: row.Entered(), by: by})
	})
	return &row, err
}

// ChangeCountry changes what a country pays on top, or whether it is blocked.
func ChangeCountry(ctx context.Context, db *store.DB, id string, seen int, in CountryTerms, by store.Actor) (*CountryPricing, error) {
	percent, err := enteredPercent("adjustmentPercent", in.AdjustmentPercent)
	if err != nil {
		return nil, err
	}
	var row *CountryPricing
	err = db.Tx(ctx, func(tx *store.DB) error {
		var now time.Time
		if row, now, err = lockCountry(ctx, tx, id, seen); err != nil {
			return err
		}
		version := change{kind: PricedCountry, id: id, name: row.Country, version: row.Version + 1, before: row.Entered(), by: by}
		row.AdjustmentPercent, row.IsBlocked = percent, in.IsBlocked
		version.after = row.Entered()
		if version.nothing() {
			return nil
		}
		row.Version, row.UpdatedAt = row.Version+1, now
		if err := tx.ORM(ctx).Save(row).Error; err != nil {
			return fmt.Errorf("store country: %w", err)
		}
		return noteChange(ctx, tx, version)
	})
	return row, err
}

// RemoveCountry removes a country's own pricing: the default applies to it again.
func RemoveCountry(ctx context.Context, db *store.DB, id string, seen int, by store.Actor) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		row, _, err := lockCountry(ctx, tx, id, seen)
		if err != nil {
			return err
		}
		if err := tx.ORM(ctx).Delete(row).Error; err != nil {
			return fmt.Errorf("remove country: %w", err)
		}
		return noteChange(ctx, tx, change{kind: PricedCountry, id: id, name: row.Country, version: row.Version + 1, before: row.Entered(), by: by})
	})
}

func lockCountry(ctx context.Context, db *store.DB, id string, seen int) (*CountryPricing, time.Time, error) {
	row, now, err := store.LockedRow[CountryPricing](ctx, db, "country_pricing", id, "Country")
	if err != nil {
		return nil, now, err
	}
	return row, now, checkSeen(ctx, db, id, seen, row.Version)
}
