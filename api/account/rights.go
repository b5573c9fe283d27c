package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gocloud.dev/gcerrors"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/bucket"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/privacy"
)

// GetAccountRights answers GET /api/account/rights.
func (h *Handlers) GetAccountRights(ctx context.Context, _ *rest.Nothing) (*rest.Body[AccountRights], error) {
	userID := rest.PrincipalOf(ctx).UserID
	profile, err := account.ReadProfile(ctx, h.DB, userID)
	if err != nil {
		return nil, err
	}
	export, err := privacy.LastExport(ctx, h.DB, userID)
	if err != nil {
		return nil, err
	}
	closure, err := privacy.LastClosure(ctx, h.DB, userID)
	if err != nil {
		return nil, err
	}
	return &rest.Body[AccountRights]{Body: AccountRights{Restricted: profile.RestrictedAt != nil, Export: dataExport(export), Closure: accountClosure(closure),
		CloseAfter: int(privacy.ClosurePause / (24 * time.Hour))}}, nil
}

func dataExport(e *privacy.DataExport) *DataExport {
	if e == nil {
		return nil
	}
	view := &DataExport{ID: e.ID, Reference: e.Reference, Status: e.Status, Size: e.Size, CreatedAt: e.CreatedAt, ReadyAt: e.ReadyAt, ExpiresAt: e.WakeAt}
	if e.Status == privacy.ExportRequested {
		view.ExpiresAt = nil
	}
	return view
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

// RestrictAccount answers POST /api/account/restriction.
func (h *Handlers) RestrictAccount(ctx context.Context, in *restrictionInput) (*rest.Body[AccountRights], error) {
	if err := people.Restrict(ctx, h.DB, rest.PrincipalOf(ctx).UserID, in.Body.Restricted); err != nil {
		return nil, err
	}
	return h.GetAccountRights(ctx, nil)
}

// AskForData requests the copy of everything stored about the caller; the mail that
// announces it links back here.
func (h *Handlers) AskForData(ctx context.Context, _ *rest.Nothing) (*rest.Body[AccountRights], error) {
	if err := h.RequireFreshCode(ctx); err != nil {
		return nil, err
	}
	userID, byMail := rest.PrincipalOf(ctx).UserID, h.ConfirmsByMail(ctx)
	export, err := privacy.AskForData(ctx, h.DB, userID, bucket.NewName(), byMail)
	if err != nil {
		return nil, err
	}
	h.StartCase(ctx, privacy.KindDataExport, export.ID)
	return h.GetAccountRights(ctx, nil)
}

type download struct {
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	Body        []byte
}

// GetData gives the caller their copy, as long as it is kept.
func (h *Handlers) GetData(ctx context.Context, in *rest.ObjectID) (*download, error) {
	export, err := privacy.ReadyExport(ctx, h.DB, rest.PrincipalOf(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	sealed, err := h.Files.ReadAll(ctx, export.FileKey)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, rest.NotFound()
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

// AskToClose records the caller's request to close their account.
func (h *Handlers) AskToClose(ctx context.Context, _ *rest.Nothing) (*rest.Body[AccountRights], error) {
	userID := rest.PrincipalOf(ctx).UserID
	if err := privacy.MayClose(ctx, h.DB, userID); err != nil { // first: a code is used up by one attempt
		return nil, err
	}
	if err := h.RequireFreshCode(ctx); err != nil {
		return nil, err
	}
	closure, err := privacy.AskToClose(ctx, h.DB, userID)
	if err != nil {
		return nil, err
	}
	h.StartCase(ctx, privacy.KindClosure, closure.ID)
	return h.GetAccountRights(ctx, nil)
}

// KeepAccount answers POST /api/account/closure/cancel.
func (h *Handlers) KeepAccount(ctx context.Context, _ *rest.Nothing) (*rest.Body[AccountRights], error) {
	if _, err := privacy.KeepAccount(ctx, h.DB, rest.PrincipalOf(ctx).UserID); err != nil {
		return nil, err
	}
	return h.GetAccountRights(ctx, nil)
}
