package models

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"
	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/money"
)

// Customer is an account as staff see it.
type Customer struct {
	User         `gorm:"embedded"`
	KYCStatus    string // not_started, pending, verified, enhanced or rejected (DECISIONS §1)
	FrozenBy     *string
	FrozenReason string
	TierSetBy    *string
	Version      int
	Volume       money.Units `gorm:"-"` // cents bought in 30 days
}

// CustomerFilter narrows the list of customers. Empty fields do not narrow.
type CustomerFilter struct{ KYC, Tier, Query string }

// narrow applies the filter to a query over users. A closed account is found by
// its whole id alone.
func (f CustomerFilter) narrow(query *gorm.DB) *gorm.DB {
	if f.KYC != "" {
		query = query.Where("users.kyc_status = ?", f.KYC)
	}
	if f.Tier != "" {
		query = query.Where("users.volume_tier = ?", f.Tier)
	}
	return namedLike(query, f.Query)
}

func (f CustomerFilter) searches() bool { return strings.TrimSpace(f.Query) != "" }

// Customers is one page of the customers a filter lets through, newest first.
func (db *DB) Customers(ctx context.Context, f CustomerFilter, p Page) ([]Customer, *Cursor, error) {
	var rows []Customer
	if err := p.in(f.narrow(db.customPlans(ctx).Table("users").Select("users.*")), "users").Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("list customers: %w", err)
	}
	rows, next := cut(rows, p, func(c Customer) Cursor { return Cursor{c.CreatedAt, c.ID} })
	return rows, next, db.addVolumes(ctx, rows)
}

// addVolumes fills in what each of them bought in 30 days.
func (db *DB) addVolumes(ctx context.Context, customers []Customer) error {
	ids := pq.StringArray{}
	for i := range customers {
		ids = append(ids, customers[i].ID)
	}
	var rows []struct {
		Owner  string
		Amount money.Units
	}
	err := db.orm(ctx).Raw(`SELECT owner, sum(amount) AS amount FROM (
		SELECT owner, amount FROM tallies WHERE list = 'bought' AND owner = ANY(CAST(@ids AS uuid[])) AND facet > utc_day(clock_now() - interval '30 days')
		UNION ALL SELECT owner, amount FROM tally_changes WHERE list = 'bought' AND owner = ANY(CAST(@ids AS uuid[])) AND facet > utc_day(clock_now() - interval '30 days')) t
		GROUP BY owner`, map[string]any{"ids": ids}).Scan(&rows).Error
	if err != nil {
		return fmt.Errorf("read customers' volumes: %w", err)
	}
	for _, row := range rows {
		for i := range customers {
			if customers[i].ID == row.Owner {
				customers[i].Volume = row.Amount
			}
		}
	}
	return nil
}

// Customer reads one account as staff see it, closed ones too.
func (db *DB) Customer(ctx context.Context, id string) (*Customer, error) {
	if !IsID(id) {
		return nil, NotFound("Customer")
	}
	rows := make([]Customer, 1)
	err := db.orm(ctx).Table("users").Where("id = ?", id).Take(&rows[0]).Error
	if isMissing(err) {
		return nil, NotFound("Customer")
	}
	if err != nil {
		return nil, fmt.Errorf("read customer: %w", err)
	}
	return &rows[0], db.addVolumes(ctx, rows)
}

// customerFacets are one row of the customers' tally, taken apart.
type customerFacets struct{ KYCStatus, VolumeTier string }

// customerFacet reads the facet by which customers are tallied.
func customerFacet(facet string) customerFacets {
	kyc, tier, _ := strings.Cut(facet, "/")
	return customerFacets{kyc, tier}
}

// CustomerCounts counts the customers a filter lets through.
type CustomerCounts struct {
	Total    int
	Verified int // standard or enhanced
	Premium  int // gold or platinum
	Pending  int // identity under review
}

