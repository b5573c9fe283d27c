package account

import (
	"context"
	"net/http"
	"slices"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
)

// GetProfile answers GET /api/profile.
func (h *Handlers) GetProfile(ctx context.Context, _ *rest.Nothing) (*rest.Body[Profile], error) {
	p, err := account.ReadProfile(ctx, h.DB, rest.PrincipalOf(ctx).UserID)
	if err != nil {
		return nil, err
	}
	spoken := p.Preferences.Language
	if !slices.Contains(h.Languages, spoken) {
		spoken = h.Languages.Asked(rest.RequestOf(ctx).In)
	}
	out := Profile{Email: p.Email, FirstName: p.FirstName, LastName: p.LastName, Country: p.Country, NameLocked: p.Verified,
		Language: spoken, Languages: h.Languages, News: p.Preferences.News}
	for _, topic := range account.Topics {
		if topic == casework.TopicApprovals && !rest.IsStaff(rest.PrincipalOf(ctx)) {
			continue
		}
		out.Topics = append(out.Topics, Topic{Topic: topic, Wanted: !slices.Contains(p.Preferences.Muted, topic)})
	}
	return &rest.Body[Profile]{Body: out}, nil
}

type nameInput struct{ Body NameCorrection }

// CorrectName answers POST /api/profile/name.
func (h *Handlers) CorrectName(ctx context.Context, in *nameInput) (*rest.Body[Profile], error) {
	if err := account.CorrectName(ctx, h.DB, rest.PrincipalOf(ctx).UserID, in.Body.FirstName, in.Body.LastName); err != nil {
		return nil, err
	}
	return h.GetProfile(ctx, nil)
}

type preferencesInput struct{ Body NewPreferences }

// chosenPreferences lets the browser speak the chosen language from the next
// page on.
type chosenPreferences struct {
	SetCookie []http.Cookie `header:"Set-Cookie"`
	Body      Profile
}

// SetPreferences answers POST /api/profile/preferences.
func (h *Handlers) SetPreferences(ctx context.Context, in *preferencesInput) (*chosenPreferences, error) {
	if !slices.Contains(h.Languages, in.Body.Language) {
		return nil, store.Invalid("language", "unknown_language", "Choose a language")
	}
	err := account.Choose(ctx, h.DB, account.Preferences{UserID: rest.PrincipalOf(ctx).UserID, Language: in.Body.Language, Muted: in.Body.Muted, News: in.Body.News})
	if err != nil {
		return nil, err
	}
	profile, err := h.GetProfile(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &chosenPreferences{SetCookie: h.Speaks(in.Body.Language), Body: profile.Body}, nil
}
