package execution

import (
	"fmt"
	"time"

	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// TransferReading is what the custodian says of a transfer. Amount is base units of its
// asset without the fee, zero where it is not reported; Fee is base units of FeeCurrency,
// which is empty when the fee comes by another bill.
type TransferReading struct {
	ID, ApprovalID string
	TxID           string
	Status         string
	Amount         money.Units
	Fee            money.Units
	FeeCurrency    money.Currency
	ReplacedBy     string
}

// Learn applies what is new in a reading and reports whether anything is.
func (w *Withdrawal) Learn(r TransferReading) bool {
	before := *w
	for _, field := range []struct {
		to   **string
		from string
	}{{&w.TransferID, r.ID}, {&w.ApprovalID, r.ApprovalID}, {&w.TxID, r.TxID}, {&w.TransferID, r.ReplacedBy}} {
		if field.from != "" && store.Text(*field.to) != field.from {
			value := field.from
			*field.to = &value
		}
	}
	w.Status = r.Status
	if r.FeeCurrency != "" && !r.Fee.IsZero() {
		w.Fee, w.FeeCurrency = r.Fee, &r.FeeCurrency
	}
	return before.Status != w.Status || store.Text(before.TransferID) != store.Text(w.TransferID) || store.Text(before.ApprovalID) != store.Text(w.ApprovalID) || store.Text(before.TxID) != store.Text(w.TxID)
}

// SettleFee books the difference of a transfer's network fee to what was booked before: a transaction with a higher
// fee replaced it, or it died. It compares with all that is booked, so it may be called after every change.
func (s *Subject) SettleFee(w *Withdrawal, spent money.Units) error {
	var booked money.Units
	var times int
	group := fmt.Sprintf("sent:%d", w.Generation)
	about := ledger.About(s.Of, s.ID, "", group)
	whole := about.GroupKey
	about.GroupKey = ""
	err := s.Tx.ORM(s.Ctx).Model(&about).Where(&about).Select("coalesce(sum(CASE WHEN to_account = ? THEN amount ELSE -amount END), 0), count(DISTINCT group_key) FILTER (WHERE group_key <> ?)", ledger.AccountNetworkFee, whole).
		Where("(group_key = ? OR group_key LIKE ?) AND ? IN (to_account, from_account)", whole, whole+":fee:%", ledger.AccountNetworkFee).Row().Scan(&booked, &times)
	if err != nil {
		return fmt.Errorf("sum the network's fee: %w", err)
	}
	wallet, fees := ledger.WalletAccount(w.Network), ledger.AccountNetworkFee
	more := spent.Sub(booked)
	if more.Sign() < 0 {
		wallet, fees, more = fees, wallet, more.Neg()
	}
	return s.post("fee_settled", fmt.Sprintf("%s:fee:%d", group, times+1), []ledger.Posting{{From: wallet, To: fees, Currency: w.PaidIn(), Amount: more}})
}

// PaidIn is the coin that pays a transfer's network fee.
func (w *Withdrawal) PaidIn() money.Currency {
	if w.FeeCurrency != nil {
		return *w.FeeCurrency
	}
	return w.Asset
}

// FeeOfDead is what a transfer cost that failed: nothing where no block contains it, on Bitcoin or declared dead, and
// its fee on a chain of accounts, where a transaction that is undone has used its gas (Ethereum yellow paper,
// section 6).
func (w *Withdrawal) FeeOfDead(network string) money.Units {
	if !money.NetworkOf(network).Gas || w.Status == TransferDead {
		return money.Units{}
	}
	return w.Fee
}

// Unsend reverses what was booked when a transfer was sent, line by line, except the network's fee.
func (s *Subject) Unsend(group string) error {
	var rows []ledger.StoredPosting
	if err := s.Tx.ORM(s.Ctx).Where("group_key = ?", ledger.About(s.Of, s.ID, "", group).GroupKey).Order("line").Find(&rows).Error; err != nil {
		return fmt.Errorf("read postings: %w", err)
	}
	var back []ledger.Posting
	for _, row := range rows {
		if row.ToAccount != ledger.AccountNetworkFee {
			back = append(back, ledger.Posting{From: row.ToAccount, To: row.FromAccount, Currency: row.Currency, Amount: row.Amount})
		}
	}
	return s.post("transfer_died", group+":reversed", back)
}

// MaybeSince is since when something that is about to be sent may have been sent: now, or since its row was made,
// where that was restored from a backup.
func MaybeSince(now, made time.Time, restored *time.Time) time.Time {
	if restored == nil {
		return now
	}
	return made
}
