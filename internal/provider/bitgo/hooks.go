package bitgo

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
)

// Hook is a webhook of a wallet. Failures means that it covers failed transfers too.
type Hook struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	URL      string `json:"url"`
	State    string `json:"state"`
	Failures bool   `json:"listenToFailureStates"`
}

// HookSuspended is the state of a webhook whose deliveries failed. It is removed and added
// again.
const HookSuspended = "suspended"

// hookLabel names what the product adds, in BitGo's own list.
const hookLabel = "Tradepost"

// Hooks lists the webhooks of a wallet.
func (c *Client) Hooks(ctx context.Context, w provider.Wallet) ([]Hook, error) {
	const operation = "webhooks"
	path, err := c.walletPath(operation, w)
	if err != nil {
		return nil, err
	}
	var list struct {
		Hooks []Hook `json:"webhooks"`
	}
	if err := c.get(ctx, operation, path+"/webhooks", &list); err != nil {
		return nil, err
	}
	return list.Hooks, nil
}

// AddHook adds a webhook to a wallet.
func (c *Client) AddHook(ctx context.Context, w provider.Wallet, h Hook) error {
	const operation = "add_webhook"
	path, err := c.walletPath(operation, w)
	if err != nil {
		return err
	}
	in := map[string]any{"type": h.Type, "url": h.URL, "label": hookLabel, "listenToFailureStates": h.Failures}
	return c.post(ctx, operation, path+"/webhooks", in, &Hook{})
}

// RemoveHook removes a webhook from a wallet.
func (c *Client) RemoveHook(ctx context.Context, w provider.Wallet, h Hook) error {
	const operation = "remove_webhook"
	path, err := c.walletPath(operation, w)
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]string{"id": h.ID, "type": h.Type, "url": h.URL})
	if err != nil {
		return refuse(operation, "bad_request", "")
	}
	var answer struct {
		Removed int `json:"removed"`
	}
	return c.call(ctx, operation, http.MethodDelete, path+"/webhooks", body, &answer)
}

// SimulateHook has BitGo send a simulated delivery to a webhook's URL.
func (c *Client) SimulateHook(ctx context.Context, w provider.Wallet, id string) error {
	const operation = "simulate_webhook"
	path, err := c.walletPath(operation, w)
	if err != nil {
		return err
	}
	var answer struct{}
	return c.post(ctx, operation, path+"/webhooks/"+url.PathEscape(id)+"/simulate", map[string]string{}, &answer)
}

// Signature is BitGo's signature of a webhook.
func Signature(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// SignsAs asks BitGo whether it would sign a webhook's deliveries with a secret. The secret
// itself is not sent.
func (c *Client) SignsAs(ctx context.Context, id, secret string) (bool, error) {
	const operation, body = "verify_notification", `{"type":"transfer"}`
	var answer struct {
		Valid *bool `json:"isValid"`
	}
	in := map[string]string{"signature": Signature(secret, []byte(body)), "notificationPayload": body}
	if err := c.post(ctx, operation, "/api/v2/webhook/"+url.PathEscape(id)+"/verify", in, &answer); err != nil {
		return false, err
	}
	if answer.Valid == nil {
		return false, c.unreadable(operation, "no verdict")
	}
	return *answer.Valid, nil
}

// Session is what a token may do, from where (none is anywhere), and until when; a
// zero time is without end.
type Session struct {
	Scope     []string
	Addresses []string
	Expires   time.Time
}

// Session reads what the token may do.
func (c *Client) Session(ctx context.Context) (Session, error) {
	const operation = "session"
	var answer struct {
		Session struct {
			Scope     []string  `json:"scope"`
			Addresses []string  `json:"ipRestrict"`
			Expires   time.Time `json:"expires"`
		} `json:"session"`
	}
	if err := c.get(ctx, operation, "/api/v2/user/session", &answer); err != nil {
		return Session{}, err
	}
	return Session{Scope: answer.Session.Scope, Addresses: answer.Session.Addresses, Expires: answer.Session.Expires}, nil
}

// NotKnown reports whether BitGo did not find what a lookup named; it answers 400 or 404.
func NotKnown(err error) bool {
	var refused *provider.Error
	return errors.As(err, &refused) && (refused.Status == http.StatusNotFound || refused.Status == http.StatusBadRequest)
}
