package reporting

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/reconciliation"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/risk"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/team"
	"github.com/tradepost/tradepost/models/treasury"
	"github.com/tradepost/tradepost/models/voucher"
)

// approvalNeeds are the permissions of the lists that the approvals of each kind are in: the inbox shows nothing that
// its reader could not list.
var approvalNeeds = map[casework.ApprovalKind]policy.Permission{
	order.KindProposal: policy.ReadCustomers, correction.KindMoneyProposal: policy.ReadLedger, correction.KindClosedCredit: policy.DecidePayments,
	giftcard.KindApproval: policy.ReadCustomers, payout.KindApproval: policy.ReadCustomers, kyc.KindProposal: policy.ReadCustomers, risk.KindRelease: policy.ReadCustomers, risk.KindLoosening: policy.ReadCustomers,
	reconciliation.KindProposal: policy.ReadLedger, voucher.KindBatch: policy.ReadCustomers, voucher.KindVoid: policy.ReadCustomers,
	treasury.KindApproval: policy.DecidePayments, team.KindApproval: policy.GrantRoles, account.KindRecovery: policy.LiftFactors,
}

// approvalFilter is the inbox that the caller may read.
func (h *Handlers) approvalFilter(who *account.Principal) reporting.ApprovalFilter {
	f := reporting.ApprovalFilter{Reader: who.UserID}
	for _, rules := range casework.ApprovalKinds() {
		if needs, known := approvalNeeds[rules.Kind]; known && h.Policy.Allows(rest.RolesOf(who), needs) {
			f.Kinds = append(f.Kinds, rules.Kind)
		}
	}
	return f
}

type listApprovalsInput struct {
	rest.Paging
	Mine  bool               `query:"mine" doc:"only what the signed-in person may decide"`
	Kind  ApprovalKindFilter `query:"kind" default:"all"`
	About string             `query:"about" format:"uuid" doc:"only the one of this id, or those about this object"`
}

// ListApprovals lists the inbox of approvals.
func (h *Handlers) ListApprovals(ctx context.Context, in *listApprovalsInput) (*rest.Uncounted[Approval], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	if in.About != "" && !store.IsID(in.About) {
		return nil, store.Invalid("about", "bad_id", "Enter a UUID")
	}
	f := h.approvalFilter(rest.PrincipalOf(ctx))
	f.Mine, f.About = in.Mine, in.About
	if kind := rest.UnlessAll(in.Kind); kind != "" {
		f.Kinds = slices.DeleteFunc(f.Kinds, func(k casework.ApprovalKind) bool { return string(k) != string(kind) })
	}
	rows, next, err := reporting.Approvals(ctx, h.DB, f, wanted)
	if err != nil {
		return nil, err
	}
	return &rest.Uncounted[Approval]{Link: rest.LinkTo(ctx, next, wanted.Limit), Body: rest.Mapped(rows, shownApproval)}, nil
}

func shownApproval(r *reporting.ApprovalRow) Approval {
	view := Approval{ID: r.ID, Kind: ApprovalKind(r.Kind), Act: r.Act, Title: r.Title(), Since: r.Since.UTC(), CustomerID: r.CustomerID, Customer: r.CustomerName, CustomerEmail: r.CustomerEmail,
		ObjectKind: r.ObjectKind, ObjectID: r.ObjectID, Reference: r.Reference, BankReference: r.BankReference, BankDate: r.BankDate, BankSender: r.BankSender, Reason: r.Reason,
		DocumentID: r.DocumentID, Proposer: strings.Join(r.Proposers, ", "), Version: r.Version(), MayDecide: r.Barred == nil, Details: []ApprovalDetail{}, Lines: []ApprovalLine{},
		Eligible: r.Eligible, Barred: rest.Mapped(r.Bars, approvalBar)}
	if r.Amount != nil && r.Currency != nil {
		view.Amount, view.Currency = r.Currency.Format(*r.Amount), string(*r.Currency)
	}
	if r.Coins != nil && r.Asset != nil {
		view.Coins, view.Asset = r.Asset.Format(*r.Coins), string(*r.Asset)
	}
	if r.Barred != nil {
		view.Rule = rest.Optional(r.Barred.Rule)
	}
	details := r.AllDetails()
	for _, name := range slices.Sorted(maps.Keys(details)) {
		switch value := details[name].(type) {
		case string:
			view.Details = append(view.Details, ApprovalDetail{Name: name, Value: value})
		case []any:
			view.Lines = approvalLines(value)
		}
	}
	return view
}

func approvalBar(b *reporting.Bar) ApprovalBar {
	return ApprovalBar{Name: b.Name, Rule: b.Rule, Text: b.Text()}
}

// approvalLines are the lines of a journal entry.
func approvalLines(stored []any) []ApprovalLine {
	text, _ := json.Marshal(stored) // read from JSON
	var lines []correction.JournalLine
	_ = json.Unmarshal(text, &lines) // the proposal's own form
	return rest.Mapped(lines, func(l *correction.JournalLine) ApprovalLine {
		return ApprovalLine{From: l.From, To: l.To, Currency: string(l.Currency), Amount: l.Currency.Format(l.Amount)}
	})
}

// approvalsQueue counts what the caller may decide, for the sidebar; nil when there is nothing.
func (h *Handlers) approvalsQueue(ctx context.Context) ([]PlatformQueue, error) {
	f := h.approvalFilter(rest.PrincipalOf(ctx))
	f.Mine = true
	n, oldest, err := reporting.CountApprovals(ctx, h.DB, f)
	if err != nil || n == 0 {
		return nil, err
	}
	return []PlatformQueue{{Name: "approvals", Count: n, Oldest: oldest.UTC()}}, nil
}
