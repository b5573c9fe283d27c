package telemetry

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Certificates measures when the certificates end that sites are served with.
type Certificates struct {
	ends *prometheus.GaugeVec
	log  *slog.Logger
}

const (
	certificatesEvery = time.Hour
	certificateTime   = 10 * time.Second // how long one site may take to answer
)

// NewCertificates registers the measurement.
func NewCertificates(m *Metrics, log *slog.Logger) *Certificates {
	c := &Certificates{log: log, ends: prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "certificate_ends_timestamp_seconds",
		Help: "When the certificate of a site ends, as it was last read.",
	}, []string{"host"})}
	m.registry.MustRegister(c.ends)
	return c
}

// Watch reads the certificates of those origins that are https, at once and every hour, until ctx ends.
func (c *Certificates) Watch(ctx context.Context, origins ...string) {
	ticker := time.NewTicker(certificatesEvery)
	defer ticker.Stop()
	for {
		for _, origin := range origins {
			if err := c.Read(ctx, origin); err != nil {
				c.log.WarnContext(ctx, "a certificate cannot be read", "origin", origin, "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Read measures the certificate of an origin; one that is not https has none.
func (c *Certificates) Read(ctx context.Context, origin string) error {
	place, err := url.Parse(origin)
	if err != nil || place.Scheme != "https" {
		return err
	}
	port := place.Port()
	if port == "" {
		port = "443"
	}
	ctx, cancel := context.WithTimeout(ctx, certificateTime)
	defer cancel()
	// Nothing is sent: one that is not to be trusted is measured as well.
	dialer := &tls.Dialer{Config: &tls.Config{ServerName: place.Hostname(), InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}} //nolint:gosec // as above
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(place.Hostname(), port))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	secured, ok := conn.(*tls.Conn)
	if !ok {
		return errors.New("no TLS")
	}
	c.ends.WithLabelValues(place.Hostname()).Set(float64(secured.ConnectionState().PeerCertificates[0].NotAfter.Unix()))
	return nil
}
