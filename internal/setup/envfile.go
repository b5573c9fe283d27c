package setup

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/dotenv"

	"github.com/tradepost/tradepost/internal/config"
)

// file is what compose reads settings from.
const file = ".env"

// unwritten are the settings that compose sets itself: MODE is told by the files in COMPOSE_FILE.
var unwritten = []string{"MODE"}

var lineOf = regexp.MustCompile(`^line [0-9]+`)

// parse reads lines of NAME=value as compose does. Its errors name no value.
func parse(name, text string) (map[string]string, error) {
	values, err := dotenv.Parse(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read as compose reads it: %s", name, lineOf.FindString(err.Error()))
	}
	return values, nil
}

// load reads .env, with the secrets that it names as files. Without .env both are empty.
func load() (text string, values map[string]string, err error) {
	raw, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return "", map[string]string{}, nil
	}
	if err != nil {
		return "", nil, err
	}
	values, err = parse(file, string(raw))
	if err != nil {
		return "", nil, err
	}
	for name, value := range values {
		if !isSecret(name) || !strings.HasSuffix(value, "/"+name) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(secretsDir(values), name)) //nolint:gosec // the operator names the folder
		if err != nil {
			return "", nil, fmt.Errorf("%s names the secret %s as a file: %w", file, name, err)
		}
		values[name] = strings.TrimRight(string(content), "\r\n")
	}
	values["MODE"] = string(config.Production)
	if strings.Contains(values["COMPOSE_FILE"], staging) {
		values["MODE"] = string(config.Staging)
	}
	return string(raw), values, nil
}

// secretsDir is the folder of secrets that are files.
func secretsDir(values map[string]string) string {
	if dir := values["SECRETS_DIR"]; dir != "" {
		return dir
	}
	return "secrets"
}

// plain is what needs no quotes in .env.
var plain = regexp.MustCompile(`^[A-Za-z0-9_./:@,+=?&%-]*$`)

// quoted is a value as compose reads it back.
func quoted(value string) string {
	switch {
	case plain.MatchString(value):
		return value
	case strings.Contains(value, "'"):
		return `"` + value + `"`
	}
	return "'" + value + "'"
}

// writable reports whether a value can be written into .env and read back.
func writable(value string) bool {
	read, err := dotenv.Parse(strings.NewReader("VALUE=" + quoted(value) + "\n"))
	return err == nil && len(read) == 1 && read["VALUE"] == value
}

// changed are the variables whose values differ, in order.
func changed(before, after map[string]string) []string {
	var found []string
	for name, value := range after {
		old, there := before[name]
		if (!there || old != value) && !slices.Contains(unwritten, name) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

// render is .env with new values. Lines that are there keep their place and all others their text; what is new follows
// with its explanation.
func render(text string, settings []setting, values map[string]string, news []string) (string, error) {
	order := slices.Clone(news)
	place := func(name string) int {
		if at := slices.IndexFunc(settings, func(s setting) bool { return s.name == name }); at >= 0 {
			return at
		}
		return len(settings)
	}
	slices.SortStableFunc(order, func(a, b string) int { return place(a) - place(b) })
	if text == "" {
		text = "# Written by tradepost init; run it again to change an answer. docs/operations.md lists every setting.\n"
	}
	for _, name := range order {
		written := name + "=" + quoted(values[name])
		all := regexp.MustCompile(`(?m)^`+name+`=.*$`).FindAllStringIndex(text, -1)
		if len(all) > 0 {
			last := all[len(all)-1] // which is the one that counts
			text = text[:last[0]] + written + text[last[1]:]
			continue
		}
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		if at := place(name); at < len(settings) && settings[at].help != "" {
			text += "# " + settings[at].help + "\n"
		}
		text += written + "\n"
	}
	return text, matches(text, values, news)
}

// matches makes sure that compose reads from a text what it is to read.
func matches(text string, values map[string]string, news []string) error {
	read, err := parse(file, text)
	if err != nil {
		return err
	}
	for _, name := range news {
		if read[name] != values[name] {
			return fmt.Errorf("%s: compose reads the lines around %s otherwise than they look; correct them", file, name)
		}
	}
	return nil
}

// write replaces .env as a whole, readable by its owner alone.
func write(text string) (err error) {
	out, err := os.CreateTemp(".", file+".new-*") // which others may not read
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(out.Name())
		}
	}()
	_, err = out.WriteString(text)
	err = errors.Join(err, out.Sync(), out.Close())
	if err != nil {
		return err
	}
	return os.Rename(out.Name(), file)
}

// files are the compose files of COMPOSE_FILE.
const (
	base      = "docker-compose.yml"
	asSecrets = "docker-compose.secrets.yml"
	staging   = "docker-compose.staging.yml"
)

// composed fills in what follows from the answers: which compose files and which profiles are used. Files and profiles
// that somebody added stay.
func composed(before, values map[string]string) {
	chosen := split(before["COMPOSE_FILE"], ":")
	if len(before) == 0 {
		chosen = []string{base, asSecrets}
	}
	if len(chosen) == 0 {
		chosen = []string{base}
	}
	chosen = slices.DeleteFunc(chosen, func(name string) bool { return name == staging })
	if config.Mode(values["MODE"]) == config.Staging {
		chosen = append(chosen, staging) // it is read last
	}
	values["COMPOSE_FILE"] = strings.Join(chosen, ":")
	profiles := map[string]bool{"embedded-identity": values["OIDC_ISSUER"] == "", "backup": values["BACKUP_URL"] != ""}
	kept := slices.DeleteFunc(split(before["COMPOSE_PROFILES"], ","), func(name string) bool {
		_, ours := profiles[name]
		return ours
	})
	for _, name := range slices.Sorted(maps.Keys(profiles)) {
		if profiles[name] {
			kept = append(kept, name)
		}
	}
	values["COMPOSE_PROFILES"] = strings.Join(kept, ",")
	values["EMBEDDED_IDENTITY"] = fmt.Sprint(profiles["embedded-identity"])
}

func split(list, by string) []string {
	return slices.DeleteFunc(strings.Split(list, by), func(one string) bool { return one == "" })
}
