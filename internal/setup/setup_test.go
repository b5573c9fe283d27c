package setup

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tradepost/tradepost/internal/config"
)

// byCompose are required settings that docker-compose.yml sets itself.
var byCompose = []string{"BITGO_URL"}

// Every setting that a program requires is asked for or made, and what its declaration says of that is known here: a new
// one without a question or a generator fails.
func TestRequiredSettingsAreFilledIn(t *testing.T) {
	settings, err := declared(sources(nil))
	require.NoError(t, err)
	s := &session{settings: settings, values: map[string]string{}, options: Options{Version: "1"}}
	asked := 0
	for _, one := range settings {
		if one.required && !slices.Contains(byCompose, one.name) {
			require.True(t, one.ask != "" || one.filling != "", "%s is required, and neither asked for nor made", one.name)
		}
		require.Contains(t, []string{"", must, may, later}, one.ask, one.name)
		require.NotPanics(t, func() { s.holds(one.when); s.holds(one.use) }, one.name)
		for _, other := range []string{one.unless, one.along} {
			known := other == "" || s.declaration(other) != nil
			require.True(t, known, "%s is made by %s, which is no setting", one.name, other)
		}
		if one.with != "" {
			require.NotNil(t, s.declaration(one.with), one.name)
			require.Equal(t, one.ask, s.declaration(one.with).ask, "%s and %s are one question", one.name, one.with)
			require.Equal(t, one.when, s.declaration(one.with).when, one.name)
		}
		if one.filling != "" {
			require.NoError(t, s.made(one))
			require.NotEmpty(t, s.values[one.name])
		}
		if one.ask != "" {
			asked++
			require.Regexp(t, `^\S[^\n]{3,}\.$`, one.help, "%s needs one line of explanation", one.name)
		}
	}
	require.Greater(t, asked, 25)
}

// What is made is accepted by the programs.
func TestMadeValuesAreAccepted(t *testing.T) {
	settings, err := declared(sources(nil))
	require.NoError(t, err)
	s := &session{settings: settings, sources: sources(nil), values: map[string]string{"MODE": "staging"}, options: Options{Version: "1"}}
	for _, one := range settings {
		if one.filling != "" {
			require.NoError(t, s.made(one))
		}
	}
	for _, name := range s.fresh {
		require.Empty(t, s.reasons(name), name)
	}
	require.Len(t, s.fresh, len(slices.Compact(slices.Sorted(slices.Values(s.fresh)))))
}

// Whatever is accepted as an answer is read back by compose as it was typed; what could not be is refused.
func TestAnswersSurviveEnv(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~]{0,40}`), rapid.StringMatching(`[$'"\\#{} a]{0,12}`)).Draw(t, "value")
		if form(value) != nil {
			return
		}
		values := map[string]string{"BEFORE": "1", "VALUE": value, "ZLAST": "2"}
		text, err := render("", nil, values, []string{"BEFORE", "VALUE", "ZLAST"})
		require.NoError(t, err)
		read, err := parse(file, text)
		require.NoError(t, err)
		require.Equal(t, values, read)
	})
	for _, value := range []string{"two\nlines", "a\x00b", "\x1b[2J", "a\u202eb", " a", "\xff", strings.Repeat("a", longest+1), `it's "$HOME"`} {
		require.Error(t, form(value), "%q", value)
	}
}

// Lines of .env keep their place and text, the last of several for a name is the one that counts, and what is new follows.
func TestEnvKeepsItsLines(t *testing.T) {
	before := "# Ours\nBRAND=Old # since May\n\nLOG_LEVEL=debug\nBRAND='Older'\n"
	text, err := render(before, []setting{{name: "SITE_HOST", help: "Public name."}}, map[string]string{"BRAND": "O'Neil", "SITE_HOST": "a.test"},
		[]string{"BRAND", "SITE_HOST"})
	require.NoError(t, err)
	require.Equal(t, "# Ours\nBRAND=Old # since May\n\nLOG_LEVEL=debug\nBRAND=\"O'Neil\"\n# Public name.\nSITE_HOST=a.test\n", text)
}

// The value of a line that cannot be read, which may be a secret, is in no error.
func TestEnvThatCannotBeRead(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile(file, []byte("SECRET_KEY='canary\n"), 0o600))
	_, err := Run(t.Context(), Options{Out: &bytes.Buffer{}})
	require.ErrorContains(t, err, ".env cannot be read as compose reads it: line")
	require.NotContains(t, err.Error(), "canary")

	require.NoError(t, os.WriteFile(file, []byte("SECRET_KEY=secrets/SECRET_KEY\n"), 0o600))
	_, err = Run(t.Context(), Options{Out: &bytes.Buffer{}})
	require.ErrorContains(t, err, "SECRET_KEY")
}

