package api

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	orderapi "github.com/tradepost/tradepost/api/order"
	"github.com/tradepost/tradepost/api/policy"
	reportingapi "github.com/tradepost/tradepost/api/reporting"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/risk"
)

const approvalsPath = "/api/admin/approvals"

// approvals are the rows of a member of staff's inbox.
func (v *visitor) approvals(query string) (rows []reportingapi.Approval) {
	v.Helper()
	v.get(approvalsPath + "?limit=100&" + query).is(http.StatusOK).read(&rows)
	return rows
}

// approval is the one row about a thing.
func (v *visitor) approval(about string) reportingapi.Approval {
	v.Helper()
	rows := v.approvals("about=" + about)
	require.Len(v, rows, 1)
	return rows[0]
}

// approve approves a row by its own operation, as of a version.
func (v *visitor) approve(row *reportingapi.Approval, version string) *answer {
	v.Helper()
	with := func(more string) string { return `{"version":"` + version + `"` + more + `}` }
	detail := func(name string) string {
		i := slices.IndexFunc(row.Details, func(d reportingapi.ApprovalDetail) bool { return d.Name == name })
		require.GreaterOrEqual(v, i, 0, "%s of %s", name, row.Kind)
		return row.Details[i].Value
	}
	switch row.Kind {
	case "order_proposal":
		return v.post("/api/admin/orders/"+*row.ObjectID+"/proposal/approve", with(`,"proposalId":"`+row.ID+`"`))
	case "money_proposal":
		return v.post("/api/admin/money/proposals/"+row.ID+"/approve", with(""))
	case "closed_credit":
		return v.post("/api/admin/closed-credits/"+row.ID+"/pay-back", with(`,"reference":"`+row.BankReference+`","reason":"to where it came from"`))
	case "gift_card":
		v.post("/api/admin/gift-cards/"+row.ID+"/reveal", "").is(http.StatusOK)
		return v.post("/api/admin/gift-cards/"+row.ID+"/approve", with(`,"value":"`+strings.TrimSuffix(detail("found"), " USD")+`"`))
	case "payout":
		return v.post("/api/admin/payouts/"+row.ID+"/approve", with(""))
	case "risk_release":
		return v.post("/api/admin/risk/reviews/"+row.ID+"/release", with(`,"reason":"a namesake"`))
	case "break":
		return v.post("/api/admin/reconciliation/breaks/"+row.ID+"/approve", with(`,"difference":"`+row.Amount+`","account":"`+detail("account")+`"`))
	case "voucher_batch":
		return v.post("/api/admin/voucher-batches/"+row.ID+"/approve", with(""))
	case "voucher_void":
		return v.post("/api/admin/voucher-batches/"+row.ID+"/void/agree", with(""))
	case "treasury_move":
		return v.post(movesPath+"/"+row.ID+"/approve", with(""))
	case "role_proposal":
		return v.post("/api/admin/team/proposals/"+row.ID+"/approve", with(""))
	case "two_factor":
		return v.post("/api/admin/recoveries/"+row.ID+"/approve", with(`,"reason":"seen in person"`))
	}
	require.FailNow(v, "no operation approves "+string(row.Kind))
	return nil
}

// otherVersion is the version with another value of each fact, and how many facts it has.
func otherVersion(t *testing.T, version string) (other string, facts int) {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(version)
	require.NoError(t, err)
	var all [][2]string
	require.NoError(t, json.Unmarshal(raw, &all))
	for i := range all {
		all[i][1] += " before"
	}
	raw, err = json.Marshal(all)
	require.NoError(t, err)
	return base64.RawURLEncoding.EncodeToString(raw), len(all)
}

