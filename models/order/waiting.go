package order

import (
	"context"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"github.com/tradepost/tradepost/models/store"
)

// actionableOrders are the conditions of what staff can act on, each walked by an index of its own: paid orders,
// those that need review, those with an open proposal, and failed ones without an automatic retry.
var actionableOrders = []string{
	"orders.status = 'payment_approved'",
	"orders.attention_reason IS NOT NULL",
	"orders.id IN (SELECT order_id FROM order_proposals WHERE status = 'open')",
	FailedOrder,
}

// FailedOrder is the condition of a failed order that staff may retry or refund
// while its customer has not chosen.
const FailedOrder = "orders.status = 'failed' AND orders.resolution IS NULL"

// walkActionable narrows a query over orders to a page of what staff can act on.
// Each condition gives at most a page, so a long backlog costs no more.
func (f OrderFilter) walkActionable(query, orders *gorm.DB, p store.Page) *gorm.DB {
	var arms []string
	var pages []any
	for _, condition := range actionableOrders {
		arms = append(arms, "(?)")
		pages = append(pages, p.In(f.Narrow(orders.Session(&gorm.Session{}).Table("orders").Select("orders.id").Where(condition)), "orders"))
	}
	return query.Where("orders.id IN ("+strings.Join(arms, " UNION ")+")", pages...)
}

// isActionable reports whether staff can act on an order as far as its row says.
func (o *Order) isActionable() bool {
	return o.Status == StatusPaymentApproved || o.AttentionReason != nil || o.FailedOpen()
}

// FailedOpen reports whether an order failed and did not end: staff may retry it.
func (o *Order) FailedOpen() bool {
	return o.Status == StatusFailed && o.Resolution == nil
}

// onlyProposed counts, by facet, the orders that are actionable by nothing but
// their open proposal: they are few, and in no tally.
func (f OrderFilter) onlyProposed(ctx context.Context, db *store.DB) (facets []store.Tallied, err error) {
	err = f.Narrow(f.over(ctx, db).Table("orders")).Select("order_facet(orders) AS facet, count(*) AS n, sum(total) AS amount").
		Where(actionableOrders[2]).Where("orders.status <> 'payment_approved' AND orders.attention_reason IS NULL AND NOT (" + FailedOrder + ")").Group("facet").Scan(&facets).Error
	if err != nil {
		return nil, fmt.Errorf("count orders with proposals: %w", err)
	}
	return facets, nil
}
