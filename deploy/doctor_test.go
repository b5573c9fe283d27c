package deploy

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/doctor"
)

// withDoctor is a setting with the profile that has doctor in it.
func withDoctor(t *testing.T, files ...string) *types.Project {
	t.Helper()
	values := filledIn()
	values["COMPOSE_PROFILES"] = "doctor,backup,embedded-identity"
	project, err := loadFiles(t, values, files...)
	require.NoError(t, err)
	return project
}

// Doctor holds every credential that it checks, so it is never started automatically, is confined as the others are,
// and listens on no port. It is not given what it does not use.
func TestDoctorIsStartedByHandAlone(t *testing.T) {
	require.NotContains(t, composed(t).Services, "doctor")
	project := withDoctor(t, "docker-compose.yml")
	service := project.Services["doctor"]
	require.Equal(t, "no", service.Restart)
	require.Equal(t, []string{"/app/api", "doctor"}, []string(service.Command))
	require.Equal(t, project.Services["api"].Image, service.Image)
	require.True(t, service.ReadOnly)
	require.Equal(t, []string{"ALL"}, service.CapDrop)
	require.Contains(t, service.SecurityOpt, "no-new-privileges:true")
	require.Empty(t, service.Ports)
	require.Equal(t, []string{"data", "outside", "signing", "temporal"}, joined(service))
	for name, other := range project.Services {
		require.NotContains(t, other.DependsOn, "doctor", name)
	}
	spared := []string{"API_PASSWORD", "CORE_PASSWORD", "PAYMENTS_PASSWORD", "EXCHANGE_PASSWORD", "CUSTODY_PASSWORD", "POSTGRES_PASSWORD", "TEMPORAL_PASSWORD", "OPERATORS_PASSWORD_HASH", "BACKUP_PASSWORD"}
	for secret := range secretHolders {
		require.Equal(t, !slices.Contains(spared, secret), mentions(service, secretValue(secret)), secret)
	}
}

// Doctor looks at the database as an operator, and is otherwise given the services' settings, value for value: it checks the settings in use, in a rehearsal too.
func TestDoctorChecksWhatTheServicesAreGiven(t *testing.T) {
	for _, files := range [][]string{{"docker-compose.yml"}, {"docker-compose.yml", "docker-compose.staging.yml"}} {
		project := withDoctor(t, files...)
		given := map[string][]string{"IDENTITY_DATABASE_URL": {*project.Services["doctor"].Environment["IDENTITY_DATABASE_URL"]},
			"DATABASE_URL": {"postgres://tradepost_operator:" + secretValue("OPERATOR_PASSWORD") + "@postgres:5432/tradepost?sslmode=disable"}}
		for _, name := range []string{"migrate", "api", "core", "payments", "exchange", "custody", "identity", "backup"} {
			for variable, value := range project.Services[name].Environment {
				if value != nil {
					given[variable] = append(given[variable], *value)
				}
			}
		}
		for variable, value := range project.Services["doctor"].Environment {
			if value != nil {
				require.Contains(t, given[variable], *value, variable)
			}
		}
		require.NotEmpty(t, slices.Sorted(maps.Keys(given)))
	}
}

// checked is the table of docs/operations.md between its two comments.
var checked = regexp.MustCompile(`(?s)(<!-- checks of doctor: go test ./deploy -run Tables -update -->\n).*?(<!-- end -->)`)

// The table of docs/operations.md names the checks that there are.
func TestTablesOfChecksAreTrue(t *testing.T) {
	doc := read(t, "docs/operations.md")
	require.Regexp(t, checked, doc)
	var table strings.Builder
	table.WriteString("| check | looks at |\n|---|---|\n")
	for _, c := range doctor.Checks() {
		fmt.Fprintf(&table, "| `%s` | %s |\n", c.Name, c.Looks)
	}
	fresh := checked.ReplaceAllString(doc, "${1}"+table.String()+"${2}")
	if *update {
		require.NoError(t, os.WriteFile(filepath.Join("..", "docs", "operations.md"), []byte(fresh), 0o600))
		return
	}
	require.Equal(t, fresh, doc, "docs/operations.md is out of date: go test ./deploy -run Tables -update")
}
