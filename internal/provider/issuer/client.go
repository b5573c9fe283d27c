// Package issuer requests of the identity provider what OpenID Connect has no call for: the
// erasure of an account.
package issuer

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// timeout is how long one request may last.
const timeout = 15 * time.Second

// Config is the access to the identity provider, and the client.
type Config struct {
	Issuer, ClientID, ClientSecret string
}

// Client speaks to the identity provider's server.
type Client struct {
	config Config
	http   *http.Client
}

// New makes a client. It sends nothing.
func New(c Config) *Client {
	return &Client{config: c, http: &http.Client{Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Forget has the account erased. An issuer without an erasure endpoint, or without the
// account, holds no data of ours. A repeat is harmless.
func (c *Client) Forget(ctx context.Context, issuer, subject string) error {
	if issuer != c.config.Issuer {
		return nil
	}
	where, err := c.erasure(ctx)
	if err != nil || where == "" {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, where, strings.NewReader(url.Values{"sub": {subject}}.Encode()))
	if err != nil {
		return fmt.Errorf("ask for an erasure: %w", err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(url.QueryEscape(c.config.ClientID), url.QueryEscape(c.config.ClientSecret)) // RFC 6749, 2.3.1
	response, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("ask for an erasure: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16)) // so that the connection can be used again
	if response.StatusCode != http.StatusNoContent {
		return fmt.Errorf("ask for an erasure: the identity provider answered %d", response.StatusCode)
	}
	return nil
}

// erasure is the issuer's endpoint for such requests, empty when it has none. The client
// secret is sent to the issuer's own origin alone.
func (c *Client) erasure(ctx context.Context) (string, error) {
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, c.http), c.config.Issuer)
	if err != nil {
		return "", fmt.Errorf("reach the identity provider: %w", err)
	}
	var more struct {
		Erasure string `json:"account_erasure_endpoint"`
	}
	if err := found.Claims(&more); err != nil {
		return "", fmt.Errorf("read the identity provider's configuration: %w", err)
	}
	if more.Erasure != "" && !sameOrigin(more.Erasure, c.config.Issuer) {
		return "", fmt.Errorf("the identity provider's erasure endpoint is at another origin")
	}
	return more.Erasure, nil
}

func sameOrigin(a, b string) bool {
	first, err := url.Parse(a)
	if err != nil {
		return false
	}
	second, err := url.Parse(b)
	return err == nil && first.Scheme == second.Scheme && first.Host == second.Host
}
