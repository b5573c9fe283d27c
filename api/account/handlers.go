// Package account answers the calls about accounts: sign-in, sessions, the second factor, profiles and rights.
package account

import (
	"log/slog"
	"time"

	"gocloud.dev/blob"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	"github.com/tradepost/tradepost/api/policy"
	referralapi "github.com/tradepost/tradepost/api/referral"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/legal"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/support"
)

// Handlers answer the calls about accounts: sign-in, sessions, the second factor, profiles and rights.
type Handlers struct {
	*caseworkapi.Cases
	*rest.Cookies
	*rest.Guard
	*rest.SecondFactor
	AddressURL         string
	Answers            *support.Answers
	Brand              string
	Claims             Claims
	Clock              *rest.Clock
	Languages          rest.Languages
	Legal              *legal.Library // nil: nothing has to be agreed to
	DB                 *store.DB
	Files              *blob.Bucket
	Log                *slog.Logger
	Mode               string
	PasswordURL        string
	Policy             *policy.Policy
	PublicURL          string
	Quoter             *pricing.Quoter
	RecoveryDelay      time.Duration
	Rehearsal          bool
	SignIn             *SignIn
	StaffNeedTwoFactor bool
	Imprint            string
	SupportEmail       string
	TemporalUIURL      string
	TidioPublicKey     string
	Vault              *secret.Keys
	WidgetURL          string
	Referral           *referralapi.Handlers
}
