package voucher

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	executionapi "github.com/tradepost/tradepost/api/execution"
	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
	"github.com/tradepost/tradepost/workflows"
)

type newVoucherInput struct {
	Key  string `header:"Idempotency-Key" minLength:"8" maxLength:"100" doc:"once per voucher; a repeat gets the same one, so that a broken batch can be resumed"`
	Body NewVoucher
}

// GenerateVoucher makes one voucher. Its code is in the answer, and nowhere else
// in clear: what is remembered for a repeat is sealed.
func (h *Handlers) GenerateVoucher(ctx context.Context, in *newVoucherInput) (*rest.Body[MadeVoucher], error) {
	currency := money.Currency(in.Body.Currency)
	if err := voucher.CheckCurrency(h.Vouchers.Limits.Offer, currency); err != nil {
		return nil, err
	}
	amount, err := currency.Parse(strings.TrimSpace(in.Body.Amount))
	if err != nil || amount.Sign() <= 0 {
		return nil, store.Invalid("amount", "invalid_amount", "Please enter a valid amount")
	}
	canonical, err := json.Marshal(in.Body)
	if err != nil {
		return nil, err
	}
	sum, who := sha256.Sum256(canonical), rest.Viewer(ctx)
	intent := store.IdempotencyKey{UserID: who.ActorID, Key: in.Key, Route: "generateVoucher", BodyHash: sum[:]}
	answer, _, err := h.DB.Once(ctx, intent, func(tx *store.DB) (store.Answer, error) {
		made, err := voucher.MakeVoucher(ctx, tx, h.Vault, voucher.NewVoucher{Actor: who, BatchID: rest.Word(in.Body.BatchID), Amount: amount, Currency: currency,
			ExpiresAt: in.Body.ExpiresAt, Limits: h.Vouchers.Limits})
		if err != nil {
			return store.Answer{}, err
		}
		return h.sealedAnswer(made)
	})
	if err != nil {
		return nil, err
	}
	return h.openedAnswer(answer)
}

// answerPlace is where the code in a remembered answer is sealed for.
func answerPlace(voucherID string) secret.Place {
	return secret.Place{Table: "idempotency_keys", Column: "body", ID: voucherID}
}

// sealedAnswer is the answer as it is remembered.
func (h *Handlers) sealedAnswer(v *voucher.Voucher) (store.Answer, error) {
	code, err := voucher.VoucherCode(h.Vault, v)
	if err != nil {
		return store.Answer{}, err
	}
	sealed, err := h.Vault.Seal(answerPlace(v.ID), []byte(code))
	if err != nil {
		return store.Answer{}, err
	}
	text, err := json.Marshal(MadeVoucher{ID: v.ID, Reference: v.Reference, BatchID: v.BatchID, Code: base64.StdEncoding.EncodeToString(sealed),
		Amount: v.Currency.Format(v.Amount), Currency: VoucherCurrency(v.Currency), Status: string(v.Status), ExpiresAt: v.ExpiresAt, CreatedAt: v.CreatedAt})
	return store.Answer{Status: http.StatusCreated, Body: string(text)}, err
}

func (h *Handlers) openedAnswer(answer store.Answer) (*rest.Body[MadeVoucher], error) {
	var out MadeVoucher
	if err := json.Unmarshal([]byte(answer.Body), &out); err != nil {
		return nil, err
	}
	sealed, err := base64.StdEncoding.DecodeString(out.Code)
	if err != nil {
		return nil, fmt.Errorf("read a remembered voucher: %w", err)
	}
	code, err := h.Vault.Open(answerPlace(out.ID), sealed)
	if err != nil {
		return nil, fmt.Errorf("open a remembered voucher: %w", err)
	}
	out.Code = string(code)
	return &rest.Body[MadeVoucher]{Body: out}, nil
}

// VoucherFilter is what narrows the admin's vouchers.
type VoucherFilter struct {
	Status   string                `query:"status" enum:"all,waiting,awaiting_approval,active,redeemed,paid,voided,expired" default:"all" doc:"waiting: its redemption waits for a person"`
	Currency VoucherCurrencyFilter `query:"currency" default:"all"`
	Batch    string                `query:"batch" maxLength:"36" doc:"the id of a batch"`
	Query    string                `query:"q" maxLength:"100" doc:"the last four digits of the code, a reference or an id of a voucher or its redemption, or the redeemer's name or e-mail"`
}

