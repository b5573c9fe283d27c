package stripe

import (
	"strconv"
	"time"

	api "github.com/stripe/stripe-go/v85"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

const providerName = "stripe"

// Keys of the metadata on everything we make at Stripe.
const (
	metaOrder      = "order_id"
	metaGeneration = "generation"
	metaRefundSeq  = "refund_seq"
)

// defaultTimeout is how long one request may last.
const defaultTimeout = 20 * time.Second

// pageSize is the most objects Stripe gives in one page of a list.
const pageSize = 100

// Config is the access to Stripe.
type Config struct {
	// URL is the origin, without /v1. Empty means Stripe's own.
	URL string
	// Key is the secret API key. Without one there is no account: nothing is held
	// there, its lists are empty, and every call about a payment is refused.
	Key string
	// Timeout bounds one request; zero means 20 seconds.
	Timeout time.Duration
}

// Client implements provider.Payments.
type Client struct {
	api *api.Client
	key string // to strike out of error texts
}

var _ provider.Payments = (*Client)(nil)

// New makes a client. It sends nothing.
func New(c Config) *Client {
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	if c.URL == "" {
		c.URL = api.APIURL
	}
	backends := api.NewBackendsWithConfig(&api.BackendConfig{
		URL:               api.String(c.URL),
		HTTPClient:        provider.NewHTTPClient(providerName, c.Timeout),
		MaxNetworkRetries: api.Int64(0),
		EnableTelemetry:   api.Bool(false),
		LeveledLogger:     &api.LeveledLogger{Level: api.LevelNull},
	})
	return &Client{api: api.NewClient(c.Key, api.WithBackends(backends)), key: c.Key}
}

func cents(amount money.Units) *int64 {
	n, ok := amount.Int64()
	if !ok {
		n = -1 // Stripe refuses it
	}
	return &n
}

func orderMetadata(orderID string, generation int) map[string]string {
	return map[string]string{metaOrder: orderID, metaGeneration: strconv.Itoa(generation)}
}

func unixOrZero(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}
