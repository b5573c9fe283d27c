package e2e

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/doctor"
)

// The released program finds no fault with the local stack, whose settings it is
// given as a process is: by its environment.
func TestDoctorFindsNoFaultWithTheStack(t *testing.T) {
	var report doctor.Report
	until(t, "prices were read and workers poll", func() bool {
		command := exec.CommandContext(t.Context(), filepath.Join("..", ".data", "bin", "api"), "doctor", "--json")
		command.Env = stack.Examined()
		var out, said bytes.Buffer
		command.Stdout, command.Stderr = &out, &said
		failed := command.Run()
		report = doctor.Report{}
		require.NoError(t, json.Unmarshal(out.Bytes(), &report), said.String())
		require.Equal(t, report.Faults > 0, failed != nil, "the exit code says whether there is a fault")
		return report.Faults+report.Warnings == 0
	})
	looked := map[doctor.Level]int{}
	for _, r := range report.Results {
		looked[r.Level]++
	}
	require.Len(t, report.Results, len(doctor.Checks()))
	require.GreaterOrEqual(t, looked[doctor.OK], 25, "%+v", report)
}
