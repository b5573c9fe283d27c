package risk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	orderapi "github.com/tradepost/tradepost/api/order"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	voucherapi "github.com/tradepost/tradepost/api/voucher"
	"github.com/tradepost/tradepost/internal/sdn"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/customer"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/risk"
	"github.com/tradepost/tradepost/models/store"
)

type listReviewsInput struct {
	rest.Paging
	Status string `query:"status" enum:"open,closed" default:"open"`
	About  string `query:"about" format:"uuid" doc:"only those of one order or redemption, by its id"`
}

// ListRiskReviews is what waits for compliance, oldest first, or what was
// decided.
func (h *Handlers) ListRiskReviews(ctx context.Context, in *listReviewsInput) (*rest.Page[RiskReview], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	if in.About != "" && !store.IsID(in.About) {
		return nil, store.Invalid("about", "bad_id", "Enter the UUID of an order or a redemption")
	}
	rows, next, err := risk.Reviews(ctx, h.DB, risk.ReviewFilter{Closed: in.Status == "closed", About: in.About}, wanted)
	if err != nil {
		return nil, err
	}
	open, _, err := risk.CountReviews(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	releases := make([]dualcontrol.Release, len(rows))
	for i := range rows {
		releases[i] = rows[i].Release()
	}
	bars, err := dualcontrol.BarsOf(ctx, h.DB, who.UserID, releases)
	if err != nil {
		return nil, err
	}
	body := make([]RiskReview, len(rows))
	for i := range rows {
		body[i] = h.riskReview(&rows[i], who, bars[i])
	}
	return &rest.Page[RiskReview]{Link: rest.LinkTo(ctx, next, in.Limit), Total: open, Body: body}, nil
}

// barredBy is why the principal must not release it, or empty.
func (h *Handlers) riskReview(r *risk.StaffReview, who *account.Principal, barredBy string) RiskReview {
	view := RiskReview{ID: r.ID, Kind: "order", ObjectID: rest.Word(r.OrderID), Reference: r.Reference, Status: r.Status, UserID: r.UserID, CustomerEmail: r.CustomerEmail,
		Asset: string(r.Asset), Amount: r.Asset.Format(r.Amount), Total: money.USD.Format(r.Total), Network: r.Network, DestAddress: r.DestAddress,
		Score: r.Score, Reasons: orderapi.RiskReasons(r.Reasons), Waits: r.Waits && r.ClosedAt == nil, Deciding: r.Deciding, Actions: []string{}, Outcome: r.Outcome,
		DecidedBy: r.DecidedEmail, Reason: r.Reason, FirstBy: r.FirstEmail, FirstReason: r.FirstReason, TwoAbove: money.USD.Format(h.CreditAlone()), CreatedAt: r.CreatedAt, ClosedAt: r.ClosedAt}
	if r.RedemptionID != nil {
		view.Kind, view.ObjectID = "voucher", *r.RedemptionID
	}
	if r.ClosedAt == nil && !r.Deciding && r.UserID != who.UserID && h.Policy.Allows(who.Roles, policy.ReviewCustomers) {
		if rest.Word(r.Review.FirstBy) != who.UserID && barredBy == "" {
			view.Actions = append(view.Actions, "release")
		}
		view.Actions = append(view.Actions, "refuse")
	}
	return view
}

// GetRiskSummary answers GET /api/admin/risk/summary.
func (h *Handlers) GetRiskSummary(ctx context.Context, _ *rest.Nothing) (*rest.Body[RiskSummary], error) {
	open, oldest, err := risk.CountReviews(ctx, h.DB)
	return &rest.Body[RiskSummary]{Body: RiskSummary{Open: open, Oldest: oldest}}, err
}

type reviewInput struct {
	rest.ObjectID
	Body caseworkapi.Reasoned
}

type releaseInput struct {
	rest.ObjectID
	Body RiskRelease
}

// ReleaseRisk lets go on what was under review.
func (h *Handlers) ReleaseRisk(ctx context.Context, in *releaseInput) (*rest.Body[Released], error) {
	done, err := customer.ReleaseReview(ctx, h.DB, in.ID, rest.Approver(ctx, in.Body.Reason, in.Body.Version), h.CreditAlone())
	if err != nil {
		return nil, err
	}
	if done.Parked != nil {
		h.Background.Go(func() { h.TakeOn(context.WithoutCancel(ctx), *done.Parked) })
	}
	return &rest.Body[Released]{Body: Released{TookOn: done.Parked != nil, Waits: done.Waits}}, nil
}

// RefuseRisk ends what was under review: declined when it was not paid, refunded
// when it was; a voucher is restored.
func (h *Handlers) RefuseRisk(ctx context.Context, in *reviewInput) (*caseworkapi.Decided, error) {
	o, voucher, err := customer.RefuseReview(ctx, h.DB, in.ID, rest.By(ctx, in.Body.Reason), h.RefundAlone(), h.StaffAlone())
	switch {
	case errors.Is(err, dualcontrol.ErrSecondPerson):
		return h.proposeRefusal(ctx, in)
	case err != nil:
		return nil, err
	case voucher != nil:
		return h.Execute(ctx, voucher, voucherapi.VoucherOutcomes, "The voucher was restored. Nothing was sent.")
	}
	done := "The order was declined."
	if o.Kind == order.DecisionRefund {
		done = "The order is being refunded."
	}
	return h.ExecuteDecision(ctx, o, done)
}

// proposeRefusal proposes to refund more than one person alone may: the order stays under
// review until a second one approves.
func (h *Handlers) proposeRefusal(ctx context.Context, in *reviewInput) (*caseworkapi.Decided, error) {
	review, err := risk.ReadReview(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	return h.Propose(ctx, order.NewProposal{OrderID: *review.OrderID, Kind: order.DecisionRefund, Reason: in.Body.Reason})
}

// ListRiskRules answers GET /api/admin/risk/rules.
func (h *Handlers) ListRiskRules(ctx context.Context, _ *rest.Nothing) (*rest.Body[[]RiskRule], error) {
	rows, err := risk.RiskRules(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	return &rest.Body[[]RiskRule]{Body: rest.Mapped(rows, riskRule)}, nil
}

func riskRule(r *risk.RiskRuleView) RiskRule {
	view := RiskRule{Code: r.Code, Enabled: r.Enabled, Most: r.Most, Hours: r.Hours, Score: r.Score, Version: r.Version, ChangedBy: r.ActorEmail}
	if r.ActorEmail != nil {
		view.ChangedAt = &r.ChangedAt
	}
	return view
}

type ruleInput struct {
	Code string `path:"id" maxLength:"60" doc:"the rule's code"`
	Body RiskRuleChange
}

// ChangeRiskRule answers PATCH /api/admin/risk/rules/{id}.
func (h *Handlers) ChangeRiskRule(ctx context.Context, in *ruleInput) (*rest.Body[[]RiskRule], error) {
	change := risk.RiskRuleChange{Code: in.Code, Enabled: in.Body.Enabled, Most: in.Body.Most, Hours: in.Body.Hours, Score: in.Body.Score, Version: in.Body.Version}
	if err := change.Check(in.Body.Reason); err != nil {
		return nil, err
	}
	if err := h.RequireFreshCode(ctx); err != nil {
		return nil, err
	}
	if err := risk.ChangeRiskRule(ctx, h.DB, change, rest.By(ctx, in.Body.Reason)); err != nil {
		return nil, err
	}
	return h.ListRiskRules(ctx, nil)
}

// ListAddressLists answers GET /api/admin/risk/lists.
func (h *Handlers) ListAddressLists(ctx context.Context, _ *rest.Nothing) (*rest.Body[AddressLists], error) {
	imports, holds, err := risk.AddressLists(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	out := AddressLists{Lists: []AddressList{}, Imports: rest.Mapped(imports, func(v *risk.ListVersionView) AddressImport {
		view := addressImport(&v.ListVersion)
		view.ImportedBy = v.ActorEmail
		return view
	})}
	for _, source := range slices.Sorted(maps.Keys(holds)) {
		out.Lists = append(out.Lists, AddressList{source, holds[source]})
	}
	return &rest.Body[AddressLists]{Body: out}, nil
}

func addressImport(v *risk.ListVersion) AddressImport {
	view := AddressImport{Source: v.Source, Version: v.Version, Format: v.Format, SHA256: v.SHA256, Addresses: v.Held, Added: v.Added, Removed: v.Removed,
		Unchanged: v.Unchanged, Refused: v.Refused, RefusedAt: []int{}, Reason: v.Reason}
	if !v.CreatedAt.IsZero() {
		view.At = &v.CreatedAt
	}
	return view
}

type addressListForm struct {
	Source  string        `form:"source" maxLength:"60" required:"true" doc:"the list's name: importing under it again replaces it"`
	Mode    string        `form:"mode" enum:"preview,import" required:"true" doc:"a preview changes nothing"`
	Version string        `form:"version" required:"false" maxLength:"10" doc:"of an import: the version that its preview named"`
	Reason  string        `form:"reason" required:"false" maxLength:"500"`
	File    huma.FormFile `form:"file" contentType:"application/octet-stream" required:"true"`
}

type addressListInput struct {
	RawBody huma.MultipartFormFiles[addressListForm]
}

// sourceName is what a list may be called.
var sourceName = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9 ._-]{0,59}$`)

// ImportAddressList replaces a list of addresses that nothing is sent to, or
// shows what that would change.
func (h *Handlers) ImportAddressList(ctx context.Context, in *addressListInput) (*rest.Body[AddressImport], error) {
	form := in.RawBody.Data()
	how := risk.ListImport{Preview: form.Mode == "preview", By: rest.By(ctx, form.Reason)}
	if !sourceName.MatchString(form.Source) || form.Source == "custody" {
		return nil, store.Invalid("source", "bad_name", "Use letters, digits, spaces, dots and dashes only")
	}
	if !how.Preview {
		seen, err := strconv.Atoi(form.Version)
		if err != nil {
			return nil, store.Invalid("version", "required", "Check the preview first")
		}
		if how.Seen = &seen; how.By.Reason == "" {
			return nil, store.Invalid("reason", "required", "Enter a reason")
		}
	}
	read, err := sdn.Read(form.File)
	if err != nil {
		return nil, rest.FieldProblem("file", "unreadable", "We can't read this file. Upload a list of addresses."+tooMany(err))
	}
	if !how.Preview {
		if err := h.RequireFreshCode(ctx); err != nil {
			return nil, err
		}
	}
	version, err := risk.ImportAddresses(ctx, h.DB, ListOf(read, form.Source, risk.AddressBlocked), how)
	if err != nil {
		return nil, err
	}
	view := addressImport(version)
	view.Preview, view.RefusedAt = how.Preview, append(view.RefusedAt, read.RefusedAt...)
	return &rest.Body[AddressImport]{Body: view}, nil
}

func tooMany(err error) string {
	if errors.Is(err, sdn.ErrTooMany) {
		return fmt.Sprintf(": it has more than %d entries", sdn.MostEntries)
	}
	return ""
}

// ListOf is a list that was read, as it is stored.
func ListOf(read *sdn.List, source, kind string) risk.AddressList {
	list := risk.AddressList{Source: strings.TrimSpace(source), Kind: kind, Format: read.Format, Digest: read.Digest, Refused: read.Refused}
	for _, place := range read.Addresses {
		list.Addresses = append(list.Addresses, risk.BlockedAddress{Network: place.Network, Key: place.Key()})
	}
	return list
}
