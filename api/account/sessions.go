package account

import (
	"cmp"
	"context"
	"regexp"

	"github.com/mileusna/useragent"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
)

// ListSessions lists where the person is signed in.
func (h *Handlers) ListSessions(ctx context.Context, _ *rest.Nothing) (*rest.Body[[]ActiveSession], error) {
	rows, err := account.ActiveSessions(ctx, h.DB, rest.PrincipalOf(ctx))
	if err != nil {
		return nil, err
	}
	return &rest.Body[[]ActiveSession]{Body: rest.Mapped(rows, ShownSession)}, nil
}

// plainName matches what may be shown of a browser's User-Agent.
var plainName = regexp.MustCompile(`^[A-Za-z0-9 ]{1,30}$`)

// browserOf reads the browser's name; what does not match plainName is left out, so that it
// cannot inject text into a page or a mail.
func browserOf(userAgent string) useragent.UserAgent {
	browser := useragent.Parse(userAgent)
	for _, name := range []*string{&browser.Name, &browser.OS} {
		if !plainName.MatchString(*name) {
			*name = ""
		}
	}
	return browser
}

// DeviceName is a browser's name for people: "Firefox on Windows".
func DeviceName(userAgent string) string {
	browser := browserOf(userAgent)
	return cmp.Or(browser.Name, "A browser") + " on " + cmp.Or(browser.OS, "an unknown system")
}

// ShownSession is a session as its owner sees it.
func ShownSession(row *account.ActiveSession) ActiveSession {
	browser := browserOf(row.UserAgent)
	return ActiveSession{ID: row.ID, Browser: browser.Name, System: browser.OS, Mobile: browser.Mobile || browser.Tablet, IP: row.IP,
		Current: row.Current, CreatedAt: row.CreatedAt, LastSeenAt: row.LastSeenAt}
}

// EndOneSession answers POST /api/sessions/{id}/end.
func (h *Handlers) EndOneSession(ctx context.Context, in *rest.ObjectID) (*rest.Body[EndedSessions], error) {
	if err := account.EndSession(ctx, h.DB, rest.PrincipalOf(ctx).UserID, in.ID); err != nil {
		return nil, err
	}
	return &rest.Body[EndedSessions]{Body: EndedSessions{1}}, nil
}

// EndOtherSessions answers POST /api/sessions/end-others.
func (h *Handlers) EndOtherSessions(ctx context.Context, _ *rest.Nothing) (*rest.Body[EndedSessions], error) {
	ended, err := account.EndOtherSessions(ctx, h.DB, rest.PrincipalOf(ctx))
	if err != nil {
		return nil, err
	}
	return &rest.Body[EndedSessions]{Body: EndedSessions{ended}}, nil
}
