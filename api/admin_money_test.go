package api

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	correctionapi "github.com/tradepost/tradepost/api/correction"
	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	orderapi "github.com/tradepost/tradepost/api/order"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// came confirms that an order's whole price came, and gives the receipt's id.
func (h *testServer) came(finance *visitor, orderID, reference string) (receipt string) {
	h.Helper()
	total := one[string](h, `SELECT (total / 100.0)::numeric(12,2)::text FROM orders WHERE id = $1`, orderID)
	finance.confirm(orderID, total, reference).is(http.StatusOK)
	return one[string](h, `SELECT id::text FROM receipts WHERE order_id = $1 AND reversed_at IS NULL`, orderID)
}

// document keeps a picture, as the journal's form does.
func (v *visitor) document(file []byte) *answer {
	v.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreatePart(map[string][]string{"Content-Disposition": {`form-data; name="file"; filename="x.png"`}, "Content-Type": {"image/png"}})
	require.NoError(v, err)
	_, err = part.Write(file)
	require.NoError(v, err)
	require.NoError(v, w.Close())
	return v.post("/api/admin/money/documents", form.String(), "Content-Type", w.FormDataContentType())
}

func (h *testServer) bank() int64 {
	return one[int64](h, `SELECT coalesce(sum(CASE WHEN to_account = 'bank_clearing' THEN amount ELSE -amount END), 0)::bigint FROM postings WHERE 'bank_clearing' IN (from_account, to_account)`)
}

