package config

import (
	"os"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

type everything struct {
	Common   `embed:""`
	Postgres `embed:""`
	Temporal `embed:""`
	Stripe   `embed:""`
}

func TestMissingValuesAreNamedByTheirVariables(t *testing.T) {
	for _, name := range []string{"DATABASE_URL", "STRIPE_KEY"} {
		t.Setenv(name, "") // restored after the test
		require.NoError(t, os.Unsetenv(name))
	}
	parser := kong.Must(&everything{}, kong.Name("test"))
	_, err := parser.Parse(nil)
	require.EqualError(t, Named(parser, err), "missing: DATABASE_URL, STRIPE_KEY")
}

func TestWrongValuesAreNamedAndSecretsAreNot(t *testing.T) {
	cli := everything{Common: Common{Mode: Production, Brand: "T", PublicURL: "http://localhost:8080"},
		Postgres: Postgres{DatabaseURL: "mysql://u:canary@h/d"},
		Temporal: Temporal{Address: "nowhere", Namespace: "n", TLSCert: "a"},
		Stripe:   Stripe{URL: "http://127.0.0.1:8091", Key: "sk_test_canary_demo"}}
	err := CheckAll(&cli)
	require.Error(t, err)
	for _, name := range []string{"PUBLIC_URL", "DATABASE_URL", "TEMPORAL_ADDRESS", "TEMPORAL_TLS_CERT", "STRIPE_URL", "STRIPE_KEY"} {
		require.ErrorContains(t, err, name)
	}
	require.NotContains(t, err.Error(), "canary")
}
