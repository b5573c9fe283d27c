package kraken

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

const providerName = "kraken"

// defaultURL is Kraken's production address.
const defaultURL = "https://api.kraken.com"

// userAgent is sent with every request: Kraken requires one.
const userAgent = "tradepost/1"

// defaultTimeout is how long one request may last. An order's deadline lies at least twice
// as far ahead.
const defaultTimeout = 5 * time.Second

// Config is the access to Kraken.
type Config struct {
	// URL is the origin; empty means Kraken's own.
	URL string
	// Key and Secret are the API key pair; Secret is in base64, as given.
	// Without them only the public calls work.
	Key, Secret string
	// Assets are those whose pairs are read; none means all.
	Assets []money.Currency
	// Timeout bounds one request; zero means 5 seconds. It must be shorter
	// than the time from a send to the order's deadline.
	Timeout time.Duration
	// Lock, when set, is held around each signed request and excludes every other process
	// that uses the key. The process's own lock is always held.
	Lock func(ctx context.Context) (unlock func(), err error)
	// Now is the clock nonces are counted by. Processes that share the key must
	// share it, or the one whose clock is behind is refused: give it the
	// database's. Nil means the machine's.
	Now func(ctx context.Context) (time.Time, error)
}

// Client implements provider.Exchange.
type Client struct {
	config Config
	http   *http.Client
	secret []byte // decoded; nil when it was not base64
	names  *pairNames
	wall   func() time.Time // the time of day, for times Kraken names

	signing   sync.Mutex // from making a nonce until its answer
	lastNonce uint64

	halves sync.Map // open orders by our id, of suspended lookups
	out    unlisted
}

var _ provider.Exchange = (*Client)(nil)

// New makes a client. It sends nothing. A secret that is not base64 makes
// every signed call fail with the code bad_secret.
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
	secret, err := base64.StdEncoding.DecodeString(c.Secret)
	if err != nil {
		secret = nil
	}
	return &Client{config: c, http: provider.NewHTTPClient(providerName, c.Timeout, bodyStatus), secret: secret, names: newPairNames(), wall: time.Now}
}

// public makes an unsigned call and reads its result into out.
func (c *Client) public(ctx context.Context, method string, query url.Values, out any) error {
	target := c.config.URL + "/0/public/" + method + "?" + query.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return c.refuse(method, "bad_request")
	}
	return c.exchange(method, request, out)
}

// private makes a signed call and reads its result into out.
func (c *Client) private(ctx context.Context, method string, form url.Values, out any) error {
	if len(c.secret) == 0 {
		return c.refuse(method, "bad_secret")
	}
	c.signing.Lock()
	defer c.signing.Unlock()
	if c.config.Lock != nil {
		unlock, err := c.config.Lock(ctx)
		if err != nil {
			return c.notSent(method, "key_busy", err)
		}
		defer unlock()
	}
	now, err := c.config.Now(ctx)
	if err != nil {
		return c.notSent(method, "no_clock", err)
	}
	request, err := c.signedRequest(ctx, "/0/private/"+method, c.nextNonce(now), form)
	if err != nil {
		return c.refuse(method, "bad_request")
	}
	return c.exchange(method, request, out)
}

func (c *Client) signedRequest(ctx context.Context, path, nonce string, form url.Values) (*http.Request, error) {
	form.Set("nonce", nonce)
	body := form.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.config.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.GetBody = nil // never sent twice
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("API-Key", c.config.Key)
	request.Header.Set("API-Sign", sign(c.secret, path, nonce, body))
	return request, nil
}

// nextNonce counts nanoseconds and never repeats or goes back. The caller
// holds c.signing.
func (c *Client) nextNonce(now time.Time) string {
	c.lastNonce = max(c.lastNonce+1, uint64(now.UnixNano()))
	return strconv.FormatUint(c.lastNonce, 10)
}

// answer is the envelope of every call.
type answer struct {
	Error  []string        `json:"error"`
	Result json.RawMessage `json:"result"`
}

// exchange sends one request and reads its result into out.
func (c *Client) exchange(operation string, request *http.Request, out any) error {
	request.Header.Set("User-Agent", userAgent)
	request.Header.Set("Accept", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return c.clean(provider.TransportError(providerName, operation, err))
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return c.clean(provider.TransportError(providerName, operation, err))
	}
	var a answer
	if json.Unmarshal(body, &a) != nil || (response.StatusCode != http.StatusOK && len(a.Error) == 0) {
		return c.gatewayError(operation, response, body)
	}
	if failed := errorsIn(a.Error); len(failed) > 0 {
		return c.fail(operation, failed)
	}
	if err := json.Unmarshal(a.Result, out); err != nil {
		return c.unreadable(operation, "the result cannot be read")
	}
	return nil
}
