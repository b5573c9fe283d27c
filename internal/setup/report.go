package setup

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// place is where a secret is found.
func (s *session) place(name string) string {
	if strings.Contains(s.values["COMPOSE_FILE"], asSecrets) {
		return filepath.Join(secretsDir(s.values), name)
	}
	return file
}

// report says what is left to do.
func (s *session) report(left []error) {
	var lines []string
	for _, one := range s.settings {
		if slices.Contains(s.fresh, one.name) && one.tell != "" {
			lines = append(lines, one.name+": "+one.tell+" It is in "+s.place(one.name)+".")
		}
	}
	if s.operators != "" {
		lines = append(lines, filepath.Join(secretsDir(s.values), operatorsFile)+
			" has the password of user operator for Temporal's web UI: move it to your password store.")
	}
	if s.values["BACKUP_ACCESS_KEY_ID"] != "" && s.values["BACKUP_ACCESS_KEY_ID"] == s.values["AWS_ACCESS_KEY_ID"] {
		lines = append(lines, "BACKUP_ACCESS_KEY_ID is the key of the files too: give backups a key of their own.")
	}
	if s.values["POSTGRES_PASSWORD"] == "" && s.values["POSTGRES_HOST"] == "" {
		lines = append(lines, "POSTGRES_PASSWORD is empty, and Postgres keeps the one that it was made with: name it in "+
			file+" unless compose has it from elsewhere, or name POSTGRES_HOST.")
	}
	for _, fault := range left {
		lines = append(lines, fault.Error())
	}
	if len(lines) > 0 {
		fmt.Fprintf(s.options.Out, "\nLeft to do:\n- %s\n", strings.Join(lines, "\n- "))
	}
}
