package deploy

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

// order is in which compose files stand over each other; docker-compose.yml and docs/operations.md show it.
var order = []string{
	"docker-compose.yml", "docker-compose.secrets.yml", "docker-compose.external.yml", "docker-compose.staging.yml",
}

// combinations are those that the pages describe: each file may be left out but the first, and external needs secrets.
var combinations = [][]string{
	{order[0]}, {order[0], order[3]}, {order[0], order[1]}, {order[0], order[1], order[3]}, order[:3], order,
}

// Pages and files show one order, and name no files in another.
func TestPagesShowOneOrderOfComposeFiles(t *testing.T) {
	line := "COMPOSE_FILE=" + strings.Join(order, ":")
	for _, page := range []string{"docker-compose.yml", "docs/operations.md"} {
		require.Contains(t, read(t, page), line, page)
	}
	seen := 0
	pages := []string{"docs/operations.md", "docs/launch.md", "docs/upgrade.md", "docs/testing.md", "deploy/env.example"}
	for _, page := range append(pages, order...) {
		text := read(t, page)
		lists := names(`COMPOSE_FILE=([a-z.:-]+)`, text)
		for _, command := range names(`docker compose((?: -f docker-compose[a-z.]*\.yml)+)`, text) {
			lists = append(lists, strings.ReplaceAll(strings.TrimPrefix(command, " -f "), " -f ", ":"))
		}
		for _, list := range lists {
			require.True(t, slices.ContainsFunc(combinations, func(files []string) bool {
				return strings.Join(files, ":") == list
			}), "%s: %s", page, list)
			seen++
		}
	}
	require.Greater(t, seen, 5)
	for _, files := range combinations {
		require.True(t, slices.IsSortedFunc(files, func(a, b string) int {
			return slices.Index(order, a) - slices.Index(order, b)
		}))
	}
}

// combined resolves files over each other as an operator has them, with every profile: the secrets are moved into files
// where there is a file of compose for that.
func combined(t *testing.T, files []string) *types.Project {
	t.Helper()
	values := filledIn()
	values["COMPOSE_PROFILES"] = everyProfile
	if slices.Contains(files, order[3]) {
		values["STRIPE_KEY"], values["SUMSUB_APP_TOKEN"] = "sk_test_0123456789abcdef", "sbx:0123456789abcdef0123"
	}
	if slices.Contains(files, order[2]) {
		values["POSTGRES_HOST"], values["TEMPORAL_ADDRESS"] = "db.tradepost.test:5433", "temporal.tradepost.test:7233"
		values["POSTGRES_PASSWORD"], values["TEMPORAL_PASSWORD"] = "", ""
	}
	if slices.Contains(files, order[1]) {
		dir := t.TempDir()
		values = moved(t, dir, lines(values))
		values["SECRETS_DIR"] = filepath.Join(dir, "secrets")
	}
	project, err := loadFiles(t, values, slices.Clone(files)...)
	require.NoError(t, err)
	return project
}

// Every documented combination of files is resolved to services that are whole: an image, no secret given in two ways
// or left by its file's name. The real programs accept all files together; the others are theirs by
// TestProgramsAcceptWhatComposeGivesThem, …WhatIsElsewhere and …ARehearsal, and with the same settings in files by
// TestSecretsAreFilesOfTheServicesThatUseThem.
func TestEveryCombinationOfComposeFilesIsWhole(t *testing.T) {
	for _, files := range combinations {
		t.Run(strings.Join(files, ":"), func(t *testing.T) {
			project := combined(t, files)
			for name, service := range project.Services {
				require.NotEmpty(t, service.Image, name)
				for variable, value := range service.Environment {
					if value == nil {
						continue
					}
					if secret, file := strings.CutSuffix(variable, "_FILE"); file && strings.HasPrefix(*value, "/run/secrets/") {
						require.Nil(t, service.Environment[secret], "%s is given %s in two ways", name, secret)
					}
					require.NotRegexp(t, `(^|:)secrets/`, *value, "%s: %s is what .env has left", name, variable)
				}
			}
			for name := range processes {
				env := withFiles(t, project, name)
				require.Equal(t, slices.Contains(files, order[3]), env["MODE"] == "staging", name)
				if len(files) < len(order) {
					continue
				}
				env = onThisMachine(t, env)
				for variable, value := range env {
					env[variable] = strings.ReplaceAll(value, "db.tradepost.test:5433", unreachable)
				}
				said, _ := start(t, name, env)
				require.Regexp(t, reached, said, name)
			}
		})
	}
}
