package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/voucher"
	"github.com/tradepost/tradepost/models/webhook"
	"github.com/tradepost/tradepost/workflows"
)

type webhookInput struct {
	RawBody []byte `contentType:"application/json"`
}

type webhookAnswer struct{ Status int }

// webhook takes one provider's notices: verify, store, answer 2xx, signal the
// workflow. A notice is a webhook signal, so losing it loses nothing: the poll
// catches up. It stays open in the inbox until its effect is there.
func (s *Server) webhook(from string) func(context.Context, *webhookInput) (*webhookAnswer, error) {
	return func(ctx context.Context, in *webhookInput) (*webhookAnswer, error) {
		notice, held, err := s.verified(ctx, from, in.RawBody)
		if err != nil {
			return nil, err
		}
		notice.Idle = notice.Over || idle(*notice)
		done, err := s.store(ctx, *notice, held)
		if err != nil {
			return nil, err
		}
		if !done {
			s.pass(ctx, *notice)
		}
		return &webhookAnswer{Status: received(from)}, nil
	}
}

// received is the status that a provider takes a notice for received by. BitGo
// repeats one, and in the end suspends the webhook, until it is answered 200
// (providers §3.7); to the others any 2xx will do.
func received(from string) int {
	if from == "bitgo" {
		return http.StatusOK
	}
	return http.StatusNoContent
}

// answeredOK declares that status.
func answeredOK(op *huma.Operation) { op.DefaultStatus = http.StatusOK }

// verified checks a notice's signature with the database's time, as it was told a
// second ago at most: minutes are what counts. It finds out what the notice is about, and the
// authorised payment that it shows.
func (s *Server) verified(ctx context.Context, from string, body []byte) (*webhook.WebhookNotice, *order.PaymentReading, error) {
	now := s.clock.now(ctx, s.DB.Now)
	if now.IsZero() {
		return nil, nil, errors.New("check a webhook: the database has not told the time")
	}
	verifier, used := s.Webhooks[from]
	if !used {
		return nil, nil, problem(http.StatusUnauthorized, "bad_signature", "This installation does not use the provider")
	}
	event, err := verifier.Verify(requestOf(ctx).in.Header, body, now)
	if err != nil {
		s.Log.WarnContext(ctx, "webhook refused", "provider", from, "error", err, "request_id", requestID(ctx))
		if errors.Is(err, provider.ErrBadSignature) {
			return nil, nil, problem(http.StatusUnauthorized, "bad_signature", "The signature does not match")
		}
		return nil, nil, problem(http.StatusBadRequest, "unreadable_event", "The event could not be read")
	}
	notice := &webhook.WebhookNotice{Provider: from, EventID: event.ID, Type: event.Type, Subject: event.Subject, At: event.At, Owner: webhook.Owner{OrderID: event.OrderID}}
	var held *order.PaymentReading
	if p := event.Held; p != nil {
		held = &order.PaymentReading{PaymentID: p.ID, Authorised: true, Capturable: p.Capturable,
			Brand: p.CardBrand, Last4: p.CardLast4, Fingerprint: p.CardFingerprint, CaptureBefore: p.CaptureBefore}
	}
	if notice.OrderID == "" {
		notice.Owner, err = webhook.OwnerOfSubject(ctx, s.DB, from, event.Subject)
	}
	return notice, held, err
}

// store keeps a notice, and takes the authorised payment that it shows, if it does.
func (s *Server) store(ctx context.Context, notice webhook.WebhookNotice, held *order.PaymentReading) (done bool, err error) {
	if held != nil {
		return order.StoreAuthorisation(ctx, s.DB, notice, held)
	}
	return webhook.StoreWebhook(ctx, s.DB, notice)
}

// pass signals the workflow a notice is about. What signals nobody is done.
func (s *Server) pass(ctx context.Context, notice webhook.WebhookNotice) {
	due, err := s.signal(ctx, notice)
	if err != nil {
		s.Log.WarnContext(ctx, "webhook not passed on; the poll will find out", "provider", notice.Provider, "type", notice.Type, "error", err)
		return
	}
	if due {
		return
	}
	if err := webhook.MarkWebhookHandled(ctx, s.DB, notice.Provider, notice.EventID); err != nil {
		s.Log.WarnContext(ctx, "webhook not marked handled", "provider", notice.Provider, "error", err)
	}
}

// idle reports whether a notice signals nobody, by what it says alone.
func idle(notice webhook.WebhookNotice) bool {
	return notice.Provider == "stripe" && (notice.OrderID == "" || !workflows.SignalsPayment(notice.Type) && !workflows.SignalsMoney(notice.Type))
}

func (s *Server) signal(ctx context.Context, notice webhook.WebhookNotice) (due bool, err error) {
	switch notice.Provider {
	case "stripe":
		if idle(notice) {
			return false, nil
		}
		if workflows.SignalsMoney(notice.Type) {
			return true, s.Workflows.LookAtPayment(ctx, notice.OrderID, notice.Type)
		}
		return true, s.Workflows.Signal(ctx, notice.OrderID, workflows.PaymentChanged, notice.Type)
	case "bitgo":
		if notice.Dead {
			return true, s.Workflows.ReconcileNow(ctx)
		}
		if notice.RedemptionID != "" {
			return true, s.Workflows.SignalCase(ctx, voucher.KindVoucher, notice.RedemptionID, notice.Type)
		}
		// Without an order yet the notice came before our own commit: it stays
		// open, and the poll finds the transfer.
		if notice.OrderID == "" {
			return true, nil
		}
		return true, s.Workflows.Signal(ctx, notice.OrderID, workflows.TransferChanged, notice.Type)
	case "sumsub":
		known, err := webhook.UserExists(ctx, s.DB, notice.Subject)
		if err != nil || !known {
			return false, err
		}
		return true, s.Workflows.ReviewKYC(ctx, notice.Subject, notice.Type)
	}
	return false, nil
}
