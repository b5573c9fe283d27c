// Package temporalx is how our processes reach Temporal: one place for the
// connection, for starting an order's workflow, for delivering decisions and
// for passing on webhook signals.
//
// Invariants:
//
//   - A client connects when it is first used, so that a process starts (and the API
//     accepts orders) while Temporal is down.
//   - Starting is always "use the one that runs": a second start of an order
//     changes nothing.
//   - What is sent holds ids and codes only, never anything personal.
package temporalx

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/sdk/client"
	tlog "go.temporal.io/sdk/log"

	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/telemetry"
	"github.com/tradepost/tradepost/workflows"
)

// Client is a connection to Temporal with our few verbs on it.
type Client struct {
	client.Client
	namespace string
}

// Lazy makes a client that connects when it is first used. metrics may be nil.
func Lazy(c *config.Temporal, log *slog.Logger, metrics client.MetricsHandler) (*Client, error) {
	options, err := options(c, log)
	if err != nil {
		return nil, err
	}
	options.MetricsHandler = metrics
	lazy, err := client.NewLazyClient(options)
	if err != nil {
		return nil, fmt.Errorf("prepare Temporal client: %w", err)
	}
	return &Client{lazy, c.Namespace}, nil
}

// Healthy checks that the server serves.
func (c *Client) Healthy(ctx context.Context) error {
	_, err := c.CheckHealth(ctx, &client.CheckHealthRequest{})
	return err
}

func options(c *config.Temporal, log *slog.Logger) (client.Options, error) {
	traced, err := telemetry.Temporal(workflows.MailsType)
	if err != nil {
		return client.Options{}, err
	}
	options := client.Options{HostPort: c.Address, Namespace: c.Namespace, Logger: tlog.NewStructuredLogger(log), Interceptors: traced}
	// What is sent is ids and codes, a few hundred bytes: compression costs both sides more
	// than it saves on the network.
	options.ConnectionOptions.GrpcCompression = &client.GrpcCompressionNone{}
	if c.APIKey != "" {
		options.Credentials = client.NewAPIKeyStaticCredentials(c.APIKey)
	}
	if !c.TLS && c.APIKey == "" && c.TLSCert == "" {
		return options, nil
	}
	secured, err := security(c)
	options.ConnectionOptions.TLS = secured
	return options, err
}

// security reads the certificates for TLS, mutual TLS included.
func security(c *config.Temporal) (*tls.Config, error) {
	out := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: c.ServerName}
	if c.TLSCert != "" {
		pair, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
		if err != nil {
			return nil, fmt.Errorf("TEMPORAL_TLS_CERT, TEMPORAL_TLS_KEY: %w", err)
		}
		out.Certificates = []tls.Certificate{pair}
	}
	if c.TLSCA == "" {
		return out, nil
	}
	pem, err := os.ReadFile(c.TLSCA)
	if err != nil {
		return nil, fmt.Errorf("TEMPORAL_TLS_CA: %w", err)
	}
	out.RootCAs = x509.NewCertPool()
	if !out.RootCAs.AppendCertsFromPEM(pem) {
		return nil, errors.New("TEMPORAL_TLS_CA holds no certificate")
	}
	return out, nil
}

// Pollers returns which of the task queues a worker polls now.
func (c *Client) Pollers(ctx context.Context, queues []string) (map[string]bool, error) {
	polled := map[string]bool{}
	for _, queue := range queues {
		answer, err := c.DescribeTaskQueue(ctx, queue, enums.TASK_QUEUE_TYPE_ACTIVITY)
		if err != nil {
			return nil, fmt.Errorf("ask who polls %s: %w", queue, err)
		}
		polled[queue] = slices.ContainsFunc(answer.GetPollers(), func(p *taskqueue.PollerInfo) bool {
			return time.Since(p.GetLastAccessTime().AsTime()) < pollerGone
		})
	}
	return polled, nil
}

// pollerGone is how long after its last poll a worker counts as gone: a poll waits for a
// minute.
const pollerGone = 90 * time.Second