// answered is a run with a file of answers for a rehearsal and --overwrite, in the working directory.
func answered(t *testing.T) error {
	t.Helper()
	answers := "MODE=staging\nSITE_HOST=shop.tradepost.test\nFILES_URL=file:///files\nLEGAL_DIR=\n" +
		"SMTP_URL=smtps://mailer:0123456789abcdef@mail.tradepost.test:465\nBITGO_TOKEN=v2x0123456789abcdef\n" +
		"BITGO_PASSPHRASE='a passphrase of words'\nBITGO_WALLETS=btc=b1\nBITGO_WEBHOOK_SECRET=0123456789abcdef0123\n" +
		"SUMSUB_APP_TOKEN=sbx:0123456789abcdef0123\nSUMSUB_SECRET=0123456789abcdef\n"
	require.NoError(t, os.WriteFile("answers", []byte(answers), 0o600))
	_, err := Run(t.Context(), Options{Answers: "answers", Overwrite: true, Out: &bytes.Buffer{}, Version: "1"})
	return err
}

// written are the values of .env.
func written(t *testing.T) map[string]string {
	t.Helper()
	found, err := load()
	require.NoError(t, err)
	return found.values
}

// Without a bucket for backups there is no key for them, which doctor would call incomplete. With a bucket the key is
// made, and another run makes no other.
func TestBackupKeyNeedsBackups(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, answered(t))
	first := written(t)
	require.Empty(t, first["BACKUP_KEY"])
	require.Empty(t, first["BACKUP_PASSWORD"], "no role that may replicate")
	require.NotEmpty(t, first["SECRET_KEY"])

	text, err := readEnv()
	require.NoError(t, err)
	text = strings.Replace(text, "BACKUP_URL=\n", "BACKUP_URL=file:///backups\n", 1)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	require.NoError(t, answered(t))
	second := written(t)
	require.NotEmpty(t, second["BACKUP_KEY"])
	require.NotEmpty(t, second["BACKUP_PASSWORD"])
	require.Equal(t, first["SECRET_KEY"], second["SECRET_KEY"])
	require.NoError(t, answered(t))
	require.Equal(t, second, written(t))
}

// Postgres and Temporal elsewhere need no passwords of an administrator here, and their host may keep the backups.
func TestPasswordsElsewhereAreNotMade(t *testing.T) {
	t.Chdir(t.TempDir())
	before := "COMPOSE_FILE=docker-compose.yml:docker-compose.secrets.yml:docker-compose.external.yml\n" +
		"POSTGRES_HOST=db.tradepost.test\nTEMPORAL_ADDRESS=temporal.tradepost.test:7233\nBACKUP_PASSWORD=\n"
	require.NoError(t, os.WriteFile(file, []byte(before), 0o600))
	require.NoError(t, answered(t))
	values := written(t)
	for _, name := range []string{"POSTGRES_PASSWORD", "TEMPORAL_PASSWORD", "BACKUP_PASSWORD"} {
		require.Empty(t, values[name], name)
	}
	require.NotEmpty(t, values["OWNER_PASSWORD"])
	require.Equal(t, "docker-compose.yml:docker-compose.secrets.yml:docker-compose.external.yml:docker-compose.staging.yml",
		values["COMPOSE_FILE"])
}

// The administrator's password of a Postgres that has its roles is not made again when .env has none: the shell or a
// file of compose may have it, and Postgres keeps the one that it was made with. Init says that it is empty.
func TestPasswordOfTheAdministratorIsMadeOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, answered(t))
	first, err := readEnv()
	require.NoError(t, err)
	password := written(t)["POSTGRES_PASSWORD"]
	require.NotEmpty(t, password)
	for _, line := range []string{"POSTGRES_PASSWORD=\n", ""} {
		emptied := strings.Replace(first, "POSTGRES_PASSWORD="+password+"\n", line, 1)
		require.NotEqual(t, first, emptied)
		require.NoError(t, os.WriteFile(file, []byte(emptied), 0o600))
		var out bytes.Buffer
		_, err = Run(t.Context(), Options{Answers: "answers", Out: &out, Version: "1"})
		require.NoError(t, err)
		require.Contains(t, out.String(), "POSTGRES_PASSWORD is empty")
		after, readErr := readEnv()
		require.NoError(t, readErr)
		require.Equal(t, emptied, after)
	}
}

