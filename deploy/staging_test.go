package deploy

import (
	"slices"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

// rehearsed is the rehearsal's setting, with test credentials in .env.
func rehearsed(t *testing.T) *types.Project {
	t.Helper()
	values := filledIn()
	values["STRIPE_KEY"], values["SUMSUB_APP_TOKEN"] = "sk_test_0123456789abcdef", "sbx:0123456789abcdef0123"
	project, err := loadFiles(t, values, "docker-compose.yml", "docker-compose.staging.yml")
	require.NoError(t, err)
	return project
}

// A rehearsal has production's services, each in staging mode, and beside them
// only what plays Kraken, which the exchange worker alone can reach.
func TestARehearsalIsProductionWithTestEnvironments(t *testing.T) {
	project, production := rehearsed(t), composed(t)
	for name := range processes {
		require.Equal(t, "staging", *project.Services[name].Environment["MODE"], name)
		require.Equal(t, production.Services[name].Image, project.Services[name].Image, name)
	}
	var added []string
	for name := range project.Services {
		if _, known := production.Services[name]; !known {
			added = append(added, name)
		}
	}
	require.Equal(t, []string{"kraken"}, added)
	require.Equal(t, "test", *project.Services["custody"].Environment["BITGO_ENV"])
	require.Equal(t, "test", *project.Services["bitgo-express"].Environment["BITGO_ENV"])
	require.Equal(t, "prod", *production.Services["custody"].Environment["BITGO_ENV"])
	require.Equal(t, "prod", *production.Services["bitgo-express"].Environment["BITGO_ENV"])
	require.Equal(t, "http://kraken:8091", *project.Services["exchange"].Environment["KRAKEN_URL"])
	require.True(t, project.Networks["simulator"].Internal)
	for name, service := range project.Services {
		if slices.Contains(joined(service), "simulator") {
			require.Contains(t, []string{"exchange", "kraken"}, name)
		}
	}
	require.Empty(t, project.Services["kraken"].Ports)
	require.Positive(t, project.Services["kraken"].Deploy.Resources.Limits.Pids)
}

// The real programs accept the rehearsal's setting and connect to their database.
func TestProgramsAcceptARehearsal(t *testing.T) {
	project := rehearsed(t)
	for service := range processes {
		said, _ := start(t, service, environmentOf(t, project, service))
		require.Regexp(t, reached, said, service)
	}
}

// A rehearsal refuses live credentials and real providers by the variable's name,
// and keeps the rest of production's rules.
func TestARehearsalRefusesWhatIsLive(t *testing.T) {
	project := rehearsed(t)
	for _, wrong := range []struct{ service, name, value string }{
		{"payments", "STRIPE_KEY", "sk_live_" + "0123456789abcdef"},
		{"payments", "STRIPE_KEY", "rk_live_" + "0123456789abcdef"},
		{"payments", "STRIPE_URL", "http://localhost:8091"},
		{"api", "SUMSUB_APP_TOKEN", "prd:0123456789abcdef0123"},
		{"core", "SUMSUB_APP_TOKEN", "prd:0123456789abcdef0123"},
		{"exchange", "KRAKEN_URL", "https://api.kraken.com"},
		{"custody", "BITGO_ENV", "prod"},
		{"custody", "BITGO_URL", "https://app.bitgo.com"},
		{"custody", "BITGO_TEST_COINS", "btc=btc"},
		{"api", "PUBLIC_URL", "http://shop.tradepost.test"},
		{"api", "RECIPIENTS_FILE", ""},
		{"api", "RATE_LIMIT_SCALE", "10"},
		{"identity", "EMBEDDED_IDENTITY", "false"},
		{"identity", "IDENTITY_URL", "http://id.tradepost.test"},
	} {
		env := environmentOf(t, project, wrong.service)
		env[wrong.name] = wrong.value
		said, ended := start(t, wrong.service, env)
		require.True(t, ended, "%s accepts %s=%s", wrong.service, wrong.name, wrong.value)
		require.Contains(t, said, wrong.name, wrong.service)
	}
}
