package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gocloud.dev/gcerrors"

	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/privacy"
)

func (s *Server) getAccountRights(ctx context.Context, _ *nothing) (*body[AccountRights], error) {
	userID := principalOf(ctx).UserID
	profile, err := account.ReadProfile(ctx, s.DB, userID)
	if err != nil {
		return nil, err
	}
	export, err := privacy.LastExport(ctx, s.DB, userID)
	if err != nil {
		return nil, err
	}
	closure, err := privacy.LastClosure(ctx, s.DB, userID)
	if err != nil {
		return nil, err
	}
	return &body[AccountRights]{AccountRights{Restricted: profile.RestrictedAt != nil, Export: dataExport(export), Closure: accountClosure(closure),
		CloseAfter: int(privacy.ClosurePause / (24 * time.Hour))}}, nil
}

func dataExport(e *privacy.DataExport) *DataExport {
	if e == nil {
		return nil
	}
	return &DataExport{ID: e.ID, Reference: e.Reference, Status: e.Status, Size: e.Size, CreatedAt: e.CreatedAt, ReadyAt: e.ReadyAt, ExpiresAt: e.WakeAt}
}

func accountClosure(a *privacy.AccountClosure) *AccountClosure {
	if a == nil {
		return nil
	}
	view := &AccountClosure{ID: a.ID, Reference: a.Reference, Status: a.Status, DueAt: a.WakeAt, CreatedAt: a.CreatedAt, ClosedAt: a.ClosedAt}
	if a.RefusedBecause != nil {
		text := privacy.StillOpen(*a.RefusedBecause)
		view.Because = &text
	}
	return view
}

type restrictionInput struct{ Body Restriction }

func (s *Server) restrictAccount(ctx context.Context, in *restrictionInput) (*body[AccountRights], error) {
	if err := account.Restrict(ctx, s.DB, principalOf(ctx).UserID, in.Body.Restricted); err != nil {
		return nil, err
	}
	return s.getAccountRights(ctx, nil)
}

// askForData has a copy of everything we hold of the caller made; the mail that
// says it is ready leads back here.
func (s *Server) askForData(ctx context.Context, _ *nothing) (*body[AccountRights], error) {
	if err := s.requireFreshCode(ctx); err != nil {
		return nil, err
	}
	export, err := privacy.AskForData(ctx, s.DB, principalOf(ctx).UserID, newToken())
	if err != nil {
		return nil, err
	}
	s.startCase(ctx, privacy.KindDataExport, export.ID)
	return s.getAccountRights(ctx, nil)
}

type download struct {
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	Body        []byte
}

// getData gives the caller their copy, as long as it is kept.
func (s *Server) getData(ctx context.Context, in *ObjectID) (*download, error) {
	export, err := privacy.ReadyExport(ctx, s.DB, principalOf(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	sealed, err := s.Files.ReadAll(ctx, export.FileKey)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, notFound()
	}
	if err != nil {
		return nil, err
	}
	keys, err := secret.NewKeys(export.SealKey)
	if err != nil {
		return nil, errors.New("the key of a data export does not fit") // never with the key
	}
	content, err := keys.Open(export.Place(), sealed)
	if err != nil {
		return nil, fmt.Errorf("open data export %s: %w", export.ID, err)
	}
	return &download{ContentType: "application/zip", Disposition: `attachment; filename="` + export.Reference + `.zip"`, Body: content}, nil
}

// askToClose writes down that the caller wants their account closed.
func (s *Server) askToClose(ctx context.Context, _ *nothing) (*body[AccountRights], error) {
	if err := s.requireFreshCode(ctx); err != nil {
		return nil, err
	}
	closure, err := privacy.AskToClose(ctx, s.DB, principalOf(ctx).UserID)
	if err != nil {
		return nil, err
	}
	s.startCase(ctx, privacy.KindClosure, closure.ID)
	return s.getAccountRights(ctx, nil)
}

func (s *Server) keepAccount(ctx context.Context, _ *nothing) (*body[AccountRights], error) {
	if _, err := privacy.KeepAccount(ctx, s.DB, principalOf(ctx).UserID); err != nil {
		return nil, err
	}
	return s.getAccountRights(ctx, nil)
}
