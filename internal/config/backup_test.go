package config

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What would archive nothing, or nothing that could be opened, is named; the key is not shown.
func TestWrongSettingsOfBackupsAreNamed(t *testing.T) {
	key := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	right := Backups{URL: "s3://backups", Key: key("0123456789abcdef0123456789abcdef") + "," + key("0123456789abcdef0123456789abcdeg")}
	require.NoError(t, right.Check(Production))
	for name, wrong := range map[string]Backups{
		"BACKUP_URL":               {URL: "backups", Key: right.Key},
		"BACKUP_KEY":               {URL: right.URL, Key: "canary"},
		"BACKUP_KEY is one byte":   {URL: right.URL, Key: key(strings.Repeat("a", 32))},
		"BACKUP_SECRET_ACCESS_KEY": {URL: right.URL, Key: right.Key, AccessKey: "an-id"},
	} {
		err := wrong.Check(Production)
		require.ErrorContains(t, err, name)
		require.NotContains(t, err.Error(), "canary")
	}
	daily := Archiving{DatabaseURL: "postgres://b@h/postgres", Every: 10 * time.Second, BaseEvery: 24 * time.Hour, Keep: 24 * time.Hour}
	require.NoError(t, daily.Check(Production))
	daily.Every, daily.Keep = time.Minute, time.Hour
	require.ErrorContains(t, daily.Check(Production), "BACKUP_EVERY")
	require.ErrorContains(t, daily.Check(Production), "BACKUP_KEEP")
}
