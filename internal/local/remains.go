package local

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tradepost/tradepost/internal/local/build"
)

// The parts of a first start, by their names on the site.
const (
	partSite     = "site"
	partWeb      = "web"
	partWorkers  = "workers"
	partTemporal = "temporal"
)

const (
	printEvery = 15 * time.Second
	noteEvery  = time.Second
	// usualWeb is how long installing and building the web app lasts on two cores; its
	// progress cannot be measured.
	usualWeb = 100 * time.Second
)

// turns are the order of compilation.
var turns = map[string]int{partSite: 0, partWorkers: 1, partTemporal: 2}

// remains is what a start still has to do: it is reported in the launcher's stream, and in
// a file that the site reads. A start that has nothing to compile reports nothing.
type remains struct {
	stack *Stack
	plan  *build.Plan
	begun time.Time
	ended chan struct{}
	file  string

	mu    sync.Mutex
	open  bool
	parts []string // those that are not up yet
	jobs  map[string]*build.Job
}

func newRemains(s *Stack) *remains {
	r := &remains{
		stack: s, plan: build.NewPlan(), begun: time.Now(), ended: make(chan struct{}), file: s.startingFile(),
		parts: []string{partSite, partWeb, partWorkers, partTemporal}, jobs: map[string]*build.Job{},
	}
	_ = os.Remove(r.file) // of a run that was killed
	go r.watch()
	return r
}

// startingFile is where the site reads what is still being built.
func (s *Stack) startingFile() string { return filepath.Join(s.options.DataDir, "starting.json") }

// add downloads what a part's packages need, and counts them from now on.
func (r *remains) add(ctx context.Context, part, dir string, flags []string, packages ...string) (*build.Job, error) {
	job, err := r.plan.Add(ctx, turns[part], dir, flags, packages...)
	if err == nil {
		r.mu.Lock()
		r.jobs[part] = job
		r.mu.Unlock()
	}
	return job, err
}

func (r *remains) done(part string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.parts = slices.DeleteFunc(r.parts, func(p string) bool { return p == part })
}

func (r *remains) opened() {
	r.done(partSite)
	r.mu.Lock()
	r.open = true
	r.mu.Unlock()
	r.note()
}

func (r *remains) end() {
	close(r.ended)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.parts = nil
	_ = os.Remove(r.file) // it may never have been there
}

// watch reports the progress of a first start until it ends.
func (r *remains) watch() {
	ticker, note := time.NewTicker(printEvery), time.NewTicker(noteEvery)
	defer ticker.Stop()
	defer note.Stop()
	for {
		select {
		case <-r.ended:
			return
		case <-note.C:
			r.note()
		case <-ticker.C:
			if line := r.line(); line != "" {
				r.stack.Say("%s", line)
			}
		}
	}
}

// left estimates the time until some parts are up. The web app is built beside the
// programs.
func (r *remains) left(parts ...string) time.Duration {
	var jobs []*build.Job
	web := time.Duration(0)
	for _, part := range parts {
		if !slices.Contains(r.parts, part) {
			continue
		}
		if part == partWeb {
			web = max(0, usualWeb-time.Since(r.begun))
		}
		jobs = append(jobs, r.jobs[part])
	}
	return max(r.plan.Left(jobs...), web)
}

// line is what is left and about how long it lasts; empty when nothing is being compiled.
func (r *remains) line() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var words []string
	for _, part := range r.parts {
		if job := r.jobs[part]; job != nil {
			words = append(words, fmt.Sprintf("%s %d %%", sayings[part], int(100*job.Done())))
		}
	}
	if len(words) == 0 {
		return ""
	}
	opens := ""
	if !r.open {
		opens = "the site opens in " + about(r.left(partSite, partWeb)) + ", "
	}
	return fmt.Sprintf("first start, %s: %severything is up in %s (compiled: %s)", time.Since(r.begun).Round(time.Second), opens,
		about(r.left(r.parts...)), strings.Join(words, ", "))
}

var sayings = map[string]string{partSite: "site", partWorkers: "workers", partTemporal: "Temporal server"}

// about formats a duration roughly.
func about(d time.Duration) string {
	switch {
	case d < 20*time.Second:
		return "a few seconds"
	case d < 50*time.Second:
		return "less than a minute"
	case d < 90*time.Second:
		return "about a minute"
	}
	return fmt.Sprintf("about %d minutes", int((d + 30*time.Second).Minutes()))
}

// Starting is the file's content: the parts that are not up yet, and about how many seconds
// remain.
type Starting struct {
	Parts   []string `json:"parts"`
	Seconds int      `json:"seconds"`
}

// note writes the file while the site is open and a part is missing. It is renamed into
// place, so that a reader never sees an incomplete one.
func (r *remains) note() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.open || len(r.parts) == 0 {
		return
	}
	raw, err := json.Marshal(Starting{Parts: r.parts, Seconds: int(r.left(r.parts...).Seconds())})
	if err == nil {
		err = os.WriteFile(r.file+".new", raw, 0o600)
	}
	if err == nil {
		err = os.Rename(r.file+".new", r.file)
	}
	if err != nil {
		r.stack.Say("cannot note what is still being built: %v", err)
	}
}

// step runs a part of the start that may last long, and names it when it does.
func (r *remains) step(ctx context.Context, what string, work func(context.Context) error) error {
	begun := time.Now()
	done := make(chan error, 1)
	go func() { done <- work(ctx) }()
	select {
	case err := <-done:
		return err
	case <-time.After(2 * time.Second):
		r.stack.Say("%s …", what)
	}
	err := <-done
	r.stack.Say("%s: %s", what, outcome(err, time.Since(begun)))
	return err
}

func outcome(err error, took time.Duration) string {
	if err != nil {
		return "failed"
	}
	return "done in " + took.Round(time.Second).String()
}
