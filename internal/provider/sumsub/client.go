package sumsub

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
)

const providerName = "sumsub"

// defaultURL is Sumsub's address; the token decides whether it is the sandbox.
const defaultURL = "https://api.sumsub.com"

// defaultTimeout is how long one request may last.
const defaultTimeout = 15 * time.Second

// tokenSeconds is a widget token's lifetime; the widget requests a new one.
const tokenSeconds = 600

// Config is the access to Sumsub.
type Config struct {
	// URL is the origin; empty means Sumsub's own.
	URL string
	// AppToken and Secret are the API key pair.
	AppToken, Secret string
	// Level names the default verification level, as in Sumsub's dashboard.
	Level string
	// Timeout bounds one request; zero means 15 seconds.
	Timeout time.Duration
	// Now is the clock of signatures, the database's; nil means the machine's.
	Now func(ctx context.Context) (time.Time, error)
}

// Client implements provider.Identity.
type Client struct {
	config Config
	http   *http.Client
}

var _ provider.Identity = (*Client)(nil)

// New makes a client. It sends nothing.
func New(c Config) *Client {
	if c.URL == "" {
		c.URL = defaultURL
	}
	c.URL = strings.TrimRight(c.URL, "/")
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	if c.Now == nil {
		c.Now = func(context.Context) (time.Time, error) { return time.Now(), nil }
	}
	return &Client{config: c, http: provider.NewHTTPClient(providerName, c.Timeout)}
}

// sign makes the X-App-Access-Sig header over the second, the method, the path
// with its query as sent, and the raw body.
func sign(secret, second, method, target string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(second + method + target))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// call sends one signed request and reads the JSON answer into out, unless out is nil.
func (c *Client) call(ctx context.Context, operation, method, path string, body []byte, out any) error {
	request, err := c.signedRequest(ctx, operation, method, path, body)
	if err != nil {
		return err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return c.lost(operation, err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return c.lost(operation, err)
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return c.fail(operation, response, answer)
	}
	if out == nil {
		return nil
	}
	if json.Unmarshal(answer, out) != nil {
		return retry(operation, "unreadable_answer", "the answer is not JSON of the expected form")
	}
	return nil
}

func (c *Client) signedRequest(ctx context.Context, operation, method, path string, body []byte) (*http.Request, error) {
	now, err := c.config.Now(ctx)
	if err != nil {
		return nil, retry(operation, "no_clock", c.clean(err.Error()))
	}
	request, err := http.NewRequestWithContext(ctx, method, c.config.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, &provider.Error{
			Class: provider.Refused, Provider: providerName, Operation: operation, Code: "bad_request",
		}
	}
	second := strconv.FormatInt(now.Unix(), 10)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("X-App-Token", c.config.AppToken)
	request.Header.Set("X-App-Access-Ts", second)
	request.Header.Set("X-App-Access-Sig", sign(c.config.Secret, second, method, request.URL.RequestURI(), body))
	return request, nil
}
