package build

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/tradepost/tradepost/internal/local/process"
)

// usual is how fast two cores of a small machine compile, in bytes of source a
// second: what an estimate begins with, until there is something to measure.
const (
	usual      = 500 << 10
	usualCount = 20 * time.Second
)

// Plan is what a first start compiles, and how far it is: a package counts by the
// size of its sources.
type Plan struct {
	mu     sync.Mutex
	begun  time.Time
	done   int64
	owners map[string]*Job
	sizes  map[string]int64
}

// Job is the packages of some programs, without those of an earlier job.
type Job struct {
	plan        *Plan
	turn        int
	total, done int64
}

// NewPlan is an empty plan.
func NewPlan() *Plan { return &Plan{owners: map[string]*Job{}, sizes: map[string]int64{}} }

// Add downloads what some packages need and puts them on the plan. The job with the
// lower turn is compiled first, whichever is added first.
func (p *Plan) Add(ctx context.Context, turn int, dir string, flags []string, packages ...string) (*Job, error) {
	sizes, err := sources(ctx, dir, flags, packages)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	job := &Job{plan: p, turn: turn}
	for path, size := range sizes {
		owner := p.owners[path]
		if owner != nil && owner.turn <= turn {
			continue
		}
		if owner != nil { // nothing of a later job is compiled yet
			owner.total -= size
		}
		p.owners[path], p.sizes[path] = job, size
		job.total += size
	}
	return job, nil
}

// Done is the share of a job that is compiled, from 0 to 1.
func (j *Job) Done() float64 {
	j.plan.mu.Lock()
	defer j.plan.mu.Unlock()
	if j.total == 0 {
		return 1
	}
	return float64(j.done) / float64(j.total)
}

// Left estimates the remaining duration of some jobs, from the plan's speed until now.
func (p *Plan) Left(jobs ...*Job) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	var left int64
	for _, job := range jobs {
		if job != nil {
			left += job.total - job.done
		}
	}
	spent := usualCount
	if !p.begun.IsZero() {
		spent += time.Since(p.begun)
	}
	rate := (float64(p.done) + usual*usualCount.Seconds()) / spent.Seconds()
	return time.Duration(float64(left) / rate * float64(time.Second))
}

// compiled notes that a package is.
func (p *Plan) compiled(path string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	job, known := p.owners[path]
	if known {
		job.done, p.done = job.done+p.sizes[path], p.done+p.sizes[path]
		p.sizes[path] = 0
	}
	return known
}

// finish marks a job as complete, with what existed before.
func (j *Job) finish() {
	j.plan.mu.Lock()
	defer j.plan.mu.Unlock()
	j.done = j.total
}

// Compile compiles a job's packages into the toolchain's cache, in one run: several
// builds side by side would each compile what they have in common. Linking is left
// to Program.
func (j *Job) Compile(ctx context.Context, dir string, flags []string, packages ...string) error {
	return j.compile(ctx, process.Run, dir, flags, packages...)
}

// CompileBehind is Compile at the lowest priority for the processors.
func (j *Job) CompileBehind(ctx context.Context, dir string, packages ...string) error {
	return j.compile(ctx, process.RunBehind, dir, nil, packages...)
}

func (j *Job) compile(ctx context.Context, run func(*exec.Cmd) error, dir string, flags []string, packages ...string) error {
	j.plan.mu.Lock()
	if j.plan.begun.IsZero() {
		j.plan.begun = time.Now()
	}
	j.plan.mu.Unlock()
	args := append([]string{"list", "-export", "-v", "-f", ""}, tagged(flags)...)
	cmd := toolchain(ctx, dir, append(args, packages...)...)
	var said bytes.Buffer
	reader, writer := io.Pipe()
	cmd.Stdout, cmd.Stderr = io.Discard, writer
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(reader); lines.Scan(); {
			if !j.plan.compiled(lines.Text()) {
				said.WriteString(lines.Text() + "\n")
			}
		}
		_, _ = io.Copy(io.Discard, reader) // a line too long to scan
	}()
	err := run(cmd)
	_ = writer.Close() // never fails
	<-read
	if err != nil {
		return fmt.Errorf("compiling %s: %w\n%s", strings.Join(packages, " "), err, said.String())
	}
	j.finish()
	return nil
}

// sources are the sizes of the packages that some packages are made of.
func sources(ctx context.Context, dir string, flags, packages []string) (map[string]int64, error) {
	args := append([]string{"list", "-deps", "-json=ImportPath,Dir,GoFiles"}, tagged(flags)...)
	cmd := toolchain(ctx, dir, append(args, packages...)...)
	var list, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &list, &said
	if err := process.Run(cmd); err != nil {
		return nil, fmt.Errorf("downloading what %s needs: %w\n%s", strings.Join(packages, " "), err, said.String())
	}
	sizes := map[string]int64{}
	for decoder := json.NewDecoder(&list); ; {
		var pkg struct {
			ImportPath, Dir string
			GoFiles         []string
		}
		if err := decoder.Decode(&pkg); errors.Is(err, io.EOF) {
			return sizes, nil
		} else if err != nil {
			return nil, err
		}
		for _, file := range pkg.GoFiles {
			if info, err := os.Stat(filepath.Join(pkg.Dir, file)); err == nil {
				sizes[pkg.ImportPath] += info.Size()
			}
		}
	}
}

// Built reports whether every program exists.
func Built(bin string, programs ...string) bool {
	for _, name := range programs {
		if _, err := exec.LookPath(filepath.Join(bin, name)); err != nil {
			return false
		}
	}
	return true
}
