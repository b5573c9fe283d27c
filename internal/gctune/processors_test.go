package gctune

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	t.Setenv("GOMAXPROCS", "3")
	OneProcessor()
	require.Equal(t, 3, runtime.GOMAXPROCS(0), "an operator's number stays")
	t.Setenv("GOMAXPROCS", "")
	OneProcessor()
	require.Equal(t, 1, runtime.GOMAXPROCS(0))
}