// A provider of one's own needs no role of the embedded one.
func TestPasswordOfTheEmbeddedProviderIsItsOwn(t *testing.T) {
	settings, err := declared(sources(nil))
	require.NoError(t, err)
	for issuer, makes := range map[string]bool{"": true, "https://login.tradepost.test": false} {
		s := &session{settings: settings, values: map[string]string{"OIDC_ISSUER": issuer}}
		require.Equal(t, makes, s.makes(*s.declaration("IDENTITY_PASSWORD")), issuer)
	}
}

// A secret that is in its file alone is in use: no other one is made, with which deploy/secrets.sh would replace it.
// Files without .env belong to an installation, which is not made again.
func TestSecretsInFilesAreKept(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, answered(t))
	first, err := readEnv()
	require.NoError(t, err)
	archived := strings.Replace(first, "BACKUP_URL=\n", "BACKUP_URL=file:///backups\n", 1)
	require.NoError(t, os.WriteFile(file, []byte(archived), 0o600))
	require.NoError(t, answered(t)) // with a role for backups
	emptied, err := readEnv()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll("secrets", 0o700))
	all := []string{"SECRET_KEY", "POSTGRES_PASSWORD", "OWNER_PASSWORD", "BACKUP_PASSWORD", "BACKUP_KEY"}
	for _, name := range all {
		value := written(t)[name]
		require.NotEmpty(t, value, name)
		require.NoError(t, os.WriteFile("secrets/"+name, []byte(value+"\n"), 0o600))
		before := emptied
		emptied = strings.Replace(before, "\n"+name+"="+value+"\n", "\n"+name+"=\n", 1)
		require.NotEqual(t, before, emptied, name)
	}
	require.NoError(t, os.WriteFile(file, []byte(emptied), 0o600))
	require.NoError(t, os.Chmod(file, 0o644))
	require.NoError(t, answered(t))
	after, err := readEnv()
	require.NoError(t, err)
	require.Equal(t, emptied, after)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "others cannot read it any more")

	require.NoError(t, os.Remove(file))
	require.ErrorContains(t, answered(t), "secrets has SECRET_KEY of an installation without its .env")
	require.NoFileExists(t, file)
}

// A link is not followed and not replaced: in a container it leads nowhere, and new keys would be made.
func TestEnvThatIsALink(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Symlink("elsewhere", file))
	require.ErrorContains(t, answered(t), ".env is a link")
	require.NoFileExists(t, "elsewhere")
	found, err := os.Readlink(file)
	require.NoError(t, err)
	require.Equal(t, "elsewhere", found)
}

// Of two runs at once the second writes nothing: its keys would replace those of the first.
func TestEnvThatWasChangedMeanwhile(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile(file, []byte("BRAND=Another\n"), 0o600))
	s := &session{values: map[string]string{"BRAND": "Ours"}, options: Options{Out: &bytes.Buffer{}}}
	require.ErrorContains(t, s.keep(), ".env was changed since it was read")
	require.Equal(t, "Another", written(t)["BRAND"])
}

// Files and profiles that an operator added stay; the mode adds and removes the files of the rehearsal alone.
func TestComposeFilesFollowTheMode(t *testing.T) {
	for _, c := range []struct{ before, mode, after string }{
		{"", "production", "docker-compose.yml"},
		{"docker-compose.yml:ours.yml", "production", "docker-compose.yml:ours.yml"},
		{"docker-compose.yml:ours.yml", "staging", "docker-compose.yml:ours.yml:docker-compose.staging.yml"},
		{"docker-compose.yml:docker-compose.staging.yml", "production", "docker-compose.yml"},
	} {
		values := map[string]string{"MODE": c.mode, "OIDC_ISSUER": "https://id.test"}
		composed(map[string]string{"COMPOSE_FILE": c.before, "COMPOSE_PROFILES": "observability,backup,embedded-identity"}, values)
		require.Equal(t, c.after, values["COMPOSE_FILE"])
		require.Equal(t, "observability", values["COMPOSE_PROFILES"])
		require.Equal(t, "false", values["EMBEDDED_IDENTITY"])
	}
	fresh := map[string]string{"MODE": string(config.Staging), "BACKUP_URL": "s3://b"}
	composed(nil, fresh)
	require.Equal(t, "docker-compose.yml:docker-compose.secrets.yml:docker-compose.staging.yml", fresh["COMPOSE_FILE"])
	require.Equal(t, "backup,embedded-identity", fresh["COMPOSE_PROFILES"])
}
