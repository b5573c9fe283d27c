package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"time"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
)

// Cookies. Under TLS each carries the __Host- prefix: set by us, for this host
// alone, for the whole site.
const (
	sessionCookie = "session"
	loginCookie   = "login"  // binds a sign-in to the browser that began it
	deviceCookie  = "device" // by which a browser is known again at the next sign-in
)

func (s *Server) cookieName(name string) string {
	if s.secure() {
		return "__Host-" + name
	}
	return name
}

// cookie makes one of our cookies; an empty value removes it.
func (s *Server) cookie(name, value string, life time.Duration) http.Cookie {
	//nolint:gosec // Secure follows the site's own scheme: plain http only in local mode
	c := http.Cookie{Name: s.cookieName(name), Value: value, Path: "/", HttpOnly: true, Secure: s.secure(),
		SameSite: http.SameSiteLaxMode, MaxAge: int(life.Seconds())}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}

// newToken is 256 random bits as text.
func newToken() string { return rand.Text() + rand.Text() }

// hashToken is how a token is kept: the token itself is only in the browser.
func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

func (s *Server) getSession(ctx context.Context, _ *nothing) (*body[Session], error) {
	session, err := s.session(ctx, principalOf(ctx))
	if err != nil {
		return nil, err
	}
	return &body[Session]{*session}, nil
}

// session is what a page knows before its first paint.
func (s *Server) session(ctx context.Context, who *account.Principal) (*Session, error) {
	config, err := s.config(ctx, who)
	if err != nil {
		return nil, err
	}
	session := &Session{Config: *config}
	if who != nil {
		if session.User, err = s.user(ctx, who); err != nil {
			return nil, err
		}
	}
	return session, nil
}

func (s *Server) getUser(ctx context.Context, _ *nothing) (*body[User], error) {
	user, err := s.user(ctx, principalOf(ctx))
	if err != nil {
		return nil, err
	}
	return &body[User]{*user}, nil
}

func (s *Server) user(ctx context.Context, who *account.Principal) (*User, error) {
	account, err := account.ReadAccount(ctx, s.DB, who.UserID)
	if err != nil {
		return nil, err
	}
	return &User{
		ID: account.ID, Email: account.Email, EmailVerified: account.EmailVerified,
		FirstName: account.FirstName, LastName: account.LastName, ProfileImageURL: optional(account.ProfileImageURL),
		Country: account.Country, IsAdmin: len(account.Roles) > 0, Roles: account.Roles,
		Permissions:    s.policy.of(rolesOf(who)),
		AccountBalance: money.USD.Format(account.Balance),
		KYCStatus:      account.KYC.UserStatus(), KYCLevel: account.KYC.LevelInForce(), VolumeTier: account.VolumeTier,
		Needs2FA: s.needsTwoFactor(who), TwoFactorEnabled: who.Enrolled, TwoFactorVerified: who.Proven,
		Hold: holdOf(account),
	}, nil
}

// holdOf is why an account begins nothing new, in a word, or "".
func holdOf(account *account.Account) string {
	switch {
	case account.FrozenAt != nil:
		return "frozen"
	case account.RestrictedAt != nil:
		return "restricted"
	}
	return ""
}

func (s *Server) getCSRFToken(ctx context.Context, _ *nothing) (*body[CSRFToken], error) {
	return &body[CSRFToken]{CSRFToken{s.csrfToken(principalOf(ctx))}}, nil
}

func (s *Server) getConfig(ctx context.Context, _ *nothing) (*body[Config], error) {
	config, err := s.config(ctx, principalOf(ctx))
	if err != nil {
		return nil, err
	}
	return &body[Config]{*config}, nil
}

func (s *Server) config(ctx context.Context, who *account.Principal) (*Config, error) {
	pricing, err := s.Quoter.Pricing(ctx)
	if err != nil {
		return nil, err
	}
	config := &Config{Brand: s.Brand, TidioPublicKey: optional(s.TidioPublicKey), Mode: s.Mode, SupportEmail: s.SupportEmail, PasswordURL: optional(s.PasswordURL), AddressURL: optional(s.AddressURL),
		SumsubBaseURL: s.WidgetURL, Claims: s.Claims, Offer: s.offer()}
	if m, ok := pricing.Offered("card"); ok {
		config.Claims.CardFeePercent = m.BaseMarginPercent.String()
	}
	if m, ok := pricing.Offered("ach"); ok {
		config.Claims.ACHFeePercent = m.BaseMarginPercent.String()
	}
	if isStaff(who) && !s.owes(who) {
		config.TemporalUIURL = optional(s.TemporalUIURL)
	}
	return config, nil
}

// offer is what the installation sells, how it is paid, and what it speaks.
func (s *Server) offer() Offer {
	offer := s.Quoter.Offer()
	out := Offer{Networks: map[string][]string{}, Rails: []string{}, Languages: s.languages()}
	for _, asset := range offer.Coins() {
		out.Assets = append(out.Assets, string(asset))
		out.Networks[string(asset)] = offer.NetworksOf(asset)
	}
	for _, rail := range pricing.Rails {
		if offer.Takes(rail) {
			out.Rails = append(out.Rails, rail)
		}
	}
	return out
}

// optional is nil for an empty text.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
