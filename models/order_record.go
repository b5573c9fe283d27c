package models

import (
	"context"
	"fmt"
)

// TakenDecision is a decision with the name of who took it.
type TakenDecision struct {
	Decision   `gorm:"embedded"`
	ActorEmail string
	ActorName  string
	ByCustomer bool // by the order's own
}

// OrderRecord is what stands behind an order beside its story: what people
// decided and why, what was bought for it, and how it was booked.
type OrderRecord struct {
	Decisions []TakenDecision
	Purchases []ExchangeOrder
	Postings  []StoredPosting
	Mails     []OrderMail
}

// OrderRecord reads an order's record, each list oldest first.
func (db *DB) OrderRecord(ctx context.Context, orderID string) (OrderRecord, error) {
	var record OrderRecord
	err := firstError(
		db.orm(ctx).Table("decisions").Select("decisions.*, users.email AS actor_email").
			Joins("JOIN users ON users.id = decisions.actor_id").
			Where("decisions.order_id = ?", orderID).Order("decisions.created_at, decisions.id").Find(&record.Decisions).Error,
		db.orm(ctx).Where("order_id = ?", orderID).Order("generation").Find(&record.Purchases).Error,
		db.orm(ctx).Where("order_id = ?", orderID).Order("id").Find(&record.Postings).Error,
		db.orm(ctx).Table("mails").Select(`mails.*, users.email AS "to"`).
			Joins("JOIN users ON users.id = mails.user_id").
			Where("mails.order_id = ?", orderID).Order("mails.event_id, mails.id").Find(&record.Mails).Error,
	)
	if err != nil {
		return OrderRecord{}, fmt.Errorf("read the order's record: %w", err)
	}
	return record, nil
}
