// Package confirmation answers the calls by which customers without a second factor confirm a request: they follow a
// mailed link.
package confirmation

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/privacy"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// Handlers answer the calls about mailed links.
type Handlers struct {
	*rest.SecondFactor
	DB         *store.DB
	Log        *slog.Logger
	Background *sync.WaitGroup // what continues after an answer
	Workflows  Workflows
}

// Workflows is how these calls notify workflows that a row changed. What is not delivered, the sweeper finds.
type Workflows interface {
	Signal(ctx context.Context, orderID, signal, reason string) error
	SignalCase(ctx context.Context, caseKind casework.Kind, id, reason string) error
}

// LinkToken is the secret of a mailed link.
type LinkToken struct {
	Token string `json:"token" maxLength:"100" doc:"from the mailed link"`
}

// MailedRequest is a request that its customer confirmed, or is to confirm, by a mailed link.
type MailedRequest struct {
	ID      string `json:"id" format:"uuid"`
	Kind    string `json:"kind" enum:"payout,data_export,order"`
	Message string `json:"message" prose:"yes"`
}

type confirmInput struct {
	rest.ObjectID
	Body LinkToken
}

// kind is what there is to know of a kind of request.
type kind struct {
	confirm func(ctx context.Context, db *store.DB, userID, id, token string) error
	again   func(ctx context.Context, db *store.DB, userID, id string) error
	done    string
}

var kinds = map[casework.Kind]kind{
	payout.KindPayout:      {payout.ConfirmPayoutRequest, payout.MailPayoutLinkAgain, "Payout confirmed. We'll review it now."},
	privacy.KindDataExport: {privacy.ConfirmExport, privacy.MailExportLinkAgain, "Request confirmed. We'll e-mail you when your data is ready."},
	casework.KindOrder:     {order.ConfirmOrder, order.MailOrderLinkAgain, "Order confirmed and paid from your balance."},
}

// Confirm handles POST /api/confirmations/{id}. A link that is followed again has the same answer.
func (h *Handlers) Confirm(ctx context.Context, in *confirmInput) (*rest.Body[MailedRequest], error) {
	userID := rest.PrincipalOf(ctx).UserID
	link, err := casework.LinkOf(ctx, h.DB, userID, in.ID)
	if err != nil {
		return nil, err
	}
	of := kinds[link.Kind]
	answer := &rest.Body[MailedRequest]{Body: MailedRequest{ID: in.ID, Kind: string(link.Kind), Message: of.done}}
	if casework.LinkUsed(ctx, h.DB, userID, in.ID, in.Body.Token) == nil {
		return answer, nil
	}
	if err := of.confirm(ctx, h.DB, userID, in.ID, in.Body.Token); err != nil {
		return nil, err
	}
	h.notify(ctx, link.Kind, in.ID)
	return answer, nil
}

// MailAgain handles POST /api/confirmations/{id}/mail.
func (h *Handlers) MailAgain(ctx context.Context, in *rest.ObjectID) (*rest.Body[MailedRequest], error) {
	userID := rest.PrincipalOf(ctx).UserID
	link, err := casework.LinkOf(ctx, h.DB, userID, in.ID)
	if err != nil {
		return nil, err
	}
	if err := casework.CheckLink(ctx, h.DB, userID, in.ID); err != nil {
		return nil, err
	}
	if err := h.AllowLink(ctx, h.DB, userID); err != nil {
		return nil, err
	}
	if err := kinds[link.Kind].again(ctx, h.DB, userID, in.ID); err != nil {
		return nil, err
	}
	return &rest.Body[MailedRequest]{Body: MailedRequest{ID: in.ID, Kind: string(link.Kind), Message: "We've e-mailed you the link again."}}, nil
}

// notify has the workflow read the row again, beside the answer.
func (h *Handlers) notify(ctx context.Context, of casework.Kind, id string) {
	h.Background.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		var err error
		if of == casework.KindOrder {
			err = h.Workflows.Signal(ctx, id, workflows.PaymentChanged, "confirmed")
		} else {
			err = h.Workflows.SignalCase(ctx, of, id, "confirmed")
		}
		if err != nil {
			h.Log.WarnContext(ctx, "workflow not signaled about a confirmation; sweep will retry", "kind", of, "id", id, "error", err)
		}
	})
}
