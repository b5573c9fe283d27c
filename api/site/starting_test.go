package site

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/account"
)

// While the launcher builds, a page says what is missing in its own language, and
// is otherwise the same; afterwards, and where nothing is built, it says nothing.
func TestAPageSaysWhatIsStillBeingBuilt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "starting.json")
	page := []byte(`<body><div id="root"></div></body>`)
	s := &Handlers{}
	require.Equal(t, page, s.withStarting(page, "en", "n"), "no file is named")
	s.StartingFile = file
	require.Equal(t, page, s.withStarting(page, "en", "n"), "nothing is built")

	require.NoError(t, os.WriteFile(file, []byte(`{"parts":["workers","temporal"],"seconds":170}`), 0o600))
	said := string(s.withStarting(page, "en", "n0nce"))
	require.Contains(t, said, "the workers and the workflow server. Ready in about 3 minutes.")
	require.Contains(t, said, `<script nonce="n0nce">`)
	require.Contains(t, said, `</script><div id="root"></div></body>`)
	require.Contains(t, string(s.withStarting(page, "es", "n")), "los procesos de trabajo y el servidor de flujos de trabajo. Estará listo en unos 3 minutos.")
	for _, language := range account.Languages {
		require.Len(t, startingWords[language].parts, 2, language)
	}

	require.NoError(t, os.WriteFile(file, []byte(`{"parts":["temporal"],"seconds":20}`), 0o600))
	require.Contains(t, string(s.withStarting(page, "en", "n")), "the workflow server. Ready in less than a minute.")
	require.NoError(t, os.WriteFile(file, []byte(`half of a fi`), 0o600))
	require.Equal(t, page, s.withStarting(page, "en", "n"))
}
