package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/doctor"
)

// Doctor and the API at its start demand the same accounts, for each method that is offered and for no other.
func TestDoctorDemandsTheAccountsThatTheAPIDemands(t *testing.T) {
	file := filepath.Join(t.TempDir(), "recipients.json")
	account := `[{"label": "Account", "value": "1", "copy": true}]`
	require.NoError(t, os.WriteFile(file, []byte(`{"wire": `+account+`, "zelle": `+account+`}`), 0o600))
	for rails, missing := range map[string]string{"wire,zelle,card": "", "wire": "", "wire,domestic_wire,paypal": "domestic_wire, paypal", "": "domestic_wire"} {
		env := map[string]string{"MODE": "local", "RAILS": rails, "RECIPIENTS_FILE": file}
		report, unknown := doctor.Examine(t.Context(), doctor.Options{Only: []string{"configuration"}, Getenv: func(name string) string { return env[name] },
			Also: map[string]config.Group{"RECIPIENTS_FILE": &product{}}})
		require.Empty(t, unknown)
		var said []string
		for _, f := range report.Results[0].Findings {
			said = append(said, f.Says)
		}
		api := &serve{Product: product{RecipientsFile: file}}
		api.Mode = config.Local
		if rails != "" {
			api.Rails = strings.Split(rails, ",")
		}
		refused := config.CheckAll(api)
		require.Error(t, refused, "nothing else is set")
		if missing == "" {
			require.NotContains(t, strings.Join(said, "\n"), "RECIPIENTS_FILE", rails)
			require.NotContains(t, refused.Error(), "RECIPIENTS_FILE", rails)
			continue
		}
		fault := "RECIPIENTS_FILE has no account for " + missing
		require.Contains(t, strings.Join(said, "\n"), fault)
		require.ErrorContains(t, refused, fault)
	}
}
