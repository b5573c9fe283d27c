package account

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/legal"
	"github.com/tradepost/tradepost/models/account"
)

type legalInput struct {
	Document string `path:"document" maxLength:"40"`
	Version  string `query:"version" maxLength:"40" doc:"empty: the one in force"`
}

// LegalText answers GET /api/legal/{document}.
func (h *Handlers) LegalText(ctx context.Context, in *legalInput) (*rest.Body[LegalText], error) {
	now := h.Clock.Now(ctx, h.DB.Now)
	found := h.Legal.InForce(in.Document, now)
	if in.Version != "" {
		found = h.Legal.Find(in.Document, in.Version)
	}
	if found == nil {
		return nil, rest.NotFound()
	}
	language := rest.RequestOf(ctx).Language
	html, err := found.HTML(language, now)
	if err != nil {
		return nil, err
	}
	text, given := found.In(language)
	return &rest.Body[LegalText]{Body: LegalText{Document: found.Document, Version: found.Name, InForce: found.InForce.Format(time.DateOnly), Language: given,
		Title: text.Title, Changes: text.Changes, HTML: html}}, nil
}

// LegalLinks name the texts in force that have no page of their own, by their titles in a language.
func (h *Handlers) LegalLinks(ctx context.Context, language string) []LegalLink {
	links := []LegalLink{}
	for _, v := range h.Legal.Further(h.Clock.Now(ctx, h.DB.Now)) {
		text, _ := v.In(language)
		links = append(links, LegalLink{v.Document, text.Title})
	}
	return links
}

type consentInput struct{ Body NewConsents }

// GiveConsents answers POST /api/consents. A version that is not in force any more is
// refused: no person agrees to what they were not shown.
func (h *Handlers) GiveConsents(ctx context.Context, in *consentInput) (*rest.Body[User], error) {
	who, now, language := rest.PrincipalOf(ctx), h.Clock.Now(ctx, h.DB.Now), rest.RequestOf(ctx).Language
	var given []account.Consent
	for _, c := range in.Body.Consents {
		v := h.Legal.InForce(c.Document, now)
		if v == nil || v.Name != c.Version {
			return nil, rest.NewProblem(http.StatusConflict, "version_changed", "The text has changed. Reload the page and read it again.")
		}
		given = append(given, consentTo(v, language, rest.RequestOf(ctx).IP))
	}
	if err := account.GiveConsents(ctx, h.DB, who.UserID, given); err != nil {
		return nil, err
	}
	return h.GetUser(ctx, nil)
}

func consentTo(v *legal.Version, language, address string) account.Consent {
	text, shown := v.In(language)
	return account.Consent{Document: v.Document, Version: v.Name, Language: shown, TextSHA256: text.Hash, AddressPrefix: prefixOf(address)}
}

// prefixOf is the network of an address: 24 bits of IPv4, 48 of IPv6.
func prefixOf(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	bits := 48
	if ip = ip.Unmap(); ip.Is4() {
		bits = 24
	}
	prefix, err := ip.Prefix(bits)
	if err != nil {
		return ""
	}
	return prefix.String()
}

// atSignUp are the consents that an identity provider's claims state.
func (h *Handlers) atSignUp(ctx context.Context, claims account.Claims) (given []account.Consent) {
	if h.Legal == nil || claims.TermsVersion == "" || claims.TermsAcceptedAt == nil {
		return nil
	}
	for _, v := range h.Legal.AtSignUp(claims.TermsVersion, *claims.TermsAcceptedAt) {
		c := consentTo(v, h.Languages.Asked(rest.RequestOf(ctx).In), rest.RequestOf(ctx).IP)
		c.AtSignUp, c.GivenAt = true, *claims.TermsAcceptedAt
		given = append(given, c)
	}
	return given
}

// due are the documents whose version in force a person has not agreed to.
func (h *Handlers) due(ctx context.Context, agreed []string) []DueConsent {
	var due []DueConsent
	for _, v := range h.Legal.Due(agreed, h.Clock.Now(ctx, h.DB.Now)) {
		due = append(due, DueConsent{Document: v.Document, Version: v.Name})
	}
	return slices.Clip(due)
}

// Consented refuses what a person may not begin before they agree to the versions in force.
func (h *Handlers) Consented(ctx context.Context) error {
	agreed, err := account.AgreedTo(ctx, h.DB, rest.PrincipalOf(ctx).UserID)
	if err != nil || len(h.due(ctx, agreed)) == 0 {
		return err
	}
	return rest.NewProblem(http.StatusForbidden, "consent_required", "Our terms have changed. Reload the page, read them and accept them to go on.")
}
