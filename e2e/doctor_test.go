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

// examined is what `api doctor` reports of the stack.
type examined struct{ doctor.Report }

// examine runs the released program with the stack's settings, given as a process is: by its environment.
func examine(t *testing.T, settings ...string) (report examined) {
	t.Helper()
	command := exec.CommandContext(t.Context(), filepath.Join("..", ".data", "bin", "api"), "doctor", "--json")
	command.Env = append(stack.Examined(), settings...)
	var out, said bytes.Buffer
	command.Stdout, command.Stderr = &out, &said
	failed := command.Run()
	require.NoError(t, json.Unmarshal(out.Bytes(), &report), said.String())
	require.Equal(t, report.Faults > 0, failed != nil, "the exit code says whether there is a fault")
	return report
}

func (r examined) found() (ids []string) {
	for _, result := range r.Results {
		for _, finding := range result.Findings {
			ids = append(ids, finding.ID)
		}
	}
	return ids
}

func TestDoctorFindsNoFaultWithTheStack(t *testing.T) {
	var report examined
	until(t, "prices were read and workers poll", func() bool {
		report = examine(t)
		return report.Faults+report.Warnings == 0
	})
	looked := map[doctor.Level]int{}
	for _, r := range report.Results {
		looked[r.Level]++
	}
	require.Len(t, report.Results, len(doctor.Checks()))
	require.GreaterOrEqual(t, looked[doctor.OK], 25, "%+v", report)
}
