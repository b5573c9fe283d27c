package doctor

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/internal/secret"
)

func (e *examination) keyChecks() []Check {
	return []Check{{"keys", "SECRET_KEY, IDENTITY_SECRET_KEY, AUDIT_SEAL_KEY and BACKUP_KEY are four keys", e.keys}}
}

// keys reports a key that stands in two variables: whoever has it opens what the other seals. Their form is judged with
// the configuration.
func (e *examination) keys(context.Context) (found []Finding) {
	var names []string
	held := map[string][][]byte{}
	hold := func(name string, set bool, text func() string) {
		if !set {
			return
		}
		if masters, err := secret.Masters(text()); err == nil {
			names, held[name] = append(names, name), masters
		}
	}
	hold("SECRET_KEY", e.Secrets != nil, func() string {
		return strings.Join(append([]string{e.Secrets.SecretKey}, e.Secrets.EarlierKeys...), ",")
	})
	hold("IDENTITY_SECRET_KEY", e.Sealing != nil, func() string { return e.Sealing.Keys })
	hold("AUDIT_SEAL_KEY", e.Seals != nil, func() string { return e.Seals.Key })
	hold("BACKUP_KEY", e.Backups != nil, func() string { return e.Backups.Key })
	if len(names) < 2 {
		return skipped("of SECRET_KEY, IDENTITY_SECRET_KEY, AUDIT_SEAL_KEY and BACKUP_KEY fewer than two are set here")
	}
	for i, name := range names {
		for _, other := range names[:i] {
			if slices.ContainsFunc(held[name], func(key []byte) bool {
				return slices.ContainsFunc(held[other], func(theirs []byte) bool { return bytes.Equal(key, theirs) })
			}) {
				found = append(found, doubtful("keys_shared",
					"Make a key of its own for one of them (docs/operations.md, \"Rotating secrets\").",
					"%s and %s hold the same key", other, name))
			}
		}
	}
	return found
}
