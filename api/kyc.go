package api

import (
	"context"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
)

func (s *Server) getKYCStatus(ctx context.Context, _ *nothing) (*body[KYCStatus], error) {
	record, err := s.DB.KYC(ctx, principalOf(ctx).UserID)
	if err != nil {
		return nil, err
	}
	status := record.Status
	if status == models.KYCApproved && !record.Verified() {
		status = models.KYCRejected // approved once, withdrawn since
	}
	out := KYCStatus{Status: status, Level: record.LevelInForce(), Verified: record.Verified(), CanRetry: record.CanRetry}
	if status == models.KYCRejected {
		out.Reason = optional(record.Reason)
	}
	return &body[KYCStatus]{out}, nil
}

// createKYCToken opens the identity provider's widget for the customer and has
// a workflow watch the review, should no notice of it ever come.
func (s *Server) createKYCToken(ctx context.Context, _ *nothing) (*body[KYCToken], error) {
	who := principalOf(ctx)
	record, err := s.DB.KYC(ctx, who.UserID)
	if err != nil {
		return nil, err
	}
	if record.Status == models.KYCRejected && !record.CanRetry {
		return nil, models.Conflict("kyc_final", "This verification was refused for good. Please contact support.")
	}
	token, err := s.Identity.WidgetToken(ctx, who.UserID, who.Email)
	if err != nil {
		s.Log.WarnContext(ctx, "identity verification is not available", "error", err, "request_id", requestID(ctx))
		return nil, models.Unavailable("kyc_unavailable", "Failed to start verification process. Please try again.")
	}
	if err := s.DB.StartKYC(ctx, who.UserID); err != nil {
		return nil, err
	}
	if err := s.Workflows.ReviewKYC(ctx, who.UserID, "widget_opened"); err != nil {
		s.Log.WarnContext(ctx, "review is not watched yet", "user", who.UserID, "error", err)
	}
	return &body[KYCToken]{KYCToken{Token: token, UserID: who.UserID}}, nil
}

func (s *Server) getLimits(ctx context.Context, _ *nothing) (*body[Limits], error) {
	pricing, err := s.Quoter.Pricing(ctx)
	if err != nil {
		return nil, err
	}
	left, err := s.DB.CustomerLimits(ctx, principalOf(ctx).UserID, pricing)
	if err != nil {
		return nil, err
	}
	out := Limits{KYCLevel: left.Level, Verified: left.Level != models.KYCNone, MinOrder: map[string]string{}, MaxOrder: map[string]string{},
		Methods: []BuyMethod{}, Single: allowance(left.Single), Day: allowance(left.Day), Month: allowance(left.Month)}
	for _, m := range pricing.Ordered {
		if !m.InBuyFlow {
			continue
		}
		least, most := money.USD.Format(m.MinOrderAmount), dollars(m.MaxOrderAmount)
		out.MinOrder[m.PaymentMethod] = least
		if most != nil {
			out.MaxOrder[m.PaymentMethod] = *most
		}
		out.Methods = append(out.Methods, BuyMethod{Method: m.PaymentMethod, Description: m.Description, Timing: m.Timing,
			IsEnabled: m.IsEnabled, MinAmount: least, MaxAmount: most, WindowMinutes: m.WindowMinutes})
	}
	return &body[Limits]{out}, nil
}

func allowance(a models.Allowance) Allowance {
	return Allowance{Limit: dollars(a.Limit), Remaining: dollars(a.Remaining)}
}
