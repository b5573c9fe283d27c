package api

import (
	"cmp"
	"context"
	"regexp"

	"github.com/mileusna/useragent"

	"github.com/tradepost/tradepost/models/account"
)

// listSessions says where the person is signed in.
func (s *Server) listSessions(ctx context.Context, _ *nothing) (*body[[]ActiveSession], error) {
	rows, err := account.ActiveSessions(ctx, s.DB, principalOf(ctx))
	if err != nil {
		return nil, err
	}
	return &body[[]ActiveSession]{mapped(rows, activeSession)}, nil
}

// plainName is what may be shown of what a browser says of itself.
var plainName = regexp.MustCompile(`^[A-Za-z0-9 ]{1,30}$`)

// browserOf reads who a browser says it is; what is no plain name is left out,
// so that nobody writes into a page or a mail by it.
func browserOf(userAgent string) useragent.UserAgent {
	browser := useragent.Parse(userAgent)
	for _, name := range []*string{&browser.Name, &browser.OS} {
		if !plainName.MatchString(*name) {
			*name = ""
		}
	}
	return browser
}

// deviceName is what people call a browser: "Firefox on Windows".
func deviceName(userAgent string) string {
	browser := browserOf(userAgent)
	return cmp.Or(browser.Name, "A browser") + " on " + cmp.Or(browser.OS, "an unknown system")
}

func activeSession(row *account.ActiveSession) ActiveSession {
	browser := browserOf(row.UserAgent)
	return ActiveSession{ID: row.ID, Browser: browser.Name, System: browser.OS, Mobile: browser.Mobile || browser.Tablet, IP: row.IP,
		Current: row.Current, CreatedAt: row.CreatedAt, LastSeenAt: row.LastSeenAt}
}

func (s *Server) endOneSession(ctx context.Context, in *ObjectID) (*body[EndedSessions], error) {
	if err := account.EndSession(ctx, s.DB, principalOf(ctx).UserID, in.ID); err != nil {
		return nil, err
	}
	return &body[EndedSessions]{EndedSessions{1}}, nil
}

func (s *Server) endOtherSessions(ctx context.Context, _ *nothing) (*body[EndedSessions], error) {
	ended, err := account.EndOtherSessions(ctx, s.DB, principalOf(ctx))
	if err != nil {
		return nil, err
	}
	return &body[EndedSessions]{EndedSessions{ended}}, nil
}