// CountCustomers counts over the whole filtered set, never over a page.
func (db *DB) CountCustomers(ctx context.Context, f CustomerFilter) (CustomerCounts, error) {
	var facets []tallied
	var err error
	if f.searches() {
		facets, err = db.countSearch("customers", "", f.Query, func(facets *[]tallied) error {
			return CustomerFilter{Query: f.Query}.narrow(db.customPlans(ctx).Table("users")).
				Select("kyc_status || '/' || volume_tier AS facet, count(*) AS n, 0 AS amount").Group("facet").Scan(facets).Error
		})
	} else {
		facets, err = db.tally(ctx, "customers", "")
	}
	if err != nil {
		return CustomerCounts{}, err
	}
	var counts CustomerCounts
	for _, t := range facets {
		c := customerFacet(t.Facet)
		if f.KYC != "" && f.KYC != c.KYCStatus || f.Tier != "" && f.Tier != c.VolumeTier {
			continue
		}
		counts.Total += t.N
		switch c.KYCStatus {
		case "verified", KYCEnhanced:
			counts.Verified += t.N
		case KYCPending:
			counts.Pending += t.N
		}
		if c.VolumeTier == "gold" || c.VolumeTier == "platinum" {
			counts.Premium += t.N
		}
	}
	return counts, nil
}

// CustomerStats are a customer's figures of all time.
// An order counts when it was paid and not given back.
type CustomerStats struct {
	Orders    int         // that count
	Unpaid    int         // all others that they placed
	Volume    money.Units // cents of those that count
	LastOrder *time.Time  // of those that count
}

// CustomerStats reads them without reading the orders.
func (db *DB) CustomerStats(ctx context.Context, userID string) (CustomerStats, error) {
	var s CustomerStats
	counts, err := db.CountOrders(ctx, OrderFilter{UserID: userID})
	if err != nil {
		return s, err
	}
	bought, err := db.tally(ctx, "bought", userID)
	if err != nil {
		return s, err
	}
	for _, day := range bought {
		s.Orders, s.Volume = s.Orders+day.N, s.Volume.Add(day.Amount)
	}
	if s.Unpaid = counts.Total - s.Orders; s.Orders == 0 {
		return s, nil
	}
	var last []time.Time
	err = db.orm(ctx).Raw("SELECT created_at FROM orders WHERE user_id = ? AND paid_at IS NOT NULL AND resolution IS NULL ORDER BY created_at DESC, id DESC LIMIT 1", userID).Scan(&last).Error
	if err != nil {
		return s, fmt.Errorf("read the last order: %w", err)
	}
	if len(last) > 0 {
		s.LastOrder = &last[0]
	}
	return s, nil
}

// RiskFlags are what staff should know before they decide about a customer, as
// words: frozen, restricted, closed, kyc_rejected, owes_us, disputed,
// cards_declined.
func (db *DB) RiskFlags(ctx context.Context, c *Customer) ([]string, error) {
	var more struct{ Owes, Disputed, Declined bool }
	err := db.orm(ctx).Raw(`SELECT
		EXISTS (SELECT FROM customer_balances WHERE account = @owed AND amount > 0) AS owes,
		EXISTS (SELECT FROM disputes d JOIN orders o ON o.id = d.order_id WHERE o.user_id = @user) AS disputed,
		EXISTS (SELECT FROM (SELECT p.declines FROM orders o JOIN payments p ON p.order_id = o.id WHERE o.user_id = @user ORDER BY o.created_at DESC, o.id DESC LIMIT 50) p WHERE declines >= 3) AS declined`,
		map[string]any{"user": c.ID, "owed": CustomerReceivable(c.ID)}).Scan(&more).Error
	if err != nil {
		return nil, fmt.Errorf("read risk flags: %w", err)
	}
	flags := []string{}
	for _, f := range []struct {
		is   bool
		flag string
	}{
		{c.FrozenAt != nil, "frozen"}, {c.RestrictedAt != nil, "restricted"}, {c.ClosedAt != nil, "closed"}, {c.KYCStatus == KYCRejected, "kyc_rejected"},
		{more.Owes, "owes_us"}, {more.Disputed, "disputed"}, {more.Declined, "cards_declined"},
	} {
		if f.is {
			flags = append(flags, f.flag)
		}
	}
	return flags, nil
}

// CustomerNotes reads what staff noted about a customer, newest first.
func (db *DB) CustomerNotes(ctx context.Context, userID string, limit int) ([]Note, error) {
	return customerNotes.about(ctx, db, userID, limit)
}

// AddCustomerNote notes something about a customer.
func (db *DB) AddCustomerNote(ctx context.Context, in StaffAction, body string) error {
	body, err := noteText(body)
	if err != nil {
		return err
	}
	return db.lockCustomerRow(ctx, in, func(tx *DB, _ *Customer) error {
		id, err := customerNotes.add(ctx, tx, in.CustomerID, in.ActorID, body)
		if err != nil {
			return err
		}
		return tx.auditStaff(ctx, in, "customer.noted", nil, map[string]any{"note": id})
	})
}
