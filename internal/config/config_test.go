package config

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/fileblob"
)

type everything struct {
	Common   `embed:""`
	Postgres `embed:""`
	Temporal `embed:""`
	Stripe   `embed:""`
	Kraken   `embed:""`
}

func TestMissingValuesAreNamedByTheirVariables(t *testing.T) {
	for _, name := range []string{"DATABASE_URL", "KRAKEN_KEY", "KRAKEN_SECRET"} {
		t.Setenv(name, "") // restored after the test
		require.NoError(t, os.Unsetenv(name))
	}
	parser := kong.Must(&everything{}, kong.Name("test"))
	_, err := parser.Parse(nil)
	require.EqualError(t, Named(parser, err), "missing: DATABASE_URL, KRAKEN_KEY, KRAKEN_SECRET")
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

// A link that leads nowhere is found when the API starts, not by a customer.
func TestThePasswordPageIsAnAddress(t *testing.T) {
	site := Site{Listen: ":8080", SecretKeys: SecretKeys{SecretKey: "b29vb29vb29vb29vb29vb29vb29vb29vb29vb29vb28="}, Files: Files{FilesURL: "file:///tmp"}}
	require.NotContains(t, fmt.Sprint(site.Check(Local)), "PASSWORD_URL", "none is told")
	site.PasswordURL = "/account/password"
	require.ErrorContains(t, site.Check(Local), "PASSWORD_URL")
	site.PasswordURL = "https://id.example.com/account/password"
	require.NotContains(t, fmt.Sprint(site.Check(Local)), "PASSWORD_URL")
}

// ADMIN_SECOND_FACTOR demands it everywhere; production does by itself, unless it is
// configured otherwise.
func TestBar11WhereStaffNeedASecondFactor(t *testing.T) {
	for _, c := range []struct {
		set     string
		demands map[Mode]bool
	}{
		{"", map[Mode]bool{Local: false, Production: true}},
		{"ADMIN_SECOND_FACTOR", map[Mode]bool{Local: true, Production: true}},
		{"ADMIN_SINGLE_FACTOR", map[Mode]bool{Local: false, Production: false}},
	} {
		t.Run(c.set, func(t *testing.T) {
			if c.set != "" {
				t.Setenv(c.set, "true")
			}
			var cli SignIn
			parser, err := kong.New(&cli, kong.Name("test"))
			require.NoError(t, err)
			_, err = parser.Parse(nil)
			require.NoError(t, err)
			for mode, demands := range c.demands {
				require.Equal(t, demands, cli.StaffNeedSecond(mode), mode)
			}
		})
	}
	both := SignIn{AdminSecondFactor: true, AdminSingleFactor: true}
	require.Error(t, both.Check(Local), "they contradict each other")
}

// A bucket that is a folder keeps its unfinished files in it: what lies in another file system cannot be renamed into it.
func TestAFolderKeepsItsUnfinishedFiles(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", filepath.Join(folder, "absent"))
	files := Files{FilesURL: "file://" + folder}
	require.NoError(t, files.Check(Local))
	bucket, err := blob.OpenBucket(t.Context(), files.FilesURL)
	require.NoError(t, err)
	require.NoError(t, bucket.WriteAll(t.Context(), "name", []byte("content"), nil))
	require.NoError(t, bucket.Close())
}
