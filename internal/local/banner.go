package local

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// DemoPassword is the password of every demo account. They exist in local mode
// only.
const DemoPassword = "tradepost-demo-1"

// Demo accounts that the identity provider makes in local mode.
const (
	DemoCustomer    = "casey@example.com"
	DemoAdmin       = "alice@example.com"
	DemoSecondAdmin = "bob@example.com"
	DemoThirdAdmin  = "carol@example.com"
)

// Running is the launcher's line when all parts are up.
const Running = "Tradepost is running."

// Banner lists the addresses of all parts, and the accounts.
func (s *Stack) Banner() string {
	rows := [][2]string{{"site", s.SiteURL()}, {"sign-in", s.IdentityURL()}}
	if s.sandboxNeeded() {
		rows = append(rows,
			[2]string{"sandbox", s.SandboxURL() + "   (simulated Stripe, Kraken, BitGo, Sumsub: prices, faults, clock)"},
			[2]string{"mailbox", s.SandboxURL() + "/mailbox"})
	}
	rows = append(rows, [2]string{"temporal", s.TemporalUIURL()})
	if s.admin != nil {
		rows = append(rows, [2]string{"postgres", s.admin.Host + "   (passwords: " + s.options.DataDir + "/secrets/postgres)"})
	}
	if listed := s.healthAddresses(); listed != "" {
		settings := s.settings()
		rows = append(rows, [2]string{"health", listed + "   (each has /healthz and /metrics)"},
			[2]string{"doctor", fmt.Sprintf("TEMPORAL_ADDRESS=%s SMTP_URL=%s PUBLIC_URL=%s go run ./api/server doctor",
				settings["TEMPORAL_ADDRESS"], settings["SMTP_URL"], settings["PUBLIC_URL"])})
	}
	if !s.outside("OIDC_ISSUER") {
		rows = append(rows,
			[2]string{"customer", DemoCustomer + "   password " + DemoPassword},
			[2]string{"admins", DemoAdmin + ", " + DemoSecondAdmin + ", " + DemoThirdAdmin + "   same password"})
	}
	var text strings.Builder
	text.WriteString("\n  " + Running + " Nothing here touches real money. Ctrl-C stops it; `make reset` forgets everything.\n\n")
	for _, row := range rows {
		fmt.Fprintf(&text, "    %-9s %s\n", row[0], row[1])
	}
	return text.String()
}

// healthAddresses lists where each process serves its health and its metrics. The ports are chosen at each start.
func (s *Stack) healthAddresses() string {
	var listed []string
	for _, process := range slices.Sorted(maps.Keys(s.Ports.Health)) {
		listed = append(listed, process+" http://"+s.address(s.Ports.Health[process]))
	}
	return strings.Join(listed, ", ")
}
