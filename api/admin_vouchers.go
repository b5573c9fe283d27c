package api

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

	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/audit"
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

// generateVoucher makes one voucher. Its code is in the answer, and nowhere else
// in clear: what is remembered for a repeat is sealed.
func (s *Server) generateVoucher(ctx context.Context, in *newVoucherInput) (*body[MadeVoucher], error) {
	currency := money.Currency(in.Body.Currency)
	if err := voucher.CheckCurrency(s.Vouchers.Limits.Offer, currency); err != nil {
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
	sum, who := sha256.Sum256(canonical), viewer(ctx)
	intent := store.IdempotencyKey{UserID: who.ActorID, Key: in.Key, Route: "generateVoucher", BodyHash: sum[:]}
	answer, _, err := s.DB.Once(ctx, intent, func(tx *store.DB) (store.Answer, error) {
		made, err := voucher.MakeVoucher(ctx, tx, s.Vault, voucher.NewVoucher{Actor: who, BatchID: word(in.Body.BatchID), Amount: amount, Currency: currency,
			ExpiresAt: in.Body.ExpiresAt, Limits: s.Vouchers.Limits})
		if err != nil {
			return store.Answer{}, err
		}
		return s.sealedAnswer(made)
	})
	if err != nil {
		return nil, err
	}
	return s.openedAnswer(answer)
}

// answerPlace is where the code in a remembered answer is sealed for.
func answerPlace(voucherID string) secret.Place {
	return secret.Place{Table: "idempotency_keys", Column: "body", ID: voucherID}
}

// sealedAnswer is the answer as it is remembered.
func (s *Server) sealedAnswer(v *voucher.Voucher) (store.Answer, error) {
	code, err := voucher.VoucherCode(s.Vault, v)
	if err != nil {
		return store.Answer{}, err
	}
	sealed, err := s.Vault.Seal(answerPlace(v.ID), []byte(code))
	if err != nil {
		return store.Answer{}, err
	}
	text, err := json.Marshal(MadeVoucher{ID: v.ID, Reference: v.Reference, BatchID: v.BatchID, Code: base64.StdEncoding.EncodeToString(sealed),
		Amount: v.Currency.Format(v.Amount), Currency: string(v.Currency), Status: string(v.Status), ExpiresAt: v.ExpiresAt, CreatedAt: v.CreatedAt})
	return store.Answer{Status: http.StatusCreated, Body: string(text)}, err
}

func (s *Server) openedAnswer(answer store.Answer) (*body[MadeVoucher], error) {
	var out MadeVoucher
	if err := json.Unmarshal([]byte(answer.Body), &out); err != nil {
		return nil, err
	}
	sealed, err := base64.StdEncoding.DecodeString(out.Code)
	if err != nil {
		return nil, fmt.Errorf("read a remembered voucher: %w", err)
	}
	code, err := s.Vault.Open(answerPlace(out.ID), sealed)
	if err != nil {
		return nil, fmt.Errorf("open a remembered voucher: %w", err)
	}
	out.Code = string(code)
	return &body[MadeVoucher]{out}, nil
}

// viewer is the signed-in person, for the audit log.
func viewer(ctx context.Context) store.Actor {
	who := principalOf(ctx)
	return store.Actor{ActorID: who.UserID, ActorRole: actorRole(who), RequestID: requestID(ctx)}
}

// VoucherFilter is what narrows the admin's vouchers.
type VoucherFilter struct {
	Status   string `query:"status" enum:"all,waiting,awaiting_approval,active,redeemed,paid,voided,expired" default:"all" doc:"waiting: its redemption waits for a person"`
	Currency string `query:"currency" enum:"all,USD,BTC,ETH" default:"all"`
	Batch    string `query:"batch" maxLength:"36" doc:"the id of a batch"`
	Query    string `query:"q" maxLength:"100" doc:"the last four digits of the code, a reference or an id of a voucher or its redemption, or the redeemer's name or e-mail"`
}

// model refuses a batch that is none.
func (f VoucherFilter) model() (voucher.VoucherFilter, error) {
	if f.Batch != "" && !store.IsID(f.Batch) {
		return voucher.VoucherFilter{}, store.Invalid("batch", "bad_id", "Enter a batch's UUID")
	}
	out := voucher.VoucherFilter{Currency: money.Currency(unlessAll(f.Currency)), BatchID: f.Batch, Query: strings.TrimSpace(f.Query)}
	if out.Waiting = f.Status == "waiting"; !out.Waiting {
		out.Status = voucher.VoucherStatus(unlessAll(f.Status))
	}
	return out, nil
}

type listAdminVouchersInput struct {
	Paging
	VoucherFilter
	Actionable
}

func (s *Server) listAdminVouchers(ctx context.Context, in *listAdminVouchersInput) (*page[AdminVoucher], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	filter, err := in.model()
	if err != nil {
		return nil, err
	}
	filter.Actionable, wanted.OldestFirst = in.Actionable.Actionable, in.Actionable.Actionable
	rows, next, err := voucher.Vouchers(ctx, s.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	total, err := s.matchingVouchers(ctx, filter)
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	view := func(v *voucher.StaffVoucher) AdminVoucher { return s.adminVoucher(v, who) }
	return &page[AdminVoucher]{Link: linkTo(ctx, next, wanted.Limit), Total: total, Body: mapped(rows, view)}, nil
}

// matchingVouchers counts the vouchers that a filter lets through.
func (s *Server) matchingVouchers(ctx context.Context, f voucher.VoucherFilter) (int, error) {
	switch {
	case f.Actionable:
		return voucher.CountActionableVouchers(ctx, s.DB, f)
	case f.Waiting:
		return voucher.CountWaitingVouchers(ctx, s.DB, f)
	}
	counts, err := voucher.CountVouchersFound(ctx, s.DB, f)
	return counts.Matching(f.Status), err
}

// getVouchersSummary is the statistics card, of all vouchers, and the counts of
// those that the filters beside the status let through.
func (s *Server) getVouchersSummary(ctx context.Context, in *VoucherFilter) (*body[VouchersSummary], error) {
	filter, err := in.model()
	if err != nil {
		return nil, err
	}
	counts, err := voucher.CountVouchers(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	found, err := voucher.CountVouchersFound(ctx, s.DB, filter)
	if err != nil {
		return nil, err
	}
	matching, err := s.matchingVouchers(ctx, filter)
	if err != nil {
		return nil, err
	}
	beside := filter
	beside.Status, beside.Waiting = "", false
	actionable, err := voucher.CountActionableVouchers(ctx, s.DB, beside)
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
	return &body[VouchersSummary]{out}, nil
}

// adminVoucher is a voucher as staff see it.
func (s *Server) adminVoucher(v *voucher.StaffVoucher, who *account.Principal) AdminVoucher {
	view := AdminVoucher{ID: v.ID, Reference: v.Reference, Last4: v.Last4, BatchID: v.BatchID, Amount: v.Currency.Format(v.Amount), Currency: string(v.Currency),
		USDValue: money.USD.Format(v.USDValue), Status: string(v.Status), ExpiresAt: v.ExpiresAt, CreatedBy: v.MakerEmail, ApprovedBy: v.ApproverEmail,
		EndReason: v.EndReason, WaitsSince: v.WaitsSince(), Actions: s.voucherActions(v, who), CreatedAt: v.CreatedAt, UpdatedAt: v.UpdatedAt}
	if r := v.Redemption; r != nil {
		view.Redemption = &AdminRedemption{RedeemedVoucher: redeemedVoucher(r), UserID: r.UserID, Customer: word(v.RedeemerEmail), Attention: VoucherReason(word(r.AttentionReason)),
			Since: r.AttentionSince, RetryCount: r.RetryCount, LastError: r.LastError, WorkflowURL: s.workflowURL(workflows.CaseID(voucher.KindVoucher, r.ID))}
	}
	if v.DecisionID != nil && v.DecisionAt != nil {
		view.Decision = &Decision{ID: *v.DecisionID, Kind: *v.DecisionKind, CreatedAt: *v.DecisionAt}
	}
	return view
}

// voucherActions are the buttons the signed-in person has on a voucher.
func (s *Server) voucherActions(v *voucher.StaffVoucher, who *account.Principal) []string {
	actions := []string{}
	if !s.policy.allows(rolesOf(who), configure) {
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

func (s *Server) getAdminVoucher(ctx context.Context, in *ObjectID) (*body[AdminVoucherDetail], error) {
	v, err := voucher.ReadVoucher(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	rows, _, err := voucher.Vouchers(ctx, s.DB, voucher.VoucherFilter{Query: v.Reference}, store.Page{Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, store.NotFound("Voucher")
	}
	out := AdminVoucherDetail{AdminVoucher: s.adminVoucher(&rows[0], principalOf(ctx)), Events: []VoucherEvent{}, Decisions: []TakenDecision{},
		Postings: []LedgerPosting{}, Transfers: []AdminWithdrawal{}}
	if v.RedemptionID == nil {
		return &body[AdminVoucherDetail]{out}, nil
	}
	record, err := voucher.ReadVoucherRecord(ctx, s.DB, *v.RedemptionID)
	if err != nil {
		return nil, err
	}
	out.Events, out.Postings, out.Transfers = mapped(record.Events, voucherEvent), mapped(record.Postings, ledgerPosting), mapped(record.Transfers, adminWithdrawal)
	out.Decisions = mapped(record.Decisions, staffCaseDecision)
	return &body[AdminVoucherDetail]{out}, nil
}

type voidVoucherInput struct {
	ObjectID
	Body VoucherVoid
}

type done struct{ Status int }

func (s *Server) voidVoucher(ctx context.Context, in *voidVoucherInput) (*done, error) {
	if err := voucher.VoidVoucher(ctx, s.DB, in.ID, in.Body.Reason, s.Vouchers.Limits.Alone, viewer(ctx)); err != nil {
		return nil, err
	}
	return &done{http.StatusNoContent}, nil
}

type decideVoucherInput struct {
	ObjectID
	Body struct {
		Reason string `json:"reason" maxLength:"500"`
	}
}

func (s *Server) resumeVoucher(ctx context.Context, in *decideVoucherInput) (*decided, error) {
	return s.decideVoucher(ctx, in, voucher.VoucherResume, "The redemption continues.")
}

func (s *Server) restoreVoucher(ctx context.Context, in *decideVoucherInput) (*decided, error) {
	return s.decideVoucher(ctx, in, voucher.VoucherRestore, "The voucher was restored and can be redeemed again.")
}

type deadVoucherInput struct {
	ObjectID
	Body TransferDeath
}

// declareVoucherTransferDead proposes that the transfer of a redemption, which custody
// calls removed, can never confirm.
func (s *Server) declareVoucherTransferDead(ctx context.Context, in *deadVoucherInput) (*decided, error) {
	voucher, err := s.redeemed(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	act := &correction.VoucherTransfer{RedemptionID: *voucher.RedemptionID, Seen: strings.TrimSpace(in.Body.Evidence), Said: strings.TrimSpace(in.Body.Reason)}
	row, err := correction.ProposeMoney(ctx, s.DB, act, "", by(ctx, act.Said))
	if err != nil {
		return nil, err
	}
	return &decided{Status: http.StatusAccepted, Body: Outcome{DecisionID: row.ID, State: "proposed", Status: string(voucher.Status), Message: transferProposed}}, nil
}

// redeemed reads a voucher that was redeemed.
func (s *Server) redeemed(ctx context.Context, id string) (*voucher.Voucher, error) {
	voucher, err := voucher.ReadVoucher(ctx, s.DB, id)
	if err == nil && voucher.RedemptionID == nil {
		return nil, store.Conflict("redemption_state", "This voucher hasn't been redeemed")
	}
	return voucher, err
}

// voucherOutcomes say why a decision about a redemption could not be carried out.
var voucherOutcomes = map[string]string{
	workflows.NotAwaited: "The redemption has changed. Refresh the page.",
	"redemption_state":   "The redemption has changed. Refresh the page.",
	"transfer_open":      "A transfer may still be sent. Resume first to check.",
	"purchase_open":      "A purchase may still be made. Resume first to check.",
}

// decideVoucher has a decision about a voucher's redemption carried out. A
// reason is required: it is a person who overrules what went wrong.
func (s *Server) decideVoucher(ctx context.Context, in *decideVoucherInput, kind, text string) (*decided, error) {
	if strings.TrimSpace(in.Body.Reason) == "" {
		return nil, store.Invalid("reason", "required", "Enter a reason")
	}
	v, err := s.redeemed(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	decision, err := voucher.OpenVoucherDecision(ctx, s.DB, *v.RedemptionID, asked(ctx, casework.NewCaseDecision{Kind: kind, Reason: in.Body.Reason}))
	if err != nil {
		return nil, err
	}
	return s.carryOut(ctx, decision, voucherOutcomes, text)
}

type exportVouchersInput struct {
	Batch string `query:"batch" maxLength:"64" doc:"only this batch"`
}

// exportVouchers is the CSV of specification §9, of the vouchers that can be handed out.
// It reveals codes, so it is a post, and in the audit log before it answers.
func (s *Server) exportVouchers(ctx context.Context, in *exportVouchersInput) (*huma.StreamResponse, error) {
	if in.Batch != "" && !store.IsID(in.Batch) {
		return nil, store.Invalid("batch", "bad_id", "Enter a batch's UUID")
	}
	counts, err := voucher.CountVouchersFound(ctx, s.DB, voucher.VoucherFilter{BatchID: in.Batch})
	if err != nil {
		return nil, err
	}
	if counts.ByStatus[voucher.VoucherActive] == 0 {
		return nil, store.Conflict("no_vouchers", "Generate some vouchers first")
	}
	if err := s.requireFreshCode(ctx); err != nil {
		return nil, err
	}
	who := viewer(ctx)
	err = audit.Audit(ctx, s.DB, audit.AuditEntry{ActorID: who.ActorID, ActorRole: who.ActorRole, Action: voucher.VoucherExport, ObjectKind: "voucher", ObjectID: in.Batch, RequestID: who.RequestID})
	if err != nil {
		return nil, err
	}
	header := []string{"Code", "Amount", "Currency", "Created"}
	return s.csvOf(ctx, "vouchers", header, func(ctx context.Context, write func(cells []string) error) error {
		return voucher.EachVoucher(ctx, s.DB, in.Batch, func(v *voucher.Voucher) error {
			code, err := voucher.VoucherCode(s.Vault, v)
			if err != nil {
				return err
			}
			return write(inert(code, v.Currency.Format(v.Amount), string(v.Currency), v.CreatedAt.UTC().Format(time.RFC3339)))
		})
	})
}
