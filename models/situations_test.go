package models_test

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/order"
)

var update = flag.Bool("update", false, "write situations.json")

// situations.json is what the browser suite iterates.
func TestSituationsFileIsCurrent(t *testing.T) {
	now, err := json.MarshalIndent(order.Situations(), "", "  ")
	require.NoError(t, err)
	now = append(now, '\n')
	if *update {
		require.NoError(t, os.WriteFile("situations.json", now, 0o600))
	}
	stored, err := os.ReadFile("situations.json")
	require.NoError(t, err)
	require.Equal(t, string(now), string(stored), "go test ./models -run Situations -update")
}
