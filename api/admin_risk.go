package api

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
	Paging
	Status string `query:"status" enum:"open,closed" default:"open"`
	About  string `query:"about" format:"uuid" doc:"only those of one order or redemption, by its id"`
}

// listRiskReviews is what waits for compliance, oldest first, or what was
// decided.
func (s *Server) listRiskReviews(ctx context.Context, in *listReviewsInput) (*page[RiskReview], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	if in.About != "" && !store.IsID(in.About) {
		return nil, store.Invalid("about", "bad_id", "Enter the UUID of an order or a redemption")
	}
	rows, next, err := risk.Reviews(ctx, s.DB, risk.ReviewFilter{Closed: in.Status == "closed", About: in.About}, wanted)
	if err != nil {
		return nil, err
	}
	open, _, err := risk.CountReviews(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	return &page[RiskReview]{Link: linkTo(ctx, next, in.Limit), Total: open, Body: mapped(rows, func(r *risk.StaffReview) RiskReview { return s.riskReview(r, who) })}, nil
}

func (s *Server) riskReview(r *risk.StaffReview, who *account.Principal) RiskReview {
	view := RiskReview{ID: r.ID, Kind: "order", ObjectID: word(r.OrderID), Reference: r.Reference, Status: r.Status, UserID: r.UserID, CustomerEmail: r.CustomerEmail,
		Asset: string(r.Asset), Amount: r.Asset.Format(r.Amount), Total: money.USD.Format(r.Total), Network: r.Network, DestAddress: r.DestAddress,
		Score: r.Score, Reasons: riskReasons(r.Reasons), Waits: r.Waits && r.ClosedAt == nil, Deciding: r.Deciding, Actions: []string{}, Outcome: r.Outcome,
		DecidedBy: r.DecidedEmail, Reason: r.Reason, FirstBy: r.FirstEmail, FirstReason: r.FirstReason, TwoAbove: money.USD.Format(s.creditAlone()), CreatedAt: r.CreatedAt, ClosedAt: r.ClosedAt}
	if r.RedemptionID != nil {
		view.Kind, view.ObjectID = "voucher", *r.RedemptionID
	}
	if r.ClosedAt == nil && !r.Deciding && r.UserID != who.UserID && s.policy.allows(who.Roles, reviewCustomers) {
		if word(r.Review.FirstBy) != who.UserID && !slices.Contains(r.ReceiptPeople, who.UserID) {
			view.Actions = append(view.Actions, "release")
		}
		view.Actions = append(view.Actions, "refuse")
	}
	return view
}

func riskReasons(reasons []string) []RiskReason {
	return mapped(reasons, func(r *string) RiskReason { return RiskReason(*r) })
}

func orderRisk(o *order.Order) *OrderRisk {
	if o.RiskScore == 0 && !o.UnderReview {
		return nil
	}
	return &OrderRisk{Score: o.RiskScore, Reasons: riskReasons(o.RiskReasons), UnderReview: o.UnderReview}
}

func (s *Server) getRiskSummary(ctx context.Context, _ *nothing) (*body[RiskSummary], error) {
	open, oldest, err := risk.CountReviews(ctx, s.DB)
	return &body[RiskSummary]{RiskSummary{Open: open, Oldest: oldest}}, err
}

type reviewInput struct {
	ObjectID
	Body Reasoned
}

// releaseRisk lets go on what was under review.
func (s *Server) releaseRisk(ctx context.Context, in *reviewInput) (*body[Released], error) {
	done, err := customer.ReleaseReview(ctx, s.DB, in.ID, by(ctx, in.Body.Reason), s.creditAlone())
	if err != nil {
		return nil, err
	}
	if done.Parked != nil {
		s.background.Go(func() { s.takeOn(context.WithoutCancel(ctx), *done.Parked) })
	}
	return &body[Released]{Released{TookOn: done.Parked != nil, Waits: done.Waits}}, nil
}

// refuseRisk ends what was under review: declined when it was not paid, refunded
// when it was; a voucher is restored.
func (s *Server) refuseRisk(ctx context.Context, in *reviewInput) (*decided, error) {
	o, voucher, err := customer.RefuseReview(ctx, s.DB, in.ID, by(ctx, in.Body.Reason), s.refundAlone())
	switch {
	case errors.Is(err, dualcontrol.ErrSecondPerson):
		return s.proposeRefusal(ctx, in)
	case err != nil:
		return nil, err
	case voucher != nil:
		return s.carryOut(ctx, voucher, voucherOutcomes, "The voucher was restored. Nothing was sent.")
	}
	done := "The order was declined."
	if o.Kind == order.DecisionRefund {
		done = "The order is being refunded."
	}
	return s.carryDecision(ctx, o, done)
}

// proposeRefusal proposes to give back more than one person does alone: the
// order stays under review until a second one approves.
func (s *Server) proposeRefusal(ctx context.Context, in *reviewInput) (*decided, error) {
	review, err := risk.ReadReview(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	return s.propose(ctx, order.NewProposal{OrderID: *review.OrderID, Kind: order.DecisionRefund, Reason: in.Body.Reason})
}

func (s *Server) listRiskRules(ctx context.Context, _ *nothing) (*body[[]RiskRule], error) {
	rows, err := risk.RiskRules(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	return &body[[]RiskRule]{mapped(rows, riskRule)}, nil
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

func (s *Server) changeRiskRule(ctx context.Context, in *ruleInput) (*body[[]RiskRule], error) {
	change := risk.RiskRuleChange{Code: in.Code, Enabled: in.Body.Enabled, Most: in.Body.Most, Hours: in.Body.Hours, Score: in.Body.Score, Version: in.Body.Version}
	if err := risk.ChangeRiskRule(ctx, s.DB, change, by(ctx, in.Body.Reason)); err != nil {
		return nil, err
	}
	return s.listRiskRules(ctx, nil)
}

func (s *Server) listAddressLists(ctx context.Context, _ *nothing) (*body[AddressLists], error) {
	imports, holds, err := risk.AddressLists(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	out := AddressLists{Lists: []AddressList{}, Imports: mapped(imports, func(v *risk.ListVersionView) AddressImport {
		view := addressImport(&v.ListVersion)
		view.ImportedBy = v.ActorEmail
		return view
	})}
	for _, source := range slices.Sorted(maps.Keys(holds)) {
		out.Lists = append(out.Lists, AddressList{source, holds[source]})
	}
	return &body[AddressLists]{out}, nil
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

// importAddressList replaces a list of addresses that nothing is sent to, or
// shows what that would change.
func (s *Server) importAddressList(ctx context.Context, in *addressListInput) (*body[AddressImport], error) {
	form := in.RawBody.Data()
	how := risk.ListImport{Preview: form.Mode == "preview", By: by(ctx, form.Reason)}
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
		return nil, fieldProblem("file", "unreadable", "We can't read this file. Upload a list of addresses."+tooMany(err))
	}
	version, err := risk.ImportAddresses(ctx, s.DB, ListOf(read, form.Source, risk.AddressBlocked), how)
	if err != nil {
		return nil, err
	}
	view := addressImport(version)
	view.Preview, view.RefusedAt = how.Preview, append(view.RefusedAt, read.RefusedAt...)
	return &body[AddressImport]{view}, nil
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