// model refuses a batch that is none.
func (f VoucherFilter) model() (voucher.VoucherFilter, error) {
	if f.Batch != "" && !store.IsID(f.Batch) {
		return voucher.VoucherFilter{}, store.Invalid("batch", "bad_id", "Enter a batch's UUID")
	}
	out := voucher.VoucherFilter{Currency: money.Currency(rest.UnlessAll(f.Currency)), BatchID: f.Batch, Query: strings.TrimSpace(f.Query)}
	if out.Waiting = f.Status == "waiting"; !out.Waiting {
		out.Status = voucher.VoucherStatus(rest.UnlessAll(f.Status))
	}
	return out, nil
}

type listAdminVouchersInput struct {
	rest.Paging
	VoucherFilter
	caseworkapi.Actionable
}

// ListAdminVouchers answers GET /api/admin/vouchers.
func (h *Handlers) ListAdminVouchers(ctx context.Context, in *listAdminVouchersInput) (*rest.Page[AdminVoucher], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	filter, err := in.model()
	if err != nil {
		return nil, err
	}
	filter.Actionable, wanted.OldestFirst = in.Actionable.Actionable, in.Actionable.Actionable
	rows, next, err := voucher.Vouchers(ctx, h.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	total, err := h.matchingVouchers(ctx, filter)
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	view := func(v *voucher.StaffVoucher) AdminVoucher { return h.adminVoucher(v, who) }
	return &rest.Page[AdminVoucher]{Link: rest.LinkTo(ctx, next, wanted.Limit), Total: total, Body: rest.Mapped(rows, view)}, nil
}

// matchingVouchers counts the vouchers that a filter lets through.
func (h *Handlers) matchingVouchers(ctx context.Context, f voucher.VoucherFilter) (int, error) {
	switch {
	case f.Actionable:
		return voucher.CountActionableVouchers(ctx, h.DB, f)
	case f.Waiting:
		return voucher.CountWaitingVouchers(ctx, h.DB, f)
	}
	counts, err := voucher.CountVouchersFound(ctx, h.DB, f)
	return counts.Matching(f.Status), err
}

// GetVouchersSummary is the statistics card, of all vouchers, and the counts of
// those that the filters beside the status let through.
func (h *Handlers) GetVouchersSummary(ctx context.Context, in *VoucherFilter) (*rest.Body[VouchersSummary], error) {
	filter, err := in.model()
	if err != nil {
		return nil, err
	}
	counts, err := voucher.CountVouchers(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	found, err := voucher.CountVouchersFound(ctx, h.DB, filter)
	if err != nil {
		return nil, err
	}
	matching, err := h.matchingVouchers(ctx, filter)
	if err != nil {
		return nil, err
	}
	beside := filter
	beside.Status, beside.Waiting = "", false
	actionable, err := voucher.CountActionableVouchers(ctx, h.DB, beside)
	if err != nil {
		return nil, err
	}
	values := counts.Values
	out := VouchersSummary{Total: found.Total, ByStatus: map[string]int{}, RedeemedToday: counts.RedeemedToday, RedeemedValue: money.USD.Format(counts.TodayValue),
		TotalValue:       money.USD.Format(values[voucher.VoucherActive].Add(values[voucher.VoucherRedeemed]).Add(values[voucher.VoucherPaid])),
		OutstandingValue: money.USD.Format(values[voucher.VoucherActive]), Waiting: counts.Waiting, Actionable: actionable, MatchingFilters: matching}
	for _, status := range voucher.VoucherStatuses {
		out.ByStatus[string(status)] = found.ByStatus[status]
	}
	if ended := counts.Sent + counts.Restored; ended > 0 {
		rate := fmt.Sprintf("%d.%d", 100*counts.Sent/ended, 1000*counts.Sent/ended%10)
		out.SuccessRate = &rate
	}
	return &rest.Body[VouchersSummary]{Body: out}, nil
}

// adminVoucher is a voucher as staff see it.
func (h *Handlers) adminVoucher(v *voucher.StaffVoucher, who *account.Principal) AdminVoucher {
	view := AdminVoucher{ID: v.ID, Reference: v.Reference, Last4: v.Last4, BatchID: v.BatchID, Amount: v.Currency.Format(v.Amount), Currency: VoucherCurrency(v.Currency),
		USDValue: money.USD.Format(v.USDValue), Status: string(v.Status), ExpiresAt: v.ExpiresAt, CreatedBy: v.MakerEmail, ApprovedBy: v.ApproverEmail,
		EndReason: v.EndReason, WaitsSince: v.WaitsSince(), Actions: h.voucherActions(v, who), CreatedAt: v.CreatedAt, UpdatedAt: v.UpdatedAt}
	if r := v.Redemption; r != nil {
		view.Redemption = &AdminRedemption{RedeemedVoucher: redeemedVoucher(r), UserID: r.UserID, Customer: rest.Word(v.RedeemerEmail), Attention: VoucherReason(rest.Word(r.AttentionReason)),
			Since: r.AttentionSince, RetryCount: r.RetryCount, LastError: r.LastError, WorkflowURL: h.WorkflowURL(workflows.CaseID(voucher.KindVoucher, r.ID))}
	}
	if v.DecisionID != nil && v.DecisionAt != nil {
		view.Decision = &caseworkapi.Decision{ID: *v.DecisionID, Kind: *v.DecisionKind, CreatedAt: *v.DecisionAt}
	}
	return view
}

// voucherActions are the caller's actions on a voucher.
func (h *Handlers) voucherActions(v *voucher.StaffVoucher, who *account.Principal) []string {
	actions := []string{}
	if !h.Policy.Allows(rest.RolesOf(who), policy.Configure) {
		return actions
	}
	if v.Status == voucher.VoucherAwaiting && v.CreatedBy != who.UserID {
		actions = append(actions, "approve")
	}
	if v.Status == voucher.VoucherAwaiting || v.Status == voucher.VoucherActive {
		actions = append(actions, "void")
	}
	if v.Redemption != nil && v.DecisionID == nil && v.Redemption.UserID != who.UserID {
		actions = append(actions, voucher.VoucherDecisions(v.Redemption)...)
		if v.TransferRemoved {
			actions = append(actions, voucher.VoucherTransferDead)
		}
	}
	return actions
}

// GetAdminVoucher answers GET /api/admin/vouchers/{id}.
func (h *Handlers) GetAdminVoucher(ctx context.Context, in *rest.ObjectID) (*rest.Body[AdminVoucherDetail], error) {
	v, err := voucher.ReadVoucher(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	rows, _, err := voucher.Vouchers(ctx, h.DB, voucher.VoucherFilter{Query: v.Reference}, store.Page{Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, store.NotFound("Voucher")
	}
	out := AdminVoucherDetail{AdminVoucher: h.adminVoucher(&rows[0], rest.PrincipalOf(ctx)), Events: []VoucherEvent{}, Decisions: []caseworkapi.TakenDecision{},
		Postings: []ledgerapi.LedgerPosting{}, Transfers: []executionapi.AdminWithdrawal{}}
	if v.RedemptionID == nil {
		return &rest.Body[AdminVoucherDetail]{Body: out}, nil
	}
	record, err := voucher.ReadVoucherRecord(ctx, h.DB, *v.RedemptionID)
	if err != nil {
		return nil, err
	}
	out.Events, out.Postings, out.Transfers = rest.Mapped(record.Events, voucherEvent), ledgerapi.ShownPostings(ctx, h.Policy, record.Postings), rest.Mapped(record.Transfers, executionapi.ShownWithdrawal)
	out.Decisions = rest.Mapped(record.Decisions, caseworkapi.ShownDecision)
	return &rest.Body[AdminVoucherDetail]{Body: out}, nil
}

type voidVoucherInput struct {
	rest.ObjectID
	Body VoucherVoid
}

type done struct{ Status int }

// VoidVoucher answers POST /api/admin/vouchers/{id}/void.
func (h *Handlers) VoidVoucher(ctx context.Context, in *voidVoucherInput) (*done, error) {
	if err := voucher.VoidVoucher(ctx, h.DB, in.ID, in.Body.Reason, h.Vouchers.Limits.Alone, rest.Viewer(ctx)); err != nil {
		return nil, err
	}
	return &done{http.StatusNoContent}, nil
}

type decideVoucherInput struct {
	rest.ObjectID
	Body struct {
		Reason string `json:"reason" maxLength:"500"`
	}
}

// ResumeVoucher answers POST /api/admin/vouchers/{id}/resume.
func (h *Handlers) ResumeVoucher(ctx context.Context, in *decideVoucherInput) (*caseworkapi.Decided, error) {
	return h.decideVoucher(ctx, in, voucher.VoucherResume, "The redemption continues.")
}

// RestoreVoucher answers POST /api/admin/vouchers/{id}/restore.
func (h *Handlers) RestoreVoucher(ctx context.Context, in *decideVoucherInput) (*caseworkapi.Decided, error) {
	decided, err := h.decideVoucher(ctx, in, voucher.VoucherRestore, "The voucher was restored and can be redeemed again.")
	if err != nil || decided.Status != http.StatusOK {
		return decided, err
	}
	v, err := voucher.ReadVoucher(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	if v.Status == voucher.VoucherVoided {
		decided.Body.Message = "The redemption was canceled. The voucher is void, because its batch was voided."
	}
	return decided, nil
}

type deadVoucherInput struct {
	rest.ObjectID
	Body executionapi.TransferDeath
}

// DeclareVoucherTransferDead proposes that the transfer of a redemption, which custody
// calls removed, can never confirm.
func (h *Handlers) DeclareVoucherTransferDead(ctx context.Context, in *deadVoucherInput) (*caseworkapi.Decided, error) {
	voucher, err := h.redeemed(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	act := &correction.VoucherTransfer{RedemptionID: *voucher.RedemptionID, Seen: strings.TrimSpace(in.Body.Evidence), Said: strings.TrimSpace(in.Body.Reason)}
	row, err := correction.ProposeMoney(ctx, h.DB, act, "", rest.By(ctx, act.Said))
	if err != nil {
		return nil, err
	}
	return &caseworkapi.Decided{Status: http.StatusAccepted, Body: caseworkapi.Outcome{DecisionID: row.ID, State: "proposed", Status: string(voucher.Status), Message: executionapi.TransferProposed}}, nil
}

// redeemed reads a voucher that was redeemed.
func (h *Handlers) redeemed(ctx context.Context, id string) (*voucher.Voucher, error) {
	voucher, err := voucher.ReadVoucher(ctx, h.DB, id)
	if err == nil && voucher.RedemptionID == nil {
		return nil, store.Conflict("redemption_state", "This voucher hasn't been redeemed")
	}
	return voucher, err
}

// VoucherOutcomes are the messages for decisions about a redemption that could not be
// executed.
var VoucherOutcomes = map[string]string{
	workflows.NotAwaited: "The redemption has changed. Refresh the page.",
	"redemption_state":   "The redemption has changed. Refresh the page.",
	"transfer_open":      "A transfer may still be sent. Resume first to check.",
	"purchase_open":      "A purchase may still be made. Resume first to check.",
}

// decideVoucher delivers a decision about a voucher's redemption. A reason is required,
// because a person overrides a failure.
func (h *Handlers) decideVoucher(ctx context.Context, in *decideVoucherInput, kind, text string) (*caseworkapi.Decided, error) {
	if strings.TrimSpace(in.Body.Reason) == "" {
		return nil, store.Invalid("reason", "required", "Enter a reason")
	}
	v, err := h.redeemed(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	decision, err := voucher.OpenVoucherDecision(ctx, h.DB, *v.RedemptionID, caseworkapi.Asked(ctx, casework.NewCaseDecision{Kind: kind, Reason: in.Body.Reason}))
	if err != nil {
		return nil, err
	}
	return h.Execute(ctx, decision, VoucherOutcomes, text)
}

type exportVouchersInput struct {
	Batch string `query:"batch" maxLength:"64" doc:"only this batch"`
}

// ExportVouchers is the CSV of specification §9, of the vouchers that can be handed out.
// It reveals codes, so it is a post, and in the audit log before it answers.
func (h *Handlers) ExportVouchers(ctx context.Context, in *exportVouchersInput) (*huma.StreamResponse, error) {
	if in.Batch != "" && !store.IsID(in.Batch) {
		return nil, store.Invalid("batch", "bad_id", "Enter a batch's UUID")
	}
	counts, err := voucher.CountVouchersFound(ctx, h.DB, voucher.VoucherFilter{BatchID: in.Batch})
	if err != nil {
		return nil, err
	}
	if counts.ByStatus[voucher.VoucherActive] == 0 {
		return nil, store.Conflict("no_vouchers", "Generate some vouchers first")
	}
	if err := h.RequireFreshCode(ctx); err != nil {
		return nil, err
	}
	if err := voucher.NoteExport(ctx, h.DB, in.Batch, rest.Viewer(ctx)); err != nil {
		return nil, err
	}
	header := []string{"Code", "Amount", "Currency", "Created"}
	return h.CSV(ctx, "vouchers", header, func(ctx context.Context, write func(cells []string) error) error {
		return voucher.EachVoucher(ctx, h.DB, in.Batch, func(v *voucher.Voucher) error {
			code, err := voucher.VoucherCode(h.Vault, v)
			if err != nil {
				return err
			}
			return write(rest.Inert(code, v.Currency.Format(v.Amount), string(v.Currency), v.CreatedAt.UTC().Format(time.RFC3339)))
		})
	})
}
