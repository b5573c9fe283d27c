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
		require.NotPanics(t, func() { s.holds(one.when) }, one.name)
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
