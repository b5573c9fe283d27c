package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local"
)

// failpoints is the folder over which a test speaks with processes that were
// built with the tag of that name (models/store/failpoints.go says what lies in it).
type failpoints struct {
	dir string

	mu     sync.Mutex
	armed  []failpoint
	read   int64 // how much of the trace
	traced []passage
}

// failpoint is a transaction at which a process is to halt.
type failpoint struct {
	ID          string `json:"id"`
	Process     string `json:"process"`
	Transaction string `json:"transaction"`
	Moment      string `json:"moment"`
	Match       string `json:"match"`
	Nth         int    `json:"nth"`
}

// passage is a transaction that was committed.
type passage struct {
	Process, Transaction string
	Within, IDs          []string
	Alone                bool // one statement, without a transaction around it
	At                   time.Time
}

// withFailpoints is the build of the product whose transactions can be stopped
// at, and traced.
var withFailpoints = local.Variant{Name: "failpoints", Flags: []string{"-tags=failpoints"}}

func newFailpoints(t *testing.T) *failpoints {
	t.Helper()
	return &failpoints{dir: t.TempDir()}
}

func (f *failpoints) path(name string) string { return filepath.Join(f.dir, name) }

// arm arms a failpoint. It strikes once, however often processes restart.
func (f *failpoints) arm(p failpoint) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p.ID, p.Nth = fmt.Sprintf("point%d", len(f.armed)+1), max(p.Nth, 1)
	f.armed = append(f.armed, p)
	raw, err := json.Marshal(f.armed)
	if err != nil {
		return "", err
	}
	fresh := f.path("armed.json.new")
	if err := os.WriteFile(fresh, raw, 0o600); err != nil {
		return "", err
	}
	return p.ID, os.Rename(fresh, f.path("armed.json"))
}

// stopped reports whether a process stands, or stood, still at a failpoint.
func (f *failpoints) stopped(id string) bool {
	_, err := os.Stat(f.path(id + ".stopped"))
	return err == nil
}

// release lets a halted process continue, if it still runs.
func (f *failpoints) release(id string) error { return os.WriteFile(f.path(id+".go"), nil, 0o600) }

// passages are the transactions so far that have one of the ids, in order.
func (f *failpoints) passages(t *testing.T, ids ...string) []passage {
	t.Helper()
	return slices.DeleteFunc(f.all(t), func(p passage) bool {
		return !slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(p.IDs, id) })
	})
}

// all are all passages so far. The trace is long, and is read often: each line is parsed once.
func (f *failpoints) all(t *testing.T) []passage {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	file, err := os.Open(f.path("trace"))
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	raw, err := io.ReadAll(io.NewSectionReader(file, f.read, math.MaxInt64-f.read))
	require.NoError(t, err)
	for line := range bytes.Lines(raw) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // it is being written
		}
		var p passage
		require.NoError(t, json.Unmarshal(line, &p))
		f.traced, f.read = append(f.traced, p), f.read+int64(len(line))
	}
	return slices.Clone(f.traced)
}

// The ordinary build of each program holds no trace of failpoints.
func TestOrdinaryBuildHasNoFailpoints(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	for _, name := range []string{"api", "core", "payments", "exchange", "custody"} {
		program, err := os.ReadFile(filepath.Join(root, ".data", "bin", name))
		require.NoError(t, err)
		for _, word := range []string{"FAILPOINTS_DIR", "armed.json"} {
			require.False(t, strings.Contains(string(program), word), "%s knows %s", name, word)
		}
	}
}
