package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/store"
)

func (s *Server) getProfile(ctx context.Context, _ *nothing) (*body[Profile], error) {
	p, err := account.ReadProfile(ctx, s.DB, principalOf(ctx).UserID)
	if err != nil {
		return nil, err
	}
	spoken := p.Preferences.Language
	offered := s.languages()
	if !slices.Contains(offered, spoken) {
		spoken = offered.asked(requestOf(ctx).in)
	}
	out := Profile{Email: p.Email, FirstName: p.FirstName, LastName: p.LastName, Country: p.Country, NameLocked: p.Verified,
		Language: spoken, Languages: offered, News: p.Preferences.News}
	for _, topic := range account.Topics {
		out.Topics = append(out.Topics, Topic{Topic: topic, Wanted: !slices.Contains(p.Preferences.Muted, topic)})
	}
	return &body[Profile]{out}, nil
}

type nameInput struct{ Body NameCorrection }

func (s *Server) correctName(ctx context.Context, in *nameInput) (*body[Profile], error) {
	if err := account.CorrectName(ctx, s.DB, principalOf(ctx).UserID, in.Body.FirstName, in.Body.LastName); err != nil {
		return nil, err
	}
	return s.getProfile(ctx, nil)
}

type preferencesInput struct{ Body NewPreferences }

// chosenPreferences lets the browser speak the chosen language from the next
// page on.
type chosenPreferences struct {
	SetCookie []http.Cookie `header:"Set-Cookie"`
	Body      Profile
}

func (s *Server) setPreferences(ctx context.Context, in *preferencesInput) (*chosenPreferences, error) {
	if !slices.Contains(s.languages(), in.Body.Language) {
		return nil, store.Invalid("language", "unknown_language", "Choose a language")
	}
	err := account.Choose(ctx, s.DB, account.Preferences{UserID: principalOf(ctx).UserID, Language: in.Body.Language, Muted: in.Body.Muted, News: in.Body.News})
	if err != nil {
		return nil, err
	}
	profile, err := s.getProfile(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &chosenPreferences{SetCookie: s.speaks(in.Body.Language), Body: profile.Body}, nil
}
