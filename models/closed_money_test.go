package models_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// closedRow refunds an order of a customer whose account is closed, and gives the
// credit that waits for staff.
func (d *cashFixture) closedRow() *correction.KnownStranded {
	d.Helper()
	d.at("paid")
	d.shut()
	d.do("refund")
	var ids []string
	rows, _, err := correction.StrandedCredits(d.Context(), d.db, correction.StrandedOpen, store.Page{OldestFirst: true, Limit: 100})
	require.NoError(d, err)
	for _, row := range rows {
		if row.UserID == d.user {
			ids = append(ids, row.ID)
		}
	}
	require.Len(d, ids, 1)
	return d.row(ids[0])
}

func (d *cashFixture) row(id string) *correction.KnownStranded {
	d.Helper()
	row, err := correction.Stranded(d.Context(), d.db, id)
	require.NoError(d, err)
	return row
}

func (d *cashFixture) paysBack(who, id, reference string, twoAbove int64) error {
	by := as(who)
	by.Seen = versionOf(d.Context(), d.db, correction.KindClosedCredit, id)
	_, err := correction.PayBackStranded(d.Context(), d.db, correction.PayBack{ID: id, Reference: reference, TwoAbove: money.FromInt(twoAbove), By: by})
	return err
}

// closedOwes is what we owe to closed accounts by the books, and by the rows.
func (d *cashFixture) closedOwes() string {
	d.Helper()
	var rows string
	require.NoError(d, d.db.Pool().QueryRow(d.Context(), `SELECT (-coalesce(sum(amount - taken), 0))::text FROM stranded_credits WHERE paid_at IS NULL`).Scan(&rows))
	require.Equal(d, rows, d.whole(ledger.AccountClosed), "the cases and the account agree")
	return d.whole(ledger.AccountClosed)
}

// Money of a closed account that the bank reverses before it is sent back is not sent back as well: all of it, or a
// part.
func TestTheBankTakesMoneyOfAClosedAccountBack(t *testing.T) {
	d := openCashFixture(t)
	row := d.closedRow()
	require.NoError(t, d.returned(d.receipts()[0].ID, d.order.Total))
	_, owed := d.owes()
	require.Zero(t, owed, "nobody owes what was never sent back")
	require.Equal(t, "0", d.closedOwes())
	require.True(t, d.stranded().IsZero())
	require.Equal(t, "taken_back", store.ReasonOf(d.paysBack(d.staff, row.ID, "B-1", 100_000_000)))
	d.balanced()

	row = d.closedRow()
	require.NoError(t, d.returned(d.receipts()[0].ID, cents(700)))
	left := d.order.Total.Sub(cents(700))
	require.Equal(t, left, d.stranded())
	_, owed = d.owes()
	require.Zero(t, owed)
	require.NoError(t, d.paysBack(d.staff, row.ID, "B-2", 100_000_000))
	require.Equal(t, "0", d.closedOwes())
	require.Equal(t, left, d.row(row.ID).Left(), "what was sent back")
	require.NoError(t, d.returned(d.receipts()[0].ID, left))
	_, owed = d.owes()
	require.Equal(t, inCents(left), owed, "it has left, so they owe it")
	d.balanced()

	row = d.closedRow()
	require.NoError(t, d.reversed(d.receipts()[0].ID))
	require.Equal(t, "0", d.closedOwes())
	require.Equal(t, "taken_back", store.ReasonOf(d.paysBack(d.staff, row.ID, "B-3", 100_000_000)))
	d.bankBalancedBut(left)
}

// bankBalancedBut checks the books, where so much was sent back to closed accounts.
func (d *cashFixture) bankBalancedBut(sent money.Units) {
	d.Helper()
	var held string
	require.NoError(d, d.db.Pool().QueryRow(d.Context(), `SELECT ((SELECT coalesce(sum(amount), 0) FROM receipts WHERE reversed_at IS NULL)
		- (SELECT coalesce(sum(amount), 0) FROM receipt_returns WHERE kind = 'return' AND reinstated_at IS NULL) - CAST($1 AS numeric))::text`, sent.String()).Scan(&held))
	require.Equal(d, held, d.whole(ledger.AccountBank))
	d.balanced()
}

// Once the first of two people has recorded that money was sent back it has left: a later reversal by the bank is
// owed. If that approval expires, the debt is paid first.
func TestMoneySaidToBeSentBackHasLeft(t *testing.T) {
	d := openCashFixture(t)
	row := d.closedRow()
	require.NoError(t, d.paysBack(d.staff, row.ID, "H-1", 100))
	require.NoError(t, d.returned(d.receipts()[0].ID, d.order.Total))
	_, owed := d.owes()
	require.Equal(t, inCents(d.order.Total), owed)
	require.NoError(t, d.paysBack(d.second, row.ID, "H-1", 100))
	require.Equal(t, "0", d.closedOwes())
	_, owed = d.owes()
	require.Equal(t, inCents(d.order.Total), owed)
	d.bankBalancedBut(d.order.Total)

	sent := d.order.Total
	row = d.closedRow()
	require.NoError(t, d.paysBack(d.staff, row.ID, "H-2", 100))
	require.NoError(t, d.returned(d.receipts()[0].ID, cents(700)))
	d.exec(`UPDATE stranded_credits SET first_by = NULL, first_at = NULL, bank_reference = NULL, reason = NULL WHERE id = $1`, row.ID)
	require.NoError(t, d.paysBack(d.staff, row.ID, "H-3", 100_000_000))
	require.Equal(t, d.order.Total.Sub(cents(700)), d.row(row.ID).Left())
	_, owed = d.owes()
	require.Zero(t, owed)
	require.Equal(t, "0", d.closedOwes())
	d.bankBalancedBut(sent.Add(d.order.Total).Sub(cents(700)))
}
