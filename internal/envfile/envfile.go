// Package envfile lets a secret be given as a file: NAME_FILE names one that holds NAME, as
// secrets of Kubernetes and of Docker are mounted.
package envfile

import (
	"fmt"
	"os"
	"strings"
)

// Secrets are the settings that can be files, and that docs/operations.md calls secret.
var Secrets = []string{
	"DATABASE_URL", "MIGRATE_DATABASE_URL", "IDENTITY_DATABASE_URL", "BACKUP_DATABASE_URL", "BACKUP_KEY", "BACKUP_SECRET_ACCESS_KEY",
	"SECRET_KEY", "EARLIER_SECRET_KEYS", "AUDIT_SEAL_KEY", "IDENTITY_SECRET_KEY", "OIDC_CLIENT_SECRET",
	"AWS_SECRET_ACCESS_KEY", "SMTP_URL", "TEMPORAL_API_KEY", "ALERT_WEBHOOK_SECRET", "OTEL_EXPORTER_OTLP_HEADERS",
	"STRIPE_KEY", "STRIPE_WEBHOOK_SECRET", "KRAKEN_KEY", "KRAKEN_SECRET",
	"BITGO_TOKEN", "BITGO_PASSPHRASE", "BITGO_WEBHOOK_SECRET", "SUMSUB_APP_TOKEN", "SUMSUB_SECRET", "SUMSUB_WEBHOOK_SECRET",
	"STRIPE_WEBHOOK_SECRET_PREVIOUS", "BITGO_WEBHOOK_SECRET_PREVIOUS", "SUMSUB_WEBHOOK_SECRET_PREVIOUS",
}

// Load sets each secret whose file is named, without the end of its last line; an empty file sets none. One that
// is given both ways is refused, since one of the two would be ignored.
func Load() error {
	for _, name := range Secrets {
		file := os.Getenv(name + "_FILE")
		if file == "" {
			continue
		}
		if os.Getenv(name) != "" {
			return fmt.Errorf("%s and %s_FILE are both set: leave one out", name, name)
		}
		value, err := os.ReadFile(file) //nolint:gosec // the operator names the file
		if err != nil {
			return fmt.Errorf("%s_FILE: %w", name, err)
		}
		text := strings.TrimRight(string(value), "\r\n")
		if text == "" {
			continue
		}
		if err := os.Setenv(name, text); err != nil {
			return fmt.Errorf("%s_FILE: %w", name, err)
		}
	}
	return nil
}
