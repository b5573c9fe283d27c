package account

import (
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
)

// Customer is an account as staff see it.
type Customer struct {
	people.User  `gorm:"embedded"`
	KYCStatus    string // not_started, pending, verified, enhanced or rejected (rules §1)
	FrozenBy     *string
	FrozenReason string
	TierSetBy    *string
	Version      int
	Volume       money.Units `gorm:"-"` // cents bought in 30 days
}
