package webhook

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/voucher"
	"github.com/tradepost/tradepost/models/webhook"
	"github.com/tradepost/tradepost/workflows"
)

type webhookInput struct {
	RawBody []byte `contentType:"application/json"`
}

type webhookAnswer struct{ Status int }

// Identity is the capability of the provider that verifies who customers are.
const Identity ledger.Capability = "identity"

// Webhook receives the webhooks of the provider of one capability: verify, store, answer
// 2xx, signal the workflow. Losing one loses nothing, since polls find its change; it stays
// open in the inbox until its effect is recorded.
func (h *Handlers) Webhook(from ledger.Provider, of ledger.Capability) func(context.Context, *webhookInput) (*webhookAnswer, error) {
	return func(ctx context.Context, in *webhookInput) (*webhookAnswer, error) {
		notice, held, err := h.verified(ctx, from, of, in.RawBody)
		if err != nil {
			return nil, err
		}
		notice.Idle = notice.Over || Idle(*notice)
		done, err := h.store(ctx, *notice, held)
		if err != nil {
			return nil, err
		}
		if !done {
			h.pass(ctx, *notice)
		}
		return &webhookAnswer{Status: received(of)}, nil
	}
}

// received is the status by which a provider counts a webhook as received. BitGo repeats
// one, and in the end suspends the webhook, until it is answered 200 (providers §3.7); to
// the others any 2xx will do.
func received(of ledger.Capability) int {
	if of == ledger.Custody {
		return http.StatusOK
	}
	return http.StatusNoContent
}

// AnsweredOK declares that status.
func AnsweredOK(op *huma.Operation) { op.DefaultStatus = http.StatusOK }

// verified checks a webhook's signature with the database's time, at most a second old:
// minutes are what counts. It determines the webhook's object, and the authorised payment
// that it shows.
func (h *Handlers) verified(ctx context.Context, from ledger.Provider, of ledger.Capability, body []byte) (*webhook.WebhookNotice, *order.PaymentReading, error) {
	now := h.Clock.Now(ctx, h.DB.Now)
	if now.IsZero() {
		return nil, nil, errors.New("check a webhook: the database has not told the time")
	}
	verifier, used := h.Webhooks[from]
	if !used {
		return nil, nil, rest.NewProblem(http.StatusUnauthorized, "bad_signature", "This installation does not use the provider")
	}
	event, err := verifier.Verify(rest.RequestOf(ctx).In.Header, body, now)
	if err != nil {
		h.Log.WarnContext(ctx, "webhook refused", "provider", from, "error", err, "request_id", rest.RequestID(ctx))
		if errors.Is(err, provider.ErrBadSignature) {
			return nil, nil, rest.NewProblem(http.StatusUnauthorized, "bad_signature", "The signature does not match")
		}
		return nil, nil, unreadable()
	}
	if !storable(event) {
		h.Log.WarnContext(ctx, "webhook refused", "provider", from, "error", "it contains a text that no row can hold", "request_id", rest.RequestID(ctx))
		return nil, nil, unreadable()
	}
	notice := &webhook.WebhookNotice{Of: of, Provider: from, EventID: event.ID, Type: event.Type, Subject: event.Subject, At: event.At, Previous: event.Previous, Owner: webhook.Owner{OrderID: event.OrderID}}
	var held *order.PaymentReading
	if p := event.Held; p != nil {
		held = &order.PaymentReading{PaymentID: p.ID, Authorised: true, Capturable: p.Capturable,
			Brand: p.CardBrand, Last4: p.CardLast4, Fingerprint: p.CardFingerprint, CaptureBefore: p.CaptureBefore}
	}
	if notice.OrderID == "" {
		notice.Owner, err = webhook.OwnerOfSubject(ctx, h.DB, of, event.Subject)
	}
	return notice, held, err
}

func unreadable() error {
	return rest.NewProblem(http.StatusBadRequest, "unreadable_event", "The event could not be read")
}

// storable reports whether Postgres can hold every text of an event.
func storable(event provider.WebhookEvent) bool {
	texts := []string{event.ID, event.Type, event.Subject, event.OrderID}
	if p := event.Held; p != nil {
		texts = append(texts, p.ID, p.CardBrand, p.CardLast4, p.CardFingerprint)
	}
	return !slices.ContainsFunc(texts, func(text string) bool { return !rest.Storable(text) })
}

// store stores a webhook, and records the authorised payment that it shows, if any.
func (h *Handlers) store(ctx context.Context, notice webhook.WebhookNotice, held *order.PaymentReading) (done bool, err error) {
	if held != nil {
		return order.StoreAuthorisation(ctx, h.DB, notice, held)
	}
	return webhook.StoreWebhook(ctx, h.DB, notice)
}

// pass signals the workflow of a webhook's object. A webhook without one is done.
func (h *Handlers) pass(ctx context.Context, notice webhook.WebhookNotice) {
	due, err := h.Signal(ctx, notice)
	if err != nil {
		h.Log.WarnContext(ctx, "webhook not passed on; the poll will find out", "provider", notice.Provider, "type", notice.Type, "error", err)
		return
	}
	if due {
		return
	}
	if err := webhook.MarkWebhookHandled(ctx, h.DB, notice.Provider, notice.EventID); err != nil {
		h.Log.WarnContext(ctx, "webhook not marked handled", "provider", notice.Provider, "error", err)
	}
}

// Idle reports whether a webhook signals no workflow, by its content alone.
func Idle(notice webhook.WebhookNotice) bool {
	return notice.Of == ledger.Payments && (notice.OrderID == "" || !workflows.SignalsPayment(notice.Type) && !workflows.SignalsMoney(notice.Type))
}

// Signal signals the workflow of a webhook's object; due is false when none has to read
// anything.
func (h *Handlers) Signal(ctx context.Context, notice webhook.WebhookNotice) (due bool, err error) {
	switch notice.Of {
	case ledger.Payments:
		if Idle(notice) {
			return false, nil
		}
		if workflows.SignalsMoney(notice.Type) {
			return true, h.Workflows.FollowPayment(ctx, notice.OrderID, notice.Type)
		}
		return true, h.Workflows.Signal(ctx, notice.OrderID, workflows.PaymentChanged, notice.Type)
	case ledger.Custody:
		if notice.Dead {
			return true, h.Workflows.ReconcileNow(ctx)
		}
		if notice.RedemptionID != "" {
			return true, h.Workflows.SignalCase(ctx, voucher.KindVoucher, notice.RedemptionID, notice.Type)
		}
		// Without an order yet the webhook arrived before our own commit: it stays open,
		// and the poll finds the transfer.
		if notice.OrderID == "" {
			return true, nil
		}
		return true, h.Workflows.Signal(ctx, notice.OrderID, workflows.TransferChanged, notice.Type)
	case Identity:
		known, err := webhook.UserExists(ctx, h.DB, notice.Subject)
		if err != nil || !known {
			return false, err
		}
		return true, h.Workflows.ReviewKYC(ctx, notice.Subject, notice.Type)
	}
	return false, nil
}
