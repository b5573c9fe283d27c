package api

import (
	"context"

	"github.com/mileusna/useragent"

	"github.com/tradepost/tradepost/models"
)

// listSessions says where the person is signed in.
func (s *Server) listSessions(ctx context.Context, _ *nothing) (*body[[]ActiveSession], error) {
	rows, err := s.DB.ActiveSessions(ctx, principalOf(ctx))
	if err != nil {
		return nil, err
	}
	return &body[[]ActiveSession]{mapped(rows, activeSession)}, nil
}

func activeSession(row *models.ActiveSession) ActiveSession {
	browser := useragent.Parse(row.UserAgent)
	return ActiveSession{ID: row.ID, Browser: browser.Name, System: browser.OS, Mobile: browser.Mobile || browser.Tablet, IP: row.IP,
		Current: row.Current, CreatedAt: row.CreatedAt, LastSeenAt: row.LastSeenAt}
}

func (s *Server) endOneSession(ctx context.Context, in *ObjectID) (*body[EndedSessions], error) {
	if err := s.DB.EndSession(ctx, principalOf(ctx).UserID, in.ID); err != nil {
		return nil, err
	}
	return &body[EndedSessions]{EndedSessions{1}}, nil
}

func (s *Server) endOtherSessions(ctx context.Context, _ *nothing) (*body[EndedSessions], error) {
	ended, err := s.DB.EndOtherSessions(ctx, principalOf(ctx))
	if err != nil {
		return nil, err
	}
	return &body[EndedSessions]{EndedSessions{ended}}, nil
}
