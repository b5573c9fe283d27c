package execution

import (
	"time"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
)

// Withdrawal is one transfer of coin out of a wallet to a customer, for an order
// or for the redemption of a voucher. Amount and
// Fee are base units, Fee of FeeCurrency. SequenceID is our identity at the
// custodian; SendStartedAt is committed before the first send.
type Withdrawal struct {
	ID           string `gorm:"primaryKey"`
	OrderID      *string
	RedemptionID *string
	UserID       string
	Generation   int
	Asset        money.Currency
	Network      string
	// Provider is the custodian that sends it.
	Provider ledger.Provider `gorm:"->"`
	// Reference names what it was made for; only Withdrawals reads it.
	Reference     string `gorm:"->;-:migration"`
	Address       string
	Amount        money.Units
	SequenceID    string
	SendStartedAt *time.Time
	TransferID    *string
	ApprovalID    *string
	TxID          *string `gorm:"column:txid"`
	Status        string
	Fee           money.Units
	FeeCurrency   *money.Currency
	DeadAt        *time.Time // since when it counts as dead
	DeadBy        *string    // by which decision; nil where a restored backup lost the transfer
	RevivedAt     *time.Time // when it was found to have confirmed nonetheless
	CreatedAt     time.Time  `gorm:"default:clock_now()"`
	UpdatedAt     time.Time  `gorm:"autoUpdateTime:false;default:clock_now()"`
}
