package customer

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"
	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

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
	return people.NamedLike(query, f.Query)
}

func (f CustomerFilter) searches() bool { return strings.TrimSpace(f.Query) != "" }

// Customers is one page of the customers that match a filter, newest first.
func Customers(ctx context.Context, db *store.DB, f CustomerFilter, p store.Page) ([]account.Customer, *store.Cursor, error) {
	var rows []account.Customer
	if err := p.In(f.narrow(db.CustomPlans(ctx).Table("users").Select("users.*")), "users").Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("list customers: %w", err)
	}
	rows, next := store.Cut(rows, p, func(c account.Customer) store.Cursor { return store.Cursor{At: c.CreatedAt, ID: c.ID} })
	return rows, next, addVolumes(ctx, db, rows)
}

// addVolumes fills in what each of them bought in 30 days.
func addVolumes(ctx context.Context, db *store.DB, customers []account.Customer) error {
	ids := pq.StringArray{}
	for i := range customers {
		ids = append(ids, customers[i].ID)
	}
	var rows []struct {
		Owner  string
		Amount money.Units
	}
	err := db.ORM(ctx).Raw(`SELECT owner, sum(amount) AS amount FROM (
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
func Customer(ctx context.Context, db *store.DB, id string) (*account.Customer, error) {
	if !store.IsID(id) {
		return nil, store.NotFound("Customer")
	}
	rows := make([]account.Customer, 1)
	err := db.ORM(ctx).Table("users").Where("id = ?", id).Take(&rows[0]).Error
	if store.IsMissing(err) {
		return nil, store.NotFound("Customer")
	}
	if err != nil {
		return nil, fmt.Errorf("read customer: %w", err)
	}
	return &rows[0], addVolumes(ctx, db, rows)
}

// customerFacets are one row of the customers' tally, by column.
type customerFacets struct{ KYCStatus, VolumeTier string }

// CustomerFacet reads the facet by which customers are tallied.
func CustomerFacet(facet string) customerFacets {
	kyc, tier, _ := strings.Cut(facet, "/")
	return customerFacets{kyc, tier}
}

// CustomerCounts counts the customers that match a filter.
type CustomerCounts struct {
	Total    int
	Verified int // standard or enhanced
	Premium  int // gold or platinum
	Pending  int // identity under review
}

// CountCustomers counts over the whole filtered set, never over a page.
func CountCustomers(ctx context.Context, db *store.DB, f CustomerFilter) (CustomerCounts, error) {
	var facets []store.Tallied
	var err error
	if f.searches() {
		facets, err = db.CountSearch("customers", "", f.Query, func(facets *[]store.Tallied) error {
			return CustomerFilter{Query: f.Query}.narrow(db.CustomPlans(ctx).Table("users")).
				Select("kyc_status || '/' || volume_tier AS facet, count(*) AS n, 0 AS amount").Group("facet").Scan(facets).Error
		})
	} else {
		facets, err = db.Tally(ctx, "customers", "")
	}
	if err != nil {
		return CustomerCounts{}, err
	}
	var counts CustomerCounts
	for _, t := range facets {
		c := CustomerFacet(t.Facet)
		if f.KYC != "" && f.KYC != c.KYCStatus || f.Tier != "" && f.Tier != c.VolumeTier {
			continue
		}
		counts.Total += t.N
		switch c.KYCStatus {
		case "verified", kyc.KYCEnhanced:
			counts.Verified += t.N
		case kyc.KYCPending:
			counts.Pending += t.N
		}
		if c.VolumeTier == "gold" || c.VolumeTier == "platinum" {
			counts.Premium += t.N
		}
	}
	return counts, nil
}

// CustomerStats are a customer's figures of all time. An order counts when it was paid and not refunded.
type CustomerStats struct {
	Orders    int         // that count
	Unpaid    int         // all others that they placed
	Volume    money.Units // cents of those that count
	LastOrder *time.Time  // of those that count
}

// ReadCustomerStats reads them without reading the orders.
func ReadCustomerStats(ctx context.Context, db *store.DB, userID string) (CustomerStats, error) {
	var s CustomerStats
	counts, err := order.CountOrders(ctx, db, order.OrderFilter{UserID: userID})
	if err != nil {
		return s, err
	}
	bought, err := db.Tally(ctx, "bought", userID)
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
	err = db.ORM(ctx).Raw("SELECT created_at FROM orders WHERE user_id = ? AND paid_at IS NOT NULL AND resolution IS NULL ORDER BY created_at DESC, id DESC LIMIT 1", userID).Scan(&last).Error
	if err != nil {
		return s, fmt.Errorf("read the last order: %w", err)
	}
	if len(last) > 0 {
		s.LastOrder = &last[0]
	}
	return s, nil
}

// RiskFlags are what staff should know before they decide about a customer, as codes: frozen, restricted, closed,
// kyc_rejected, owes_us, disputed, cards_declined.
func RiskFlags(ctx context.Context, db *store.DB, c *account.Customer) ([]string, error) {
	var more struct{ Owes, Disputed, Declined bool }
	err := db.ORM(ctx).Raw(`SELECT
		EXISTS (SELECT FROM customer_balances WHERE account = @owed AND amount > 0) AS owes,
		EXISTS (SELECT FROM disputes d JOIN orders o ON o.id = d.order_id WHERE o.user_id = @user) AS disputed,
		EXISTS (SELECT FROM (SELECT p.declines FROM orders o JOIN payments p ON p.order_id = o.id WHERE o.user_id = @user ORDER BY o.created_at DESC, o.id DESC LIMIT 50) p WHERE declines >= 3) AS declined`,
		map[string]any{"user": c.ID, "owed": ledger.CustomerReceivable(c.ID)}).Scan(&more).Error
	if err != nil {
		return nil, fmt.Errorf("read risk flags: %w", err)
	}
	flags := []string{}
	for _, f := range []struct {
		is   bool
		flag string
	}{
		{c.FrozenAt != nil, "frozen"}, {c.RestrictedAt != nil, "restricted"}, {c.ClosedAt != nil, "closed"}, {c.KYCStatus == kyc.KYCRejected, "kyc_rejected"},
		{more.Owes, "owes_us"}, {more.Disputed, "disputed"}, {more.Declined, "cards_declined"},
	} {
		if f.is {
			flags = append(flags, f.flag)
		}
	}
	return flags, nil
}

// CustomerNotes reads what staff noted about a customer, newest first.
func CustomerNotes(ctx context.Context, db *store.DB, userID string, limit int) ([]casework.Note, error) {
	return casework.CustomerNotes.About(ctx, db, userID, limit)
}

// AddCustomerNote notes something about a customer.
func AddCustomerNote(ctx context.Context, db *store.DB, in account.StaffAction, body string) error {
	body, err := casework.NoteText(body)
	if err != nil {
		return err
	}
	return account.LockCustomerRow(ctx, db, in, func(tx *store.DB, _ *account.Customer) error {
		id, err := casework.CustomerNotes.Add(ctx, tx, in.CustomerID, in.ActorID, body)
		if err != nil {
			return err
		}
		return account.AuditStaff(ctx, tx, in, "customer.noted", nil, map[string]any{"note": id})
	})
}
