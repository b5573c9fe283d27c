package envfile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func given(t *testing.T, value string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte(value), 0o600))
	t.Setenv("STRIPE_KEY", "")
	t.Setenv("STRIPE_KEY_FILE", file)
}

func TestASecretIsReadFromItsFile(t *testing.T) {
	given(t, " a key\r\n")
	require.NoError(t, Load())
	require.Equal(t, " a key", os.Getenv("STRIPE_KEY"))
}

func TestAnEmptyFileIsNoSecret(t *testing.T) {
	given(t, "\n")
	require.NoError(t, os.Unsetenv("STRIPE_KEY"))
	require.NoError(t, Load())
	_, set := os.LookupEnv("STRIPE_KEY")
	require.False(t, set)
}

func TestASecretIsGivenOneWay(t *testing.T) {
	given(t, "canary")
	t.Setenv("STRIPE_KEY", "another canary")
	err := Load()
	require.ErrorContains(t, err, "STRIPE_KEY and STRIPE_KEY_FILE")
	require.NotContains(t, err.Error(), "canary")
}

func TestAFileThatIsNotThereIsNamed(t *testing.T) {
	given(t, "")
	t.Setenv("STRIPE_KEY_FILE", filepath.Join(t.TempDir(), "gone"))
	require.ErrorContains(t, Load(), "STRIPE_KEY_FILE")
}
