package rest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNoCellOfAFileBeginsAFormula(t *testing.T) {
	for _, cell := range []string{"=1+1", "+1", "-1", "@SUM(1)", "＝1+1", "＋1", "－1", "＠SUM(1)"} {
		require.Equal(t, []string{"'" + cell}, Inert(cell))
	}
	for cell, want := range map[string]string{"\t=1": "'\t'=1", "\r=1": "'\r'=1", "\n=1": "'\n'=1", "ok;=1+1;@SUM(1)": "ok;'=1+1;'@SUM(1)", "ok; \u00a0=1": "ok;' \u00a0=1", " =1": "' =1", "a\n-1": "a\n'-1", "a,=1": "a,=1", "x;y;": "x;y;"} {
		require.Equal(t, []string{want}, Inert(cell))
	}
	require.Equal(t, []string{"", "Ada", "東京", "1=1"}, Inert("", "Ada", "東京", "1=1"))
}