// A reversal or a bank return needs two people in finance; the proposer cannot approve it.
func TestMoneyGoesBackOutOfTheBooksByTwoPeople(t *testing.T) {
	h := open(t, func(d *Dependencies) { d.CreditTwoAbove = 100_000 })
	h.byRows()
	v, support, first, second := h.customer(), h.customer("support"), h.customer("finance"), h.customer("admin")
	o := v.order("domestic_wire")
	receipt := h.came(first, o, "WIRE-1")
	path := "/api/admin/money/receipts/" + receipt
	body := `{"reason":"another customer's"}`
	support.post(path+"/reverse", body).refused(http.StatusForbidden, "forbidden")
	v.post(path+"/reverse", body).refused(http.StatusForbidden, "forbidden")
	first.post(path+"/reverse", `{"reason":" "}`).refused(http.StatusUnprocessableEntity, "required")
	first.post(path+"/reverse", `{"reason":"x","order":"TP-NONE-NONE"}`).refused(http.StatusUnprocessableEntity, "unknown_order")
	first.post("/api/admin/money/receipts/"+store.NewID()+"/reverse", body).is(http.StatusNotFound)
	proposal := first.post(path+"/reverse", body).is(http.StatusCreated).text("id")
	second.post(path+"/reverse", body).refused(http.StatusConflict, "proposal_open")
	approve := "/api/admin/money/proposals/" + proposal + "/approve"
	support.post(approve, `{}`).refused(http.StatusForbidden, "forbidden")
	first.post(approve, `{}`).refused(http.StatusForbidden, "own_proposal")
	var list []correctionapi.MoneyProposal
	second.get("/api/admin/money/proposals").is(http.StatusOK).read(&list)
	require.Equal(t, []string{"approve", "reject"}, list[0].Actions)
	require.NotZero(t, h.bank())
	second.post(approve, `{}`).is(http.StatusOK)
	second.post(approve, `{}`).refused(http.StatusConflict, "proposal_decided")
	require.Zero(t, h.bank())
	reversal := one[string](h, `SELECT id::text FROM receipt_returns WHERE receipt_id = $1`, receipt)
	first.post("/api/admin/money/returns/"+reversal+"/reinstate", `{"bankReference":"I-1","reinstatedOn":"2026-11-20","reason":"it came back"}`).refused(http.StatusConflict, "not_returned")
	require.Equal(t, "expired", one[string](h, `SELECT resolution FROM orders WHERE id = $1`, o))
	require.Contains(t, h.flows.seen(&h.flows.hints), o+" order_changed")
	require.Equal(t, 2, one[int](h, `SELECT count(*) FROM audit_log WHERE action LIKE 'money.reverse_receipt%'`))
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM mails WHERE kind = 'receipt_reversed'`))

	other := v.order("domestic_wire")
	receipt = h.came(first, other, "WIRE-1")
	path = "/api/admin/money/receipts/" + receipt
	for _, c := range []struct{ body, reason string }{
		{`{"amount":"0","bankReference":"R","returnedOn":"2026-11-20","code":"R01","reason":"x"}`, "invalid_amount"},
		{`{"amount":"1e9","bankReference":"R","returnedOn":"2026-11-20","code":"R01","reason":"x"}`, "invalid_amount"},
		{`{"amount":"1","bankReference":" ","returnedOn":"2026-11-20","code":"R01","reason":"x"}`, "bad_reference"},
		{`{"amount":"1","bankReference":"R","returnedOn":"2999-01-01","code":"R01","reason":"x"}`, "in_future"},
		{`{"amount":"1","bankReference":"R","returnedOn":"1999-01-01","code":"R01","reason":"x"}`, "before_receipt"},
		{`{"amount":"1","bankReference":"R","returnedOn":"2026-11-20","code":" ","reason":"x"}`, "required"},
	} {
		first.post(path+"/return", c.body).refused(http.StatusUnprocessableEntity, c.reason)
	}
	day := one[string](h, `SELECT received_on::text FROM receipts WHERE id = $1`, receipt)
	returned := fmt.Sprintf(`{"amount":"10.00","bankReference":"RET-1","returnedOn":%q,"code":"R10","reason":"the bank says so"}`, day)
	proposal = first.post(path+"/return", returned).is(http.StatusCreated).text("id")
	second.post("/api/admin/money/proposals/"+proposal+"/approve", `{}`).is(http.StatusOK)
	first.post(path+"/return", returned).refused(http.StatusConflict, "bank_reference_used")
	var seen orderapi.AdminOrderDetail
	first.get("/api/admin/orders/" + other).is(http.StatusOK).read(&seen)
	require.Equal(t, "10.00", seen.Returns[0].Amount)
	require.Equal(t, order.AttentionRefundedThere, seen.Attention.Reason)
}

// One person records unplaced money; every further use needs two.
func TestUnplacedMoneyIsListedAndLeavesByTwoPeople(t *testing.T) {
	h := open(t)
	v, support, first, second := h.customer(), h.customer("support"), h.customer("finance"), h.customer("finance")
	money := func(reference string) string {
		return fmt.Sprintf(`{"amount":"120.00","bankReference":%q,"receivedOn":"2026-11-20","rail":"zelle","sender":"A. N. OTHER"}`, reference)
	}
	support.post("/api/admin/money/unplaced", money("Z-1")).refused(http.StatusForbidden, "forbidden")
	id := first.post("/api/admin/money/unplaced", money("Z-1")).is(http.StatusCreated).text("id")
	second.post("/api/admin/money/unplaced", money("z-1")).refused(http.StatusConflict, "bank_reference_used")
	first.post("/api/admin/money/unplaced", `{"amount":"1","bankReference":"Z-2","receivedOn":"2026-11-20","rail":"card"}`).refused(http.StatusUnprocessableEntity, "unknown_rail")
	var summary correctionapi.MoneySummary
	first.get("/api/admin/money").is(http.StatusOK).read(&summary)
	require.Equal(t, correctionapi.MoneySummary{Unplaced: 1}, summary)
	path := "/api/admin/money/unplaced/" + id
	first.post(path+"/credit", fmt.Sprintf(`{"customer":%q,"reason":"theirs"}`, first.userID)).refused(http.StatusForbidden, "own_account")
	proposal := first.post(path+"/credit", fmt.Sprintf(`{"customer":%q,"reason":"theirs"}`, v.userID)).is(http.StatusCreated).text("id")
	var row correctionapi.UnplacedMoney
	first.get(path).is(http.StatusOK).read(&row)
	require.Equal(t, []string{"withdraw"}, row.Actions)
	second.get(path).is(http.StatusOK).read(&row)
	require.Equal(t, []string{"approve", "reject"}, row.Actions)
	second.post("/api/admin/money/proposals/"+proposal+"/reject", `{"reason":"is it?"}`).is(http.StatusOK)
	second.post("/api/admin/money/proposals/"+proposal+"/approve", `{}`).refused(http.StatusConflict, "proposal_decided")
	proposal = first.post(path+"/credit", fmt.Sprintf(`{"customer":%q,"reason":"theirs"}`, v.userID)).is(http.StatusCreated).text("id")
	second.post("/api/admin/money/proposals/"+proposal+"/approve", `{}`).is(http.StatusOK)
	require.EqualValues(t, 12000, one[int64](h, `SELECT amount::bigint FROM customer_balances WHERE user_id = $1 AND account LIKE '%balance'`, v.userID))
	require.EqualValues(t, 12000, h.bank())
	var open []correctionapi.UnplacedMoney
	first.get("/api/admin/money/unplaced").is(http.StatusOK).read(&open)
	require.Empty(t, open)
}

// A payment that its bank takes back after it was credited becomes a claim on its customer by two people, and the
// customer sees it.
func TestCreditedMoneyIsTakenBackByTwoPeople(t *testing.T) {
	h := open(t)
	v, support, first, second := h.customer(), h.customer("support"), h.customer("finance"), h.customer("finance")
	came := `{"amount":"120.00","bankReference":"Z-1","receivedOn":"2026-11-20","rail":"zelle"}`
	path := "/api/admin/money/unplaced/" + first.post("/api/admin/money/unplaced", came).is(http.StatusCreated).text("id")
	theirs := fmt.Sprintf(`{"customer":%q,"reason":"theirs"}`, v.userID)
	returned := func(amount, reference string) string {
		return fmt.Sprintf(`{"amount":%q,"bankReference":%q,"returnedOn":"2026-11-21","code":"R03","reason":"as it says"}`,
			amount, reference)
	}
	read := func() (row correctionapi.UnplacedMoney) {
		first.get(path).is(http.StatusOK).read(&row)
		return row
	}
	require.Equal(t, "0.00", read().Returnable)
	first.post(path+"/return", returned("120", "R-1")).refused(http.StatusConflict, "not_credited")
	second.approves(first.post(path+"/credit", theirs).is(http.StatusCreated).text("id"))
	require.Equal(t, []string{"recall"}, read().Actions)
	require.Equal(t, "120.00", read().Returnable)
	support.post(path+"/return", returned("120", "R-1")).refused(http.StatusForbidden, "forbidden")
	first.post("/api/admin/money/unplaced/"+store.NewID()+"/return", returned("120", "R-1")).is(http.StatusNotFound)
	first.post(path+"/return", returned("0", "R-1")).refused(http.StatusUnprocessableEntity, "invalid_amount")
	first.post(path+"/return", returned("120.01", "R-1")).refused(http.StatusConflict, "return_exceeds")
	proposal := first.post(path+"/return", returned("100", "R-1")).is(http.StatusCreated).text("id")
	require.Equal(t, []string{"withdraw"}, read().Actions)
	first.post("/api/admin/money/proposals/"+proposal+"/approve", `{}`).refused(http.StatusForbidden, "own_proposal")
	second.approves(proposal)
	require.EqualValues(t, 2000, h.bank())
	row := read()
	require.Equal(t, "20.00", row.Returnable)
	require.Equal(t, []string{"recall"}, row.Actions)
	require.Len(t, row.Returns, 1)
	gone := row.Returns[0]
	require.Equal(t, []string{"100.00", "0.00", "R-1", "2026-11-21", "R03"},
		[]string{gone.Amount, gone.Owed, gone.BankReference, gone.ReturnedOn, gone.Code})
	var seen ledgerapi.Balance
	v.get("/api/balance").is(http.StatusOK).read(&seen)
	require.Equal(t, "20.00", seen.Balance)
	entry := seen.Entries[0]
	require.Equal(t, []string{"debit", "A payment that its bank took back", "-100.00"},
		[]string{entry.Kind, entry.Why, entry.Amount})
	mails := one[int](h, `SELECT count(*) FROM mails WHERE kind = 'credit_recalled' AND user_id = $1`, v.userID)
	require.Equal(t, 1, mails)

	back := `{"bankReference":"I-1","reinstatedOn":"2026-11-22","reason":"it came back"}`
	reinstate := "/api/admin/money/returns/" + gone.ID + "/reinstate"
	second.approves(first.post(reinstate, back).is(http.StatusCreated).text("id"))
	require.EqualValues(t, 12000, h.bank())
	require.NotNil(t, read().Returns[0].ReinstatedAt)
	require.Equal(t, "120.00", read().Returnable)
	first.post(reinstate, back).refused(http.StatusConflict, "already_reinstated")
}

// approves approves a proposal about money.
func (v *visitor) approves(proposal string) {
	v.Helper()
	v.post("/api/admin/money/proposals/"+proposal+"/approve", `{}`).is(http.StatusOK)
}

// A manual journal has a document, which is drawn anew, and two people.
func TestAJournalNeedsADocumentAndTwoPeople(t *testing.T) {
	h := open(t)
	support, first, second := h.customer("support"), h.customer("finance"), h.customer("admin")
	entry := func(document, from, to, amount string) string {
		return fmt.Sprintf(`{"lines":[{"from":%q,"to":%q,"currency":"USD","amount":%q}],"documentId":%q,"reason":"a fee of the bank"}`, from, to, amount, document)
	}
	support.document(picture(t, 8)).refused(http.StatusForbidden, "forbidden")
	first.document([]byte("%PDF-1.4")).is(http.StatusUnprocessableEntity)
	document := first.document(picture(t, 8)).is(http.StatusCreated).text("id")
	second.get("/api/admin/money/documents/" + document).is(http.StatusOK)
	support.get("/api/admin/money/documents/"+document).refused(http.StatusForbidden, "forbidden")
	first.post("/api/admin/money/journal", entry(store.NewID(), "bank_clearing", "provider_fees", "5.00")).refused(http.StatusUnprocessableEntity, "unknown_document")
	first.post("/api/admin/money/journal", entry(document, "bank_clearing", "nowhere", "5.00")).refused(http.StatusUnprocessableEntity, "unknown_account")
	first.post("/api/admin/money/journal", entry(document, "bank_clearing", "provider_fees", "-5")).refused(http.StatusUnprocessableEntity, "invalid_amount")
	first.post("/api/admin/money/journal", entry(document, "exchange", "provider_fees", "99999999")).refused(http.StatusConflict, "wrong_side")
	proposal := first.post("/api/admin/money/journal", entry(document, "bank_clearing", "provider_fees", "5.00")).is(http.StatusCreated).text("id")
	require.Zero(t, h.bank())
	first.post("/api/admin/money/proposals/"+proposal+"/approve", `{}`).refused(http.StatusForbidden, "own_proposal")
	second.post("/api/admin/money/proposals/"+proposal+"/approve", `{}`).is(http.StatusOK)
	require.EqualValues(t, -500, h.bank())
	var list []correctionapi.MoneyProposal
	first.get("/api/admin/money/proposals?status=all&kind=journal").is(http.StatusOK).read(&list)
	require.Equal(t, "5.00", list[0].Act.Lines[0].Amount)
	require.Equal(t, "approved", list[0].Status)
}
