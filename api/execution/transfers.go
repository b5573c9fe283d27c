package execution

import (
	"time"

	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/money"
)

// ShownWithdrawal is a transfer as staff see it.
func ShownWithdrawal(w *execution.Withdrawal) AdminWithdrawal {
	return AdminWithdrawal{ID: w.ID, Generation: w.Generation, SequenceID: w.SequenceID, TransferID: w.TransferID, ApprovalID: w.ApprovalID,
		TxID: money.ShownTransaction(w.Network, w.TxID), Address: w.Address, Amount: w.Asset.Format(w.Amount), Status: w.Status, CreatedAt: w.CreatedAt}
}

// TransferProposed means that declaring a transfer dead needs a second person.
const TransferProposed = "Two people must declare a transfer dead. Nothing was changed. A second person must approve it."

// Attention is an order's need for review: its reason, and the possible decisions.
type Attention struct {
	Reason  string    `json:"reason"`
	Since   time.Time `json:"since"`
	Choices []string  `json:"choices"`
}

// Withdrawal is one transfer of coin to a customer.
type Withdrawal struct {
	ID             string    `json:"id" format:"uuid"`
	OrderID        *string   `json:"orderId" format:"uuid" doc:"what it was made for: an order"`
	RedemptionID   *string   `json:"redemptionId" format:"uuid" doc:"or a redeemed voucher"`
	Reference      string    `json:"reference" doc:"of the order or the redemption"`
	CryptoCurrency string    `json:"cryptoCurrency"`
	Amount         string    `json:"amount"`
	WalletAddress  string    `json:"walletAddress"`
	Network        string    `json:"network"`
	TxID           *string   `json:"txid"`
	ExplorerURL    *string   `json:"explorerUrl" doc:"the transaction's page at an explorer; null: not sent, or none is configured"`
	Status         string    `json:"status" enum:"pending,payment_processing,completed,failed,cancelled"`
	CreatedAt      time.Time `json:"createdAt"`
}

// AdminWithdrawal is a transfer as staff see it.
type AdminWithdrawal struct {
	ID         string    `json:"id" format:"uuid"`
	Generation int       `json:"generation"`
	SequenceID string    `json:"sequenceId"`
	TransferID *string   `json:"transferId"`
	ApprovalID *string   `json:"approvalId"`
	TxID       *string   `json:"txid"`
	Address    string    `json:"address"`
	Amount     string    `json:"amount"`
	Status     string    `json:"status"`
	CreatedAt  time.Time `json:"createdAt"`
}

// TransferDeath is a transfer that can never confirm, where that was seen, and why it
// cases.
type TransferDeath struct {
	Evidence string `json:"evidence" maxLength:"500" doc:"where it was seen that its inputs were spent otherwise, or that it never was on the chain"`
	Reason   string `json:"reason" maxLength:"500"`
}
