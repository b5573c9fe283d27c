package deploy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Restore fills the volume of Postgres, so it never starts by itself, and is confined as the others are. It has what
// opens the archive and no other secret, and its Postgres is the one that runs.
func TestRestoreIsStartedByHandAlone(t *testing.T) {
	require.NotContains(t, composed(t).Services, "restore")
	values := filledIn()
	values["COMPOSE_PROFILES"] = "restore"
	project, err := load(t, values)
	require.NoError(t, err)
	service := project.Services["restore"]
	require.Equal(t, "no", service.Restart)
	require.Equal(t, "restore", service.Build.Target)
	require.Equal(t, "postgres", service.User)
	require.True(t, service.ReadOnly)
	require.Equal(t, []string{"ALL"}, service.CapDrop)
	require.Contains(t, service.SecurityOpt, "no-new-privileges:true")
	require.Empty(t, service.Ports)
	require.Equal(t, []string{"outside"}, joined(service))
	require.Equal(t, project.Services["postgres"].Volumes[0].Source, service.Volumes[0].Source)
	require.Equal(t, project.Services["postgres"].Volumes[0].Target, service.Volumes[0].Target)
	require.Contains(t, read(t, "Dockerfile"), "FROM "+project.Services["postgres"].Image+" AS restore\n")
	for name, other := range project.Services {
		require.NotContains(t, other.DependsOn, "restore", name)
	}
	for secret := range secretHolders {
		opens := secret == "BACKUP_KEY" || secret == "BACKUP_SECRET_ACCESS_KEY"
		require.Equal(t, opens, mentions(service, secretValue(secret)), secret)
	}
}
