package deploy

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
	api "github.com/stripe/stripe-go/v85"

	orderapi "github.com/tradepost/tradepost/api/order"
	"github.com/tradepost/tradepost/internal/provider/stripe/events"
	"github.com/tradepost/tradepost/models/migrations"
)

// between is what a page has between two comments.
func between(t *testing.T, page, name string) string {
	t.Helper()
	_, text, found := strings.Cut(read(t, page), "<!-- "+name+" -->")
	require.True(t, found, "%s: %s", page, name)
	text, _, found = strings.Cut(text, "<!-- end -->")
	require.True(t, found, "%s: %s", page, name)
	return text
}

// environmentThere are the variables that the released programs and the compose file read.
func environmentThere(t *testing.T) []string {
	t.Helper()
	found := names(`\$\{([A-Z][A-Z0-9_]*)`, read(t, "docker-compose.yml"))
	for _, folder := range []string{"internal/config", "internal/identity", "api/server", "worker"} {
		root := os.DirFS(filepath.Join("..", folder))
		err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := fs.ReadFile(root, path)
			for _, tag := range names(`env:"([A-Z0-9_,]+)"`, string(source)) {
				found = append(found, strings.Split(tag, ",")...)
			}
			return err
		})
		require.NoError(t, err)
	}
	return append(found, "COMPOSE_PROFILES", "COMPOSE_FILE", "SITE_HOST")
}

// Each variable that docs/launch.md and docs/sizing.md name is read by something, and
// docs/launch.md names each one that nothing starts without.
func TestLaunchPageNamesTheEnvironment(t *testing.T) {
	page := read(t, "docs/launch.md")
	there := environmentThere(t)
	require.Greater(t, len(there), 120)
	lines := names("`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|MODE|BRAND)(?:=[^`]*)?`", page)
	digests := []string{"HMAC_SHA256_HEX", "HMAC_SHA512_HEX"}
	for _, name := range lines {
		require.True(t, slices.Contains(there, name) || slices.Contains(digests, name), "docs/launch.md names %s, which nothing reads", name)
	}
	required := names(`\$\{([A-Z][A-Z0-9_]*):\?`, read(t, "docker-compose.yml"))
	require.Greater(t, len(required), 20)
	for _, name := range required {
		require.Contains(t, lines, name, "docs/launch.md does not name what compose asks for")
	}
}

// The Stripe endpoint is described as the code needs it: these events and this version.
func TestLaunchPageNamesStripesEvents(t *testing.T) {
	text := between(t, "docs/launch.md", "events of Stripe")
	require.Equal(t, slices.Sorted(slices.Values(events.Acted)), names("`([a-z_.]+)`", text))
	require.Contains(t, read(t, "docs/launch.md"), "API version `"+api.APIVersion+"`")
}

// docs/upgrade.md lists the migrations whose way down is missing or does nothing, and each of them says why.
func TestUpgradePageListsMigrationsWithoutAWayBack(t *testing.T) {
	files, err := fs.Glob(migrations.Files, "*.sql")
	require.NoError(t, err)
	why := regexp.MustCompile(`-- \+goose Down\n-- There is no way down: \w+ \w+`)
	var none []string
	for _, file := range files {
		if text := read(t, "models/migrations/"+file); !migrations.Reversible(text) {
			none = append(none, file[:5])
			require.Regexp(t, why, text, "%s does not say why", file)
		}
	}
	require.Greater(t, len(files), 70)
	require.Equal(t, none, names(`\b([0-9]{5})\b`, between(t, "docs/upgrade.md", "no way back")))
}

// composeCommand is a command, its options, and the words after them.
var composeCommand = regexp.MustCompile("(?m)docker compose(?: --env-file \\S+| -f \\S+)* (run|exec|stop|start|restart|up)((?: --name \\S+| -[ev] \\S+| --?[a-z-]+)*)((?: [a-z][a-z-]*)+)(?:[ `)]|$)")

// Each command of compose on a page for operators runs a service of compose that may be run, with variables that it reads and
// folders that it has, and what it runs of the API is one of its commands; the example of the accounts customers pay to is in the form that is read.
func TestCommandsOfThePagesAreThere(t *testing.T) {
	there := names(`(?m)^  ([a-z]+(?: [a-z]+)?)(?: |$)`, helpOf(t, "api"))
	require.Contains(t, there, "float seed")
	project, scripts := composed(t), read(t, "deploy/temporal/schema.sh")
	seen := 0
	for _, page := range []string{
		"docs/launch.md", "docs/operations.md", "docs/upgrade.md", "docs/restore.md", "docs/sizing.md", "docs/images.md",
	} {
		text := read(t, page)
		for _, found := range composeCommand.FindAllStringSubmatch(text, -1) {
			for _, name := range strings.Fields(found[3]) {
				service, there := project.AllServices()[name]
				require.True(t, there, "%s: %s: compose has no %s", page, found[0], name)
				for _, variable := range names(`-e ([A-Z_]+)=`, found[2]) {
					_, set := service.Environment[variable]
					require.True(t, set || strings.Contains(scripts, "${"+variable+":"), "%s: %s: %s is read by nothing", page, found[0], variable)
				}
				for _, target := range names(`-v tradepost_\w+:(/\S+)`, found[2]) {
					require.True(t, slices.ContainsFunc(service.Volumes, func(v types.ServiceVolumeConfig) bool { return v.Target == target }), "%s: %s: %s", page, found[0], target)
				}
				seen++
				if found[1] == "run" || found[1] == "exec" {
					break // what follows is the command
				}
			}
		}
		for _, volume := range names(`docker volume rm (?:-f )?tradepost_([a-z-]+)`, text) {
			require.Contains(t, project.Volumes, volume, page)
		}
		for _, command := range names("/app/identity ([a-z-]+)", text) {
			require.Contains(t, helpOf(t, "identity"), "\n  "+command+" ", page)
		}
		for _, command := range names("/app/api ([a-z]+(?: [a-z]+)?)", text) {
			require.True(t, slices.ContainsFunc(there, func(one string) bool {
				return strings.HasPrefix(one+" ", command+" ") || one == strings.Fields(command)[0]
			}), "%s: api %s", page, command)
			seen++
		}
	}
	require.Greater(t, seen, 12)
	_, example, found := strings.Cut(read(t, "docs/operations.md"), "```json\n")
	require.True(t, found)
	example, _, _ = strings.Cut(example, "```")
	file := filepath.Join(t.TempDir(), "recipients.json")
	require.NoError(t, os.WriteFile(file, []byte(example), 0o600))
	recipients, err := orderapi.LoadRecipients(file, false)
	require.NoError(t, err)
	require.Len(t, recipients, 2)
}

// A rehearsal is every command with both files, by the line that the pages give.
func TestARehearsalIsOneLineOfTheEnvironment(t *testing.T) {
	for _, page := range []string{"docs/launch.md", "docs/operations.md"} {
		_, line, found := strings.Cut(read(t, page), "`COMPOSE_FILE=")
		require.True(t, found, page)
		line, _, _ = strings.Cut(line, "`")
		for _, file := range strings.Split(line, ":") {
			require.NotEmpty(t, read(t, file))
		}
	}
}