// lacks are the facts that an act has none of: what it is about belongs to no customer, has no bank line, or needs no
// reason.
var lacks = map[string]string{
	"approveGiftCard": "bank reason", "approvePayout": "bank reason", "generateVoucher": "bank reason customer", "generateVoucherBatch": "bank customer",
	"voidVoucherBatch": "bank customer", "resolveBreak": "bank customer", "proposeTreasuryMove": "bank customer", "claimGiftCard": "bank", "reverseGiftCardClaim": "bank", "sendBackMoney": "customer reference", "creditMoney": "reference",
	"recallMoney":    "reference",
	"proposeJournal": "amount bank customer reference", "releaseRisk": "bank", "releaseRisk, of a receipt": "bank", "refuseRisk": "bank", "refundOrder": "bank", "refundOrder, with less coin": "bank",
	"amendOrderAddress": "bank", "amendOrderAddress, of a receipt": "bank", "markOrderSent": "bank", "markOrderSent, of a receipt": "bank", "declareTransferDead": "bank",
	"approveKyc, rejected finally": "amount bank reference", "declareVoucherTransferDead": "bank", "payBackClosedCredit": "reference", "confirmPayment": "reason", "confirmPayment, a surplus": "reason",
}

var rawID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-`)

// Each act that waits for a second person is in the inbox with all that this person needs, whoever may decide it sees
// so, and it is approved only as it was shown.
func TestEveryActThatWaitsIsInTheInbox(t *testing.T) {
	h := openActs(t)
	contract, err := contracted()
	require.NoError(t, err)
	met := map[reportingapi.ApprovalKind]bool{}
	for _, name := range names(acts) {
		a := acts[name]
		c := h.cast(a, h.rolesFor(name)[0], &stage{pact: contract, act: name, played: map[string][]string{}})
		id := a.make(c, true)
		if strings.HasSuffix(name, ", of a receipt") {
			c.first = h.customer(c.role)
		}
		before := map[string]bool{}
		for _, row := range c.second.approvals("") {
			before[string(row.Kind)+row.ID] = true
		}
		asked := a.press(c, c.first, id)
		if c.outcomeOf(a, id, asked) != "waits" {
			continue
		}
		fresh := slices.DeleteFunc(c.second.approvals(""), func(row reportingapi.Approval) bool { return before[string(row.Kind)+row.ID] })
		require.Len(t, fresh, 1, "%s waits, and is in the inbox once", name)
		row := fresh[0]
		met[row.Kind] = true
		has := map[string]bool{"amount": row.Amount != "" && row.Currency != "", "customer": row.CustomerID != nil && row.Customer != "", "reason": row.Reason != "",
			"bank": row.BankReference != "", "reference": row.Reference != ""}
		for fact, is := range has {
			require.Equal(t, !slices.Contains(strings.Fields(lacks[name]), fact), is, "%s of %s: %+v", fact, name, row)
		}
		require.NotEmpty(t, row.Title, name)
		require.NotEmpty(t, row.Proposer, name)
		require.True(t, row.MayDecide, "%s: %+v", name, row)
		require.Positive(t, row.Eligible, name)
		require.Empty(t, row.Barred, name)
		if name != "resolveBreak" { // what its provider calls the effect
			own := slices.DeleteFunc(slices.Clone(row.Details), func(d reportingapi.ApprovalDetail) bool { return d.Name == "returnReference" }) // a bank's
			for _, text := range []string{row.Title, row.Reference, fmt.Sprint(own)} {
				require.NotRegexp(t, rawID, text, name)
			}
		}
		if !strings.HasSuffix(name, "of a receipt") {
			for _, barred := range []*visitor{c.first, c.alias} {
				mine := barred.approval(row.ID)
				require.False(t, mine.MayDecide, name)
				require.Equal(t, reporting.BarProposal, rest.Word(mine.Rule), name)
			}
		}
		require.True(t, slices.ContainsFunc(c.second.approvals("mine=true&kind="+string(row.Kind)), func(r reportingapi.Approval) bool { return r.ID == row.ID }), name)

		if row.Kind == "identity" { // its page names the version of the verification
			a.agree(c, c.second, id, asked).is(http.StatusOK)
			require.Equal(t, "done", c.outcomeOf(a, id, asked), name)
			continue
		}
		other, facts := otherVersion(t, row.Version)
		var refusal rest.Problem
		c.second.approve(&row, other).refused(http.StatusConflict, "proposal_changed").read(&refusal)
		require.Len(t, refusal.Changes, facts, "%s: each fact is compared", name)
		for _, changed := range refusal.Changes {
			require.Equal(t, changed.Is+" before", changed.Was, name)
		}
		c.second.approve(&row, "x").refused(http.StatusUnprocessableEntity, "bad_version")
		require.NotEqual(t, "done", c.outcomeOf(a, id, asked), name)
		approved := http.StatusOK
		if name == "refundOrder, with less coin" { // its customer is asked
			approved = http.StatusAccepted
		}
		c.second.approve(&row, row.Version).is(approved)
		require.Equal(t, "done", c.outcomeOf(a, id, asked), name)
		require.Empty(t, c.second.approvals("kind="+string(row.Kind)+"&about="+row.ID), "%s waits no more", name)
	}
	h.rolesWait(met)
	h.loosenedRulesWait(met)
	h.identitiesWait(met)
	h.recoveriesWait(met)
	for _, rules := range casework.ApprovalKinds() {
		require.True(t, met[reportingapi.ApprovalKind(rules.Kind)], "%s is in no inbox of this test", rules.Kind)
	}
}

// rolesWait proposes a role.
func (h *testServer) rolesWait(met map[reportingapi.ApprovalKind]bool) {
	h.Helper()
	member, first, second := h.customer("support"), h.customer("admin"), h.customer("admin")
	id := first.post("/api/admin/team/"+member.userID+"/propose", `{"roles":["support","finance"],"reason":"joins us"}`).is(http.StatusCreated).text("id")
	row := second.approval(id)
	met[row.Kind] = true
	require.Equal(h, "joins us", row.Reason)
	require.True(h, row.MayDecide)
	require.Contains(h, row.Details, reportingapi.ApprovalDetail{Name: "roles", Value: "finance, support"})
	require.Equal(h, reporting.BarProposal, rest.Word(first.approval(id).Rule))
	require.Empty(h, member.approvals("about="+id), "who grants no roles sees no proposal of them")
	other, _ := otherVersion(h.T, row.Version)
	second.approve(&row, other).refused(http.StatusConflict, "proposal_changed")
	second.approve(&row, row.Version).is(http.StatusOK)
}

// loosenedRulesWait loosens a rule as the first of two.
func (h *testServer) loosenedRulesWait(met map[reportingapi.ApprovalKind]bool) {
	h.Helper()
	first, second := h.customer("compliance"), h.customer("compliance")
	h.exec(`UPDATE risk_rules SET enabled = true, most = 5, hours = 1, score = 40, version = 1 WHERE code = $1`, risk.RiskOrdersHour)
	change := `{"enabled":true,"most":9,"hours":1,"score":40,"version":1,"reason":"too strict"}`
	first.unsafe(http.MethodPatch, "/api/admin/risk/rules/"+risk.RiskOrdersHour, change).refused(http.StatusConflict, "second_person")
	rows := second.approvals("kind=risk_loosening")
	require.Len(h, rows, 1)
	met[rows[0].Kind] = true
	require.True(h, rows[0].MayDecide)
	require.Equal(h, risk.RiskOrdersHour, rows[0].Reference)
	require.Contains(h, rows[0].Details, reportingapi.ApprovalDetail{Name: "change", Value: "from 9 within 1 hours, score 40"})
	second.unsafe(http.MethodPatch, "/api/admin/risk/rules/"+risk.RiskOrdersHour, change).is(http.StatusOK)
	require.Empty(h, second.approvals("kind=risk_loosening"))
}

// identitiesWait proposes to approve an identity that was rejected finally. It is decided on its own page, which names
// the version of the verification.
func (h *testServer) identitiesWait(met map[reportingapi.ApprovalKind]bool) {
	h.Helper()
	v, first, second := h.customer(), h.customer("compliance"), h.customer("compliance")
	h.exec(`INSERT INTO kyc_proposals (id, user_id, level, version, final_at, final_by, reason, proposed_by)
		VALUES (gen_random_uuid(), $1, 'standard', 1, clock_now(), 'provider', 'seen in person', $2)`, v.userID, first.userID)
	rows := second.approvals("kind=identity&about=" + v.userID)
	require.Len(h, rows, 1)
	met[rows[0].Kind] = true
	require.True(h, rows[0].MayDecide)
	require.Equal(h, "seen in person", rows[0].Reason)
	require.Equal(h, v.userID, rest.Word(rows[0].CustomerID))
	require.Equal(h, reporting.BarProposal, rest.Word(first.approval(rows[0].ID).Rule))
}

// recoveriesWait vouches for a person who lost their second factor.
func (h *testServer) recoveriesWait(met map[reportingapi.ApprovalKind]bool) {
	h.Helper()
	v, first, second := h.customer(), h.customer("admin"), h.customer("admin")
	v.enrol()
	h.exec(`INSERT INTO two_factor_recoveries (id, reference, user_id, status, ready_at, expires_at, vouched_by, vouched_at, created_at, updated_at)
		VALUES (gen_random_uuid(), '2F-1', $1, 'vouched', clock_now() - interval '1 hour', clock_now() + interval '1 day', $2, clock_now() - interval '2 hours', clock_now(), clock_now())`, v.userID, first.userID)
	rows := second.approvals("kind=two_factor")
	require.Len(h, rows, 1)
	met[rows[0].Kind] = true
	require.True(h, rows[0].MayDecide)
	require.Equal(h, v.userID, rest.Word(rows[0].CustomerID))
	other, _ := otherVersion(h.T, rows[0].Version)
	second.approve(&rows[0], other).refused(http.StatusConflict, "proposal_changed")
}

// A batch is approved as it was seen: vouchers that its maker adds afterwards are not activated with it.
func TestAVoucherBatchIsApprovedAsItWasSeen(t *testing.T) {
	h := openVault(t, unscaled, func(d *Dependencies) { d.Vouchers.Limits.Alone = money.FromInt(1) })
	maker, second := h.customer("admin"), h.customer("admin")
	made := maker.generate("20", "USD")
	add := func() {
		maker.post("/api/admin/vouchers", `{"amount":"2000","currency":"USD","batchId":"`+made.BatchID+`"}`, "Idempotency-Key", "row-00000002").is(http.StatusCreated)
	}
	seen := second.approval(made.BatchID)
	require.Equal(t, "20.00", seen.Amount)
	add()
	var refusal rest.Problem
	second.approve(&seen, seen.Version).refused(http.StatusConflict, "proposal_changed").read(&refusal)
	require.Contains(t, refusal.Changes, rest.ChangedFact{Field: "amount", Was: "20.00 USD", Is: "2020.00 USD"})
	require.Contains(t, refusal.Changes, rest.ChangedFact{Field: "quantity", Was: "1", Is: "2"})
	require.Zero(t, one[int](h, `SELECT count(*) FROM vouchers WHERE batch_id = $1 AND status = 'active'`, made.BatchID))
	now := second.approval(made.BatchID)
	second.approve(&now, now.Version).is(http.StatusOK)
	require.Equal(t, 2, one[int](h, `SELECT count(*) FROM vouchers WHERE batch_id = $1 AND status = 'active'`, made.BatchID))
}

// The roles that the inbox names for a kind are those that may call the operation that approves it.
func TestApproversAreThoseWhoMayCallTheOperation(t *testing.T) {
	h := open(t)
	approvedBy := map[casework.ApprovalKind]string{
		"order_proposal": "approveProposal", "money_proposal": "approveMoney", "closed_credit": "payBackClosedCredit", "gift_card": "approveGiftCard", "payout": "approvePayout",
		"risk_release": "releaseRisk", "risk_loosening": "changeRiskRule", "break": "approveBreak", "voucher_batch": "approveVouchers", "voucher_void": "agreeToVoidBatch",
		"treasury_move": "approveTreasuryMove", "identity": "approveKycProposal", "role_proposal": "approveRoles", "two_factor": "approveRecovery",
	}
	all := operations(t)
	for _, rules := range casework.ApprovalKinds() {
		i := slices.IndexFunc(all, func(op operation) bool { return op.id == approvedBy[rules.Kind] })
		require.GreaterOrEqual(t, i, 0, "%s: %q is no operation", rules.Kind, approvedBy[rules.Kind])
		var may []string
		for _, role := range []string{"admin", "compliance", "finance", "support"} {
			if h.server.policy.Allows([]string{role}, policy.Permission(all[i].permission)) {
				may = append(may, role)
			}
		}
		require.ElementsMatch(t, may, rules.Roles, "%s", rules.Kind)
	}
}

// What nobody may approve says which rule bars whom, opens an alert, and closes it once somebody may.
func TestWhatNobodyMayApproveSaysWhy(t *testing.T) {
	h := openVault(t, unscaled, func(d *Dependencies) { d.Vouchers.Limits.Alone = money.FromInt(1) })
	maker := h.customer("admin")
	alias, frozen := h.spelled(maker), h.customer("admin")
	h.exec(`UPDATE users SET frozen_at = clock_now(), frozen_reason = 'on leave' WHERE id = $1`, frozen.userID)
	made := maker.generate("20", "USD")
	row := maker.approval(made.BatchID)
	require.Zero(t, row.Eligible)
	require.Equal(t, reporting.BarProposal, rest.Word(row.Rule))
	rules := map[string]int{}
	for _, bar := range row.Barred {
		rules[bar.Rule]++
		require.NotEmpty(t, bar.Text)
	}
	require.Equal(t, map[string]int{reporting.BarProposal: 2, reporting.BarFrozen: 1}, rules, "%s and %s are one person", maker.userID, alias.userID)
	alerts := func() []string {
		require.NoError(t, reporting.WatchAlerts(t.Context(), h.db, reporting.AlertLimits{Approvers: time.Millisecond}, false))
		var texts []string
		open, err := reporting.OpenAlerts(t.Context(), h.db)
		require.NoError(t, err)
		for i := range open {
			if open[i].Kind == reporting.AlertApprovers && open[i].GoneAt == nil {
				texts = append(texts, open[i].Text())
			}
		}
		return texts
	}
	found := alerts()
	require.Len(t, found, 1)
	require.Contains(t, found[0], "Nobody may approve 1 batches of vouchers")
	other := h.customer("admin")
	require.Empty(t, alerts())
	require.True(t, other.approval(made.BatchID).MayDecide)
}

// Who may decide gets one mail when something begins to wait, and no second one within the hour; it names no amount
// and no person. Who began it, may not decide, is frozen or wants no such mails gets none.
func TestApproversAreMailedOnceAnHour(t *testing.T) {
	h := openVault(t, unscaled, func(d *Dependencies) { d.Vouchers.Limits.Alone = money.FromInt(1) })
	maker, other, support, frozen, muted := h.customer("admin"), h.customer("admin"), h.customer("support"), h.customer("admin"), h.customer("admin")
	h.exec(`UPDATE users SET frozen_at = clock_now(), frozen_reason = 'on leave' WHERE id = $1`, frozen.userID)
	h.exec(`INSERT INTO preferences (user_id, language, muted) VALUES ($1, 'en', '{approvals}') ON CONFLICT (user_id) DO UPDATE SET muted = '{approvals}'`, muted.userID)
	mails := func(v *visitor) int {
		return one[int](h, `SELECT count(*) FROM mails WHERE kind = 'approvals_waiting' AND user_id = $1`, v.userID)
	}
	send := func() { require.NoError(t, reporting.MailApprovals(t.Context(), h.db)) }
	maker.generate("20", "USD")
	send()
	send()
	require.Equal(t, []int{0, 1, 0, 0, 0}, []int{mails(maker), mails(other), mails(support), mails(frozen), mails(muted)})
	maker.generate("21", "USD")
	send()
	require.Equal(t, 1, mails(other), "one an hour at most")
	h.advance("61 minutes")
	send()
	require.Equal(t, 2, mails(other), "what began meanwhile is not lost")
	h.advance("61 minutes")
	send()
	require.Equal(t, 2, mails(other), "nothing new waits")
}

// A payment whose receipt is proposed waits for a second person, not for its customer.
func TestAProposedReceiptWaitsForASecondPerson(t *testing.T) {
	h := open(t, unscaled, func(d *Dependencies) { d.CreditTwoAbove = 1 })
	v, finance := h.customer(), h.customer("finance")
	id := v.order("domestic_wire")
	total := one[string](h, `SELECT to_char(total / 100, 'FM999999990.00') FROM orders WHERE id = $1`, id)
	finance.confirm(id, total, "FED-1").is(http.StatusAccepted)
	var list orderapi.PendingPayments
	finance.get("/api/admin/payments/pending").is(http.StatusOK).read(&list)
	i := slices.IndexFunc(list.Payments, func(p orderapi.PendingPayment) bool { return p.OrderID == id })
	require.GreaterOrEqual(t, i, 0)
	require.Nil(t, list.Payments[i].WaitsFor)
	require.NotNil(t, list.Payments[i].Proposal)
	require.Empty(t, list.Payments[i].Proposal.Reason, "the bank reference stands beside it")
	require.Equal(t, "FED-1", rest.Word(list.Payments[i].Proposal.BankReference))
}

// No refund is offered that is always rejected: while the bank holds the money of a dispute, after it was lost, beside
// another refund, and while a transfer that custody lost may still confirm.
func TestRefundThatIsAlwaysRejectedIsNotOffered(t *testing.T) {
	h := open(t, unscaled)
	v, finance := h.customer(), h.customer("finance")
	disputed := func(status string) func(id string, total money.Units) {
		return func(id string, total money.Units) {
			r := order.DisputeReading{ID: "dp_" + id, Status: status, Reason: "fraudulent", Amount: total, Withdrawn: total}
			_, err := order.RecordDispute(t.Context(), h.db, id, r)
			require.NoError(t, err)
		}
	}
	for code, happens := range map[string]func(id string, total money.Units){
		"disputed":       disputed(order.DisputeOpen),
		"refund_exceeds": disputed(order.DisputeLost),
		"refund_open": func(id string, _ money.Units) {
			finance.post("/api/admin/orders/"+id+"/refund", `{"reason":"a gesture","amount":"1.00"}`).is(http.StatusAccepted)
		},
		"transfer_in_doubt": func(id string, _ money.Units) {
			h.exec(`INSERT INTO withdrawals
					(id, order_id, user_id, generation, asset, network, address, amount, sequence_id, status)
				SELECT gen_random_uuid(), id, user_id, 1, asset, network, dest_address, amount,
					'ord-' || id || '-send-1', 'removed' FROM orders WHERE id = $1`, id)
		},
	} {
		id := v.order("card")
		h.authorise(id)
		h.exec(`UPDATE payments SET captured_at = clock_now(), admin_approval_status = 'approved' WHERE order_id = $1`, id)
		h.exec(`UPDATE orders SET status = 'sent', paid_at = clock_now(), sent_at = clock_now(), txid = 'x'
			WHERE id = $1`, id)
		offered := func() []string {
			var detail orderapi.AdminOrderDetail
			finance.get("/api/admin/orders/" + id).is(http.StatusOK).read(&detail)
			return detail.Actions
		}
		require.Contains(t, offered(), order.DecisionRefund, code)
		require.Contains(t, offered(), order.ActionRefundPart, code)
		happens(id, money.FromInt(one[int64](h, `SELECT total::bigint FROM orders WHERE id = $1`, id)))
		finance.post("/api/admin/orders/"+id+"/refund", `{"reason":"a gesture"}`).refused(http.StatusConflict, code)
		require.NotContains(t, offered(), order.DecisionRefund, code)
		require.NotContains(t, offered(), order.ActionRefundPart, code)
	}
}
