package kyc

import (
	"context"

	pricingapi "github.com/tradepost/tradepost/api/pricing"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/i18n"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// GetKYCStatus answers GET /api/kyc/status.
func (h *Handlers) GetKYCStatus(ctx context.Context, _ *rest.Nothing) (*rest.Body[KYCStatus], error) {
	record, err := kyc.KYC(ctx, h.DB, rest.PrincipalOf(ctx).UserID)
	if err != nil {
		return nil, err
	}
	return &rest.Body[KYCStatus]{Body: kycStatus(record, rest.RequestOf(ctx).Language)}, nil
}

// kycStatus is a verification as its customer sees it: a level in force is approved,
// whatever the outcome of an attempt beside it.
func kycStatus(record *kyc.KYCRecord, language string) KYCStatus {
	out := KYCStatus{Status: record.Status, Level: record.LevelInForce(), Verified: record.Verified(), CanRetry: record.CanRetry,
		OnHold: record.OnHold || record.HeldAt != nil && record.Status == kyc.KYCPending, Preparing: record.Preparing()}
	if record.Verified() {
		out.Status, out.CanRetry, out.ExpiresAt, out.Renewable = kyc.KYCApproved, true, record.ExpiresAt, record.Renewable()
	} else {
		out.Ended = rest.Optional(record.EndedBy)
	}
	if out.Status == kyc.KYCApproved && !record.Verified() {
		out.Status = kyc.KYCRejected // approved once, withdrawn since
	}
	if record.Applying() {
		out.Attempt = &KYCAttempt{Level: record.WantedLevel, Renewal: record.RenewingSince != nil, Status: record.AttemptStatus()}
		out.CanRetry = record.CanRetry
	}
	if record.Status == kyc.KYCRejected {
		out.Reason, out.MoreAsked = rest.Optional(kycReason(record, language)), record.ProviderState == "awaitingUser" && record.DecidedAt == nil
	}
	return out
}

// kycReasons are the messages for what a customer can correct, by the reviewer's labels.
// Labels without a message are not for the customer to correct, or not to be disclosed to
// them.
var kycReasons = map[string]string{
	"UNSATISFACTORY_PHOTOS":      "The photos are not good enough. Take new ones in good light.",
	"LOW_QUALITY":                "The photos are not good enough. Take new ones in good light.",
	"SCREENSHOTS":                "Take photos of the document itself. We can't accept screenshots.",
	"DOCUMENT_PAGE_MISSING":      "A page or a side of the document is missing.",
	"INCOMPLETE_DOCUMENT":        "A page or a side of the document is missing.",
	"DOCUMENT_DAMAGED":           "The document is damaged. Use another one.",
	"EXPIRATION_DATE":            "The document has expired. Use one that is valid.",
	"BAD_PROOF_OF_IDENTITY":      "We can't use this document. Use a passport, an ID card or a driving license.",
	"ID_INVALID":                 "We can't use this document. Use a passport, an ID card or a driving license.",
	"BAD_PROOF_OF_ADDRESS":       "We can't use this proof of address. Use another one.",
	"BAD_SELFIE":                 "We can't use your selfie. Take a new one in good light.",
	"SELFIE_MISMATCH":            "Your selfie doesn't look like the photo in the document.",
	"PROBLEMATIC_APPLICANT_DATA": "Your details don't match your document.",
}

// kycReason is why documents were refused: the reviewer's text, which is English; in any
// other language by their labels.
func kycReason(record *kyc.KYCRecord, language string) string {
	if language == rest.English || record.Reason == "" {
		return record.Reason
	}
	for _, label := range record.Labels {
		if reason, known := kycReasons[label]; known {
			return i18n.In(language, reason)
		}
	}
	return i18n.In(language, "We couldn't verify your documents.")
}

// CreateKYCToken opens the identity provider's widget for the customer and starts a
// workflow that watches the review, in case its webhooks are lost.
func (h *Handlers) CreateKYCToken(ctx context.Context, _ *rest.Nothing) (*rest.Body[KYCToken], error) {
	who := rest.PrincipalOf(ctx)
	record, err := kyc.MayShowDocuments(ctx, h.DB, who.UserID)
	if err != nil {
		return nil, err
	}
	if err := mayVerify(record); err != nil {
		return nil, err
	}
	level := ""
	if record.WantedLevel == kyc.KYCEnhanced {
		level = h.EnhancedLevel
	}
	token, err := h.Identity.WidgetToken(ctx, who.UserID, who.Email, level)
	if err != nil {
		h.Log.WarnContext(ctx, "identity verification is not available", "error", err, "request_id", rest.RequestID(ctx))
		return nil, store.Unavailable("kyc_unavailable", "Failed to start verification process. Please try again.")
	}
	if err := kyc.StartKYC(ctx, h.DB, who.UserID); err != nil {
		return nil, err
	}
	h.watchKYC(ctx, who.UserID, "widget_opened")
	return &rest.Body[KYCToken]{Body: KYCToken{Token: token, UserID: who.UserID}}, nil
}

// mayVerify refuses a widget to who has nothing to show in it.
func mayVerify(record *kyc.KYCRecord) error {
	switch {
	case record.Status == kyc.KYCRejected && !record.CanRetry:
		return store.Conflict("kyc_final", "We couldn't verify your identity. Contact support.")
	case record.Preparing():
		return store.Conflict("kyc_preparing", "We're preparing your verification. Try again in a moment.")
	case record.Verified() && !record.Applying():
		return store.Conflict("kyc_verified", "Your identity is already verified.")
	}
	return nil
}

// watchKYC starts the watch of a review. A start that fails here is repeated by the sweep.
func (h *Handlers) watchKYC(ctx context.Context, userID, reason string) {
	if err := h.Workflows.ReviewKYC(ctx, userID, reason); err != nil {
		h.Log.WarnContext(ctx, "review is not watched yet", "user", userID, "error", err)
	}
}

// ApplyForEnhanced has a verified customer apply for the higher level.
func (h *Handlers) ApplyForEnhanced(ctx context.Context, _ *rest.Nothing) (*rest.Body[KYCStatus], error) {
	if h.EnhancedLevel == "" {
		return nil, store.Conflict("kyc_not_offered", "There is no higher level right now.")
	}
	if err := kyc.WantEnhanced(ctx, h.DB, rest.PrincipalOf(ctx).UserID); err != nil {
		return nil, err
	}
	return h.GetKYCStatus(ctx, nil)
}

// RenewKYC lets a customer show documents again before the old ones run out.
func (h *Handlers) RenewKYC(ctx context.Context, _ *rest.Nothing) (*rest.Body[KYCStatus], error) {
	userID := rest.PrincipalOf(ctx).UserID
	if err := kyc.RenewKYC(ctx, h.DB, userID); err != nil {
		return nil, err
	}
	h.watchKYC(ctx, userID, "renewal")
	return h.GetKYCStatus(ctx, nil)
}

// ListKYCLevels lists what each level allows.
func (h *Handlers) ListKYCLevels(ctx context.Context, _ *rest.Nothing) (*rest.Body[[]KYCLevel], error) {
	pricing, err := h.Quoter.Pricing(ctx)
	if err != nil {
		return nil, err
	}
	record, err := kyc.KYC(ctx, h.DB, rest.PrincipalOf(ctx).UserID)
	if err != nil {
		return nil, err
	}
	levels := []KYCLevel{}
	for _, name := range []string{kyc.KYCStandard, kyc.KYCEnhanced} {
		level, known := pricing.KYC[name]
		if !known || name == kyc.KYCEnhanced && h.EnhancedLevel == "" && record.LevelInForce() != name {
			continue
		}
		available := name == kyc.KYCEnhanced && h.EnhancedLevel != "" && record.LevelInForce() == kyc.KYCStandard && !record.Applying()
		levels = append(levels, KYCLevel{Level: name, Single: rest.Dollars(level.MaxSingleTransaction), Day: rest.Dollars(level.MaxDailyVolume),
			Month: rest.Dollars(level.MaxMonthlyVolume), Available: available})
	}
	return &rest.Body[[]KYCLevel]{Body: levels}, nil
}

// GetLimits answers GET /api/limits.
func (h *Handlers) GetLimits(ctx context.Context, _ *rest.Nothing) (*rest.Body[Limits], error) {
	prices, err := h.Quoter.Pricing(ctx)
	if err != nil {
		return nil, err
	}
	left, err := pricing.CustomerLimits(ctx, h.DB, rest.PrincipalOf(ctx).UserID, prices)
	if err != nil {
		return nil, err
	}
	out := Limits{KYCLevel: left.Level, Verified: left.Level != kyc.KYCNone, MinOrder: map[string]string{}, MaxOrder: map[string]string{},
		Methods: []BuyMethod{}, Single: allowance(left.Single), Day: allowance(left.Day), Month: allowance(left.Month)}
	for _, reason := range []error{left.Held, prices.SellsTo(left.Country), prices.FulfilmentPaused()} {
		if out.Refused == nil {
			out.Refused = pricingapi.Sentence(reason)
		}
	}
	markets, err := h.Quoter.Markets(ctx)
	if err != nil {
		return nil, err
	}
	for _, asset := range h.Quoter.Offer().Coins() {
		one := BuyAsset{Asset: string(asset), Paused: pricingapi.Sentence(prices.AssetPaused(asset))}
		if market, known := markets[asset]; known {
			one.Smallest = market.Smallest().String()
			if market.NetworkFee.Sign() > 0 {
				one.NetworkFee = money.USD.Format(market.NetworkFee)
			}
		}
		out.Assets = append(out.Assets, one)
	}
	addMethods(&out, prices, left)
	return &rest.Body[Limits]{Body: out}, nil
}

// addMethods adds the methods that a customer can pay with, and their limits.
func addMethods(out *Limits, prices *pricing.Pricing, left pricing.Limits) {
	for _, m := range prices.Ordered {
		if !m.Buys() {
			continue
		}
		least, most := money.USD.Format(m.MinOrderAmount), rest.Dollars(m.MaxOrderAmount)
		out.MinOrder[m.PaymentMethod] = least
		if most != nil {
			out.MaxOrder[m.PaymentMethod] = *most
		}
		margin, discount := prices.Margin(m, left)
		_, refused := prices.Method(m.PaymentMethod, left.Country)
		out.Methods = append(out.Methods, BuyMethod{Method: m.PaymentMethod, Description: m.Description, Timing: m.Timing,
			Margin: margin.String(), VolumeDiscount: discount.String(), ProcessingFee: money.USD.Format(m.ProcessingFee),
			IsEnabled: refused == nil, Paused: pricingapi.Sentence(prices.RailPaused(m.PaymentMethod)),
			MinAmount: least, MaxAmount: most, WindowMinutes: m.WindowMinutes})
	}
}

func allowance(a pricing.Allowance) Allowance {
	return Allowance{Limit: rest.Dollars(a.Limit), Remaining: rest.Dollars(a.Remaining)}
}
