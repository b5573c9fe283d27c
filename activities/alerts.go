package activities

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
)

// A call is retried as mails are; a receiver that answers slowly delays the run no longer
// than callTimeout.
const (
	callTimeout = 10 * time.Second
	callLease   = time.Minute // longer than a call can last
)

// Caller sends alerts to a webhook, signed as Standard Webhooks asks for
// (https://www.standardwebhooks.com). A process that dies after a call and before it has
// recorded it makes the call twice, both times with the same webhook-id.
type Caller struct {
	DB        *store.DB
	URL       string
	PublicURL string
	Log       *slog.Logger

	signer *standardwebhooks.Webhook
	client *http.Client
}

// NewCaller makes a caller; the secret has the form whsec_<base64>.
func NewCaller(db *store.DB, url, secret, publicURL string, log *slog.Logger) (*Caller, error) {
	signer, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return nil, errors.New("the webhook's secret is not whsec_ and base64")
	}
	client := &http.Client{Timeout: callTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &Caller{DB: db, URL: url, PublicURL: publicURL, Log: log, signer: signer, client: client}, nil
}

// alertMessage is the body of a call to the webhook.
type alertMessage struct {
	Type      string    `json:"type"` // alert.opened or alert.closed
	Timestamp time.Time `json:"timestamp"`
	Data      struct {
		ID      string              `json:"id"`
		Kind    reporting.AlertKind `json:"kind"`
		Subject string              `json:"subject"`
		Count   int                 `json:"count"`
		Since   time.Time           `json:"since"`
		Text    string              `json:"text"`
		Link    string              `json:"link"`
	} `json:"data"`
}

// callAll makes the calls that are due now.
func (c *Caller) callAll(ctx context.Context) error {
	for ctx.Err() == nil && !stopping(ctx) {
		due, err := reporting.ClaimAlertCall(ctx, c.DB, callLease)
		if err != nil || due == nil {
			return err
		}
		code := c.call(ctx, due)
		if code == "" {
			err = reporting.AlertCallSent(context.WithoutCancel(ctx), c.DB, due.CallID)
		} else {
			wait := nextTry(due.Attempts, due.QueuedFor, mailLastWait, mailKept)
			c.Log.WarnContext(ctx, "alert not told", "call", due.CallID, "attempt", due.Attempts, "code", code, "again_in", wait)
			err = reporting.AlertCallFailed(ctx, c.DB, due.CallID, code, wait)
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// call makes one call and returns the code of its failure, or an empty string.
func (c *Caller) call(ctx context.Context, due *reporting.AlertCall) (code string) {
	message := alertMessage{Type: "alert." + due.State, Timestamp: due.CreatedAt.UTC()}
	message.Data.ID, message.Data.Kind, message.Data.Subject, message.Data.Count = due.ID, due.Kind, due.Subject, due.Count
	message.Data.Since, message.Data.Text, message.Data.Link = due.Since.UTC(), due.Text(), c.PublicURL+due.Page()
	body, err := json.Marshal(message)
	if err != nil {
		return "not_written"
	}
	now, err := c.DB.WallClock(ctx)
	if err != nil {
		return "no_time"
	}
	signature, err := c.signer.Sign(due.CallID, now, body)
	if err != nil {
		return "not_signed"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL, bytes.NewReader(body))
	if err != nil {
		return "not_a_url"
	}
	request.Header = http.Header{"Content-Type": {"application/json"}, standardwebhooks.HeaderWebhookID: {due.CallID},
		standardwebhooks.HeaderWebhookTimestamp: {strconv.FormatInt(now.Unix(), 10)}, standardwebhooks.HeaderWebhookSignature: {signature}}
	answer, err := c.client.Do(request)
	var network net.Error
	switch {
	case errors.As(err, &network) && network.Timeout():
		return "timeout"
	case err != nil:
		return "unreachable"
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<16)) // so that the connection can be used again
	_ = answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		return fmt.Sprintf("answer_%d", answer.StatusCode)
	}
	return ""
}
