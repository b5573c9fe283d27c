package api

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNoCellOfAFileBeginsAFormula(t *testing.T) {
	for _, cell := range []string{"=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "＝1+1", "＋1", "－1", "＠SUM(1)"} {
		require.Equal(t, []string{"'" + cell}, inert(cell))
	}
	require.Equal(t, []string{"", "Ada", "東京", "1=1"}, inert("", "Ada", "東京", "1=1"))
}
