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

// loaded is the installation that a run starts from.
type loaded struct {
	text   string            // of .env; empty without one
	values map[string]string // of .env, with the secrets that it names as files; empty without one
	files  bool              // secrets are files; also set without .env
}

// load reads .env, with the secrets that it names as files. It returns an error if .env is a link: a container does not
// follow it, and the installation would be taken for a new one.
func load() (*loaded, error) {
	raw, err := readEnv()
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(raw) == "" {
		return &loaded{text: raw, values: map[string]string{}, files: true}, nil
	}
	values, err := parse(file, raw)
	if err != nil {
		return nil, err
	}
	found := &loaded{text: raw, values: values, files: strings.Contains(values["COMPOSE_FILE"], asSecrets)}
	for name, value := range values {
		if !isSecret(name) || !strings.HasSuffix(value, "/"+name) {
			continue
		}
		if values[name], err = secretFile(values, name); err != nil {
			return nil, fmt.Errorf("%s names the secret %s as a file: %w", file, name, err)
		}
		found.files = true
	}
	values["MODE"] = string(config.Production)
	if strings.Contains(values["COMPOSE_FILE"], staging) {
		values["MODE"] = string(config.Staging)
	}
	return found, nil
}

// readEnv returns the text of .env, which is empty without one.
func readEnv() (string, error) {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is a link or a folder: put the file itself here", file)
	}
	raw, err := os.ReadFile(file)
	return string(raw), err
}

// secretFile returns the content of a secret's file.
func secretFile(values map[string]string, name string) (string, error) {
	content, err := os.ReadFile(filepath.Join(secretsDir(values), name)) //nolint:gosec // the operator names the folder
	return strings.TrimRight(string(content), "\r\n"), err
}

// keepFiles reads secrets that are in a file alone, which operators may change by hand: deploy/secrets.sh would replace
// the file with a new value. It returns an error if there are any without .env: their installation is not a new one.
func (s *session) keepFiles() error {
	for _, one := range s.settings {
		if !one.secret() || s.values[one.name] != "" {
			continue
		}
		content, err := secretFile(s.before, one.name)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("the file of the secret %s: %w", one.name, err)
		}
		if content != "" && len(s.before) == 0 {
			return fmt.Errorf("nothing was written: %s has %s of an installation without its %s: put that back, "+
				"or move the folder away", secretsDir(s.before), one.name, file)
		}
		if content != "" {
			s.before[one.name], s.values[one.name] = content, content
		}
	}
	return nil
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
		if from := strings.LastIndex("\n"+text, "\n"+name+"="); from >= 0 { // the last line of a name counts
			line, _, _ := strings.Cut(text[from:], "\n")
			text = text[:from] + written + text[from+len(line):]
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

// write replaces a file as a whole, readable by its owner alone.
func write(path, text string) (err error) {
	out, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*") // which others may not read
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
	return os.Rename(out.Name(), path)
}

// closeToOthers lets the owner of .env alone read it.
func closeToOthers() error {
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(file, 0o600)
}

// files are the compose files of COMPOSE_FILE.
const (
	base      = "docker-compose.yml"
	asSecrets = "docker-compose.secrets.yml" //nolint:gosec // the name of a file
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
