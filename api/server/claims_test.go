package main

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	accountapi "github.com/tradepost/tradepost/api/account"
	"github.com/tradepost/tradepost/internal/config"
)

// An installation without configuration claims nothing, and credits no bonus that was not
// configured; a bonus that is on is claimed as it is.
func TestWhatIsNotConfiguredIsNotClaimed(t *testing.T) {
	product := func(args ...string) (p product) {
		parser, err := kong.New(&p)
		require.NoError(t, err)
		_, err = parser.Parse(args)
		require.NoError(t, err)
		return p
	}
	silent := product("--recipients-file=testdata/none.json")
	require.Equal(t, accountapi.Claims{}, silent.claims())
	programme, err := silent.programme()
	require.NoError(t, err)
	require.Zero(t, programme.Bonus.Sign())
	require.NotContains(t, silent.Check(config.Production).Error(), "CLAIM")

	reported := product("--claim-signup-bonus=40", "--claim-kyc-review-minutes=5-15")
	require.Equal(t, accountapi.Claims{SignupBonusUSD: "40", KYCReviewMinutes: "5-15"}, reported.claims())
}
