package account

import (
	"context"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
)

const deviceCookie = "device" // binds a sign-in to the browser that began it, and knows that browser at the next

// GetSession answers GET /api/session.
func (h *Handlers) GetSession(ctx context.Context, _ *rest.Nothing) (*rest.Body[Session], error) {
	session, err := h.Session(ctx, rest.PrincipalOf(ctx), rest.RequestOf(ctx).Language)
	if err != nil {
		return nil, err
	}
	return &rest.Body[Session]{Body: *session}, nil
}

// Session is the data that a page in a language has before its first paint.
func (h *Handlers) Session(ctx context.Context, who *account.Principal, language string) (*Session, error) {
	config, err := h.config(ctx, who, language)
	if err != nil {
		return nil, err
	}
	session := &Session{Config: *config}
	if who != nil {
		if session.User, err = h.user(ctx, who); err != nil {
			return nil, err
		}
	}
	return session, nil
}

// GetUser answers GET /api/auth/user.
func (h *Handlers) GetUser(ctx context.Context, _ *rest.Nothing) (*rest.Body[User], error) {
	user, err := h.user(ctx, rest.PrincipalOf(ctx))
	if err != nil {
		return nil, err
	}
	return &rest.Body[User]{Body: *user}, nil
}

// user is the person as their session may see them.
func (h *Handlers) user(ctx context.Context, who *account.Principal) (*User, error) {
	user := &User{ID: who.UserID, Needs2FA: h.NeedsTwoFactor(who), TwoFactorEnabled: who.Enrolled, TwoFactorVerified: who.Proven}
	if h.Owes(who) {
		return user, nil
	}
	account, err := account.ReadAccount(ctx, h.DB, who.UserID)
	if err != nil {
		return nil, err
	}
	user.UserDetails = &UserDetails{
		Email: account.Email, EmailVerified: account.EmailVerified,
		FirstName: account.FirstName, LastName: account.LastName, ProfileImageURL: rest.Optional(account.ProfileImageURL),
		Country: account.Country, IsAdmin: len(account.Roles) > 0, Roles: account.Roles,
		Permissions:    h.Policy.Of(rest.RolesOf(who)),
		AccountBalance: money.USD.Format(account.Balance),
		KYCStatus:      account.KYC.UserStatus(), KYCLevel: account.KYC.LevelInForce(), VolumeTier: account.VolumeTier,
		Hold: holdOf(account), ConsentDue: h.due(ctx, account.Agreed),
	}
	return user, nil
}

// holdOf is the code of why an account may begin nothing new, or "".
func holdOf(account *account.Account) string {
	switch {
	case account.FrozenAt != nil:
		return "frozen"
	case account.RestrictedAt != nil:
		return "restricted"
	}
	return ""
}

// GetCSRFToken answers GET /api/csrf-token.
func (h *Handlers) GetCSRFToken(ctx context.Context, _ *rest.Nothing) (*rest.Body[CSRFToken], error) {
	return &rest.Body[CSRFToken]{Body: CSRFToken{h.CSRFToken(rest.PrincipalOf(ctx))}}, nil
}

// GetConfig answers GET /api/config.
func (h *Handlers) GetConfig(ctx context.Context, _ *rest.Nothing) (*rest.Body[Config], error) {
	config, err := h.config(ctx, rest.PrincipalOf(ctx), rest.RequestOf(ctx).Language)
	if err != nil {
		return nil, err
	}
	return &rest.Body[Config]{Body: *config}, nil
}

func (h *Handlers) config(ctx context.Context, who *account.Principal, language string) (*Config, error) {
	pricing, err := h.Quoter.Pricing(ctx)
	if err != nil {
		return nil, err
	}
	offer, err := h.offer(ctx, pricing, who)
	if err != nil {
		return nil, err
	}
	config := &Config{Brand: h.Brand, TidioPublicKey: rest.Optional(h.TidioPublicKey), Mode: h.Mode, SupportEmail: h.SupportEmail, Imprint: h.Imprint, PasswordURL: rest.Optional(h.PasswordURL), AddressURL: rest.Optional(h.AddressURL),
		SumsubBaseURL: h.WidgetURL, Claims: h.Claims, Offer: offer, Legal: h.LegalLinks(ctx, language)}
	if config.Claims.ResponseTime, err = h.Answers.Told(ctx); err != nil {
		return nil, err
	}
	if m, ok := pricing.Offered("card"); ok {
		config.Claims.CardFeePercent = m.BaseMarginPercent.String()
	}
	if m, ok := pricing.Offered("ach"); ok {
		config.Claims.ACHFeePercent = m.BaseMarginPercent.String()
	}
	if rest.IsStaff(who) && !h.Owes(who) {
		config.TemporalUIURL = rest.Optional(h.TemporalUIURL)
	}
	return config, nil
}

// offer is what the installation sells, how this person can pay, and what it speaks. Whoever owes the second factor is
// shown what a visitor is.
func (h *Handlers) offer(ctx context.Context, prices *pricing.Pricing, who *account.Principal) (Offer, error) {
	offer, customer := h.Quoter.Offer(), ""
	if who != nil && !h.Owes(who) {
		customer = who.UserID
	}
	rails, err := pricing.RailsFor(ctx, h.DB, prices, customer)
	if err != nil {
		return Offer{}, err
	}
	out := Offer{Networks: map[string][]string{}, Rails: rails, Languages: h.Languages}
	for _, asset := range offer.Coins() {
		out.Assets = append(out.Assets, string(asset))
		out.Networks[string(asset)] = offer.NetworksOf(asset)
	}
	return out, nil
}
