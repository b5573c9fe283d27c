package doctor

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What is advised fits what is wrong.
func TestAdviceFitsTheCause(t *testing.T) {
	i := install(t)
	good := i.env
	for _, c := range []struct {
		check, says, do string
		how             func(i *installation)
	}{
		{"bitgo.token", "not trusted", "SSL_CERT_FILE", func(i *installation) { i.env["BITGO_URL"] = i.untrusted() }},
		{"bitgo.token", "no good answer", "status page", set("BITGO_URL", nowhere)},
		{"mail.server", "offers no STARTTLS", "587", func(i *installation) {
			i.env["SMTP_URL"] = strings.Replace(i.env["SMTP_URL"], "@127.0.0.1:", "@0.0.0.0:", 1)
		}},
		{"mail.server", "refuses them", "user and password", func(i *installation) {
			i.env["SMTP_URL"] = strings.Replace(i.env["SMTP_URL"], mailPassword, "another-password", 1)
		}},
		{"mail.test", "no such mailbox", "whether there is such a mailbox", func(i *installation) { i.options.MailTo = "nobody@" + shop }},
		{"clock", "ahead of that of Sumsub", "NTP", func(i *installation) { i.env["SUMSUB_URL"] = i.clockOff(-2 * time.Minute) }},
		{"clock", "behind that of Sumsub", "NTP", func(i *installation) { i.env["SUMSUB_URL"] = i.clockOff(2 * time.Minute) }},
		{"database.application", "password authentication", "Correct user and password", func(i *installation) {
			i.env["DATABASE_URL"] = strings.Replace(i.database.App, ":app@", ":another@", 1)
		}},
		{"database.owner", "does not exist", "Make the databases", func(i *installation) {
			i.env["MIGRATE_DATABASE_URL"] = strings.Replace(i.database.Owner, "/test_", "/none_", 1)
		}},
		{"database.owner", "let MIGRATE_DATABASE_URL in", "whether Postgres runs", set("MIGRATE_DATABASE_URL", "postgres://o@127.0.0.1:1/none")},
	} {
		i.env = map[string]string{}
		for name, value := range good {
			i.env[name] = value
		}
		c.how(i)
		report := i.examine(c.check)
		require.Equal(t, 1, report.Faults, "%s: %+v", c.says, report)
		found := report.Results[0].Findings[0]
		require.Contains(t, found.Says, c.says)
		require.Contains(t, found.Do, c.do, found.Says)
	}
}

// What is wrong once is one fault, whichever checks meet it, and the counts at the end are those of the lines above.
func TestOneCauseIsOneFault(t *testing.T) {
	for _, c := range []struct {
		subject string
		found   string
		how     func(i *installation)
	}{
		{"temporal", "temporal_namespace_missing", func(i *installation) {
			i.env["TEMPORAL_NAMESPACE"], i.env["WORKER_DEPLOYMENT"] = "another", "shop"
		}},
		{"temporal", "temporal_unreachable", set("TEMPORAL_ADDRESS", "127.0.0.1:1")},
		{"bitgo", "bitgo_wallet_unknown", func(i *installation) { i.env["BITGO_WALLETS"] = strings.Replace(bitgoWallets, "0a,", "99,", 1) }},
		{"bitgo", "bitgo_key_refused", set("BITGO_TOKEN", "v2x"+"another")},
		{"stripe", "stripe_unreachable", set("STRIPE_URL", nowhere)},
		{"stripe", "stripe_key_refused", set("STRIPE_KEY", "rk_"+"test_another")},
		{"kraken", "kraken_unreachable", set("KRAKEN_URL", nowhere)},
		{"kraken", "kraken_permission_missing", func(i *installation) {
			i.krakenMay("query-funds query-open-trades query-closed-trades query-ledger modify-trades")
		}},
		{"mail", "mail_unreachable", set("SMTP_URL", "smtp://127.0.0.1:1")},
	} {
		t.Run(c.subject+"/"+c.found, func(t *testing.T) {
			t.Parallel()
			i := install(t)
			c.how(i)
			report := i.examine(c.subject)
			var faults []string
			for _, r := range report.Results {
				for _, f := range r.Findings {
					if f.Level == Fault {
						faults = append(faults, f.ID)
					}
				}
			}
			require.Equal(t, []string{c.found}, faults, "%+v", report)
			require.Equal(t, 1, report.Faults)
			require.True(t, strings.HasPrefix(report.Summary(), "1 fault and "), report.Summary())
			var text bytes.Buffer
			report.WriteText(&text)
			require.Contains(t, text.String(), report.Summary()+".")
			require.Equal(t, report.Faults, strings.Count(text.String(), "         fault "))
			require.Equal(t, report.Warnings, strings.Count(text.String(), "         warning "))
		})
	}
}

// A key of Kraken that may not withdraw is right where wallets are filled by hand.
func TestNoUnusedPermissionIsAskedFor(t *testing.T) {
	i := install(t)
	i.env["KRAKEN_WITHDRAW_KEYS"] = ""
	i.krakenMay("query-funds query-open-trades query-closed-trades query-ledger modify-trades")
	report := i.examine("kraken.key", "kraken.markets")
	require.Zero(t, report.Faults+report.Warnings, "%+v", report)
}

// Backups that are not made here, and seals in the bucket of files on a disk, are no fault.
func TestWhatIsLeftOutIsNoFault(t *testing.T) {
	i := install(t)
	i.env["BACKUP_KEY"], i.env["AUDIT_SEALS_URL"], i.env["FILES_URL"] = "", "", "file://"+t.TempDir()
	report := i.examine("configuration", "keys", "bucket", "seals", "backup")
	require.Zero(t, report.Faults+report.Warnings, "%+v", report)
	require.Equal(t, Skipped, report.Results[len(report.Results)-1].Level)
}
