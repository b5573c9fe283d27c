package telemetry

import (
	"context"
	"crypto/tls"
	"crypto/x509"
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
	dialer := &tls.Dialer{Config: &tls.Config{ServerName: place.Hostname(), MinVersion: tls.VersionTLS12}}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(place.Hostname(), port))
	var refused *tls.CertificateVerificationError
	var shown []*x509.Certificate
	if secured, ok := conn.(*tls.Conn); ok && err == nil {
		shown = secured.ConnectionState().PeerCertificates
		err = secured.Close()
	} else if errors.As(err, &refused) { // one that is over, or not to be trusted, is measured as well
		shown, err = refused.UnverifiedCertificates, nil
	}
	if len(shown) > 0 {
		c.ends.WithLabelValues(place.Hostname()).Set(float64(shown[0].NotAfter.Unix()))
	}
	return err
}
