package models

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"
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

// onTop is what a country pays on top, in percent.
func (p *Pricing) onTop(country string) decimal.Decimal {
	if c, ok := p.Countries[country]; ok {
		return c.AdjustmentPercent
	}
	return decimal.Zero
}

// SellsTo refuses customers of a country that is blocked. What they have ordered
// goes on.
func (p *Pricing) SellsTo(country string) error {
	if c, ok := p.Countries[country]; ok && c.IsBlocked {
		return Forbidden("country_blocked", "We don't sell to customers in your country right now. Your open orders continue.")
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
func (db *DB) AddCountry(ctx context.Context, in CountryTerms, by By) (*CountryPricing, error) {
	percent, err := enteredPercent("adjustmentPercent", in.AdjustmentPercent)
	if err != nil {
		return nil, err
	}
	row := CountryPricing{ID: NewID(), Country: in.Country, AdjustmentPercent: percent, IsBlocked: in.IsBlocked, Version: 1}
	err = db.Tx(ctx, func(tx *DB) error {
		if row.UpdatedAt, err = tx.Now(ctx); err != nil {
			return err
		}
		err := tx.orm(ctx).Create(&row).Error
		if violates(err, "country_pricing_country_key") {
			return Invalid("country", "already_there", "This country already has its own pricing. Edit it instead.")
		}
		if err != nil {
			return fmt.Errorf("store country: %w", err)
		}
		return tx.noteChange(ctx, change{kind: PricedCountry, id: row.ID, name: row.Country, version: 1, after: row.Entered(), by: by})
	})
	return &row, err
}

// ChangeCountry changes what a country pays on top, or whether it is blocked.
func (db *DB) ChangeCountry(ctx context.Context, id string, seen int, in CountryTerms, by By) (*CountryPricing, error) {
	percent, err := enteredPercent("adjustmentPercent", in.AdjustmentPercent)
	if err != nil {
		return nil, err
	}
	var row *CountryPricing
	err = db.Tx(ctx, func(tx *DB) error {
		var now time.Time
		if row, now, err = tx.lockCountry(ctx, id, seen); err != nil {
			return err
		}
		version := change{kind: PricedCountry, id: id, name: row.Country, version: row.Version + 1, before: row.Entered(), by: by}
		row.AdjustmentPercent, row.IsBlocked = percent, in.IsBlocked
		version.after = row.Entered()
		if version.nothing() {
			return nil
		}
		row.Version, row.UpdatedAt = row.Version+1, now
		if err := tx.orm(ctx).Save(row).Error; err != nil {
			return fmt.Errorf("store country: %w", err)
		}
		return tx.noteChange(ctx, version)
	})
	return row, err
}

// RemoveCountry takes a country's own pricing away: it pays what everybody does.
func (db *DB) RemoveCountry(ctx context.Context, id string, seen int, by By) error {
	return db.Tx(ctx, func(tx *DB) error {
		row, _, err := tx.lockCountry(ctx, id, seen)
		if err != nil {
			return err
		}
		if err := tx.orm(ctx).Delete(row).Error; err != nil {
			return fmt.Errorf("remove country: %w", err)
		}
		return tx.noteChange(ctx, change{kind: PricedCountry, id: id, name: row.Country, version: row.Version + 1, before: row.Entered(), by: by})
	})
}

func (db *DB) lockCountry(ctx context.Context, id string, seen int) (*CountryPricing, time.Time, error) {
	row, now, err := lockedRow[CountryPricing](ctx, db, "country_pricing", id, "Country")
	if err != nil {
		return nil, now, err
	}
	return row, now, db.checkSeen(ctx, id, seen, row.Version)
}
