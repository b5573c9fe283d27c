package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tradepost/tradepost/internal/local"
	"github.com/tradepost/tradepost/internal/local/build"
	"github.com/tradepost/tradepost/internal/local/ports"
	"github.com/tradepost/tradepost/internal/local/process"
)

// Targets of a first start on two cores with empty caches, and of a later one.
const (
	firstPageMost  = 5 * time.Minute
	everythingMost = 8 * time.Minute
	againMost      = 5 * time.Second
	coldPatience   = time.Hour
)

// fresh is a copy of the checkout with empty caches, as right after a first clone.
type fresh struct {
	dir, clone, site string
	env              []string
}

// measureCold runs `make run` in a fresh copy, and repeats it.
func measureCold(ctx context.Context, r *report) error {
	f, err := newFresh(ctx)
	if err != nil {
		return err
	}
	defer f.remove()
	first, err := f.run(ctx)
	if err != nil {
		return err
	}
	r.atMost("cold", "from make run to the first page, minutes", first.page.Round(time.Second).String(), "", first.page.Minutes(), firstPageMost.Minutes(), "")
	r.atMost("cold", "to everything up, minutes", first.up.Round(time.Second).String(), "", first.up.Minutes(), everythingMost.Minutes(), "")
	r.note("cold", "processor time of all that was run", first.processor.Round(time.Second).String())
	r.note("cold", "most memory at once, builds and product, shared pages by their share", fmt.Sprintf("%d MiB", first.memory))
	modules, packages := f.size("mod/cache/download"), f.size("npm")
	r.note("cold", "downloaded: Go modules, npm packages", fmt.Sprintf("%d MB, %d MB", modules, packages))
	r.note("cold", "on disk: Go modules, Go's build cache, npm's cache, the checkout with what was built in it",
		fmt.Sprintf("%d MB, %d MB, %d MB, %d MB", f.size("mod"), f.size("go"), packages, f.size("clone")))
	again, err := f.run(ctx)
	if err != nil {
		return err
	}
	r.atMost("cold", "everything up, once it is built, seconds", again.up.Round(10*time.Millisecond).String(), "", again.up.Seconds(), againMost.Seconds(), "")
	return nil
}

func newFresh(ctx context.Context) (*fresh, error) {
	root, err := build.Root()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "tradepost-cold-")
	if err != nil {
		return nil, err
	}
	f := &fresh{dir: dir, clone: filepath.Join(dir, "clone")}
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // Postgres's account passes through it
		return nil, err
	}
	// What is committed, and what is not yet.
	copied := exec.CommandContext(ctx, "sh", "-c", `mkdir "$1" && git ls-files -z --cached --others --exclude-standard | xargs -0 tar -cf - --ignore-failed-read | tar -xf - -C "$1"`, "sh", f.clone) //nolint:gosec // a folder of our own
	copied.Dir = root
	if said, err := copied.CombinedOutput(); err != nil {
		f.remove()
		return nil, fmt.Errorf("copy the checkout: %w\n%s", err, said)
	}
	f.env = append(os.Environ(), "GOCACHE="+filepath.Join(dir, "go"), "GOMODCACHE="+filepath.Join(dir, "mod"),
		"npm_config_cache="+filepath.Join(dir, "npm"), "DATA_DIR="+filepath.Join(f.clone, ".data"))
	for _, name := range []string{"SITE_PORT", "IDENTITY_PORT", "SANDBOX_PORT", "MAIL_PORT", "TEMPORAL_PORT", "TEMPORAL_UI_PORT", "POSTGRES_PORT"} {
		port, err := ports.One()
		if err != nil {
			return nil, err
		}
		f.env = append(f.env, name+"="+strconv.Itoa(port))
		if name == "SITE_PORT" {
			f.site = fmt.Sprintf("http://localhost:%d/", port)
		}
	}
	return f, nil
}

// remove deletes everything; Go writes its modules read-only.
func (f *fresh) remove() {
	_ = filepath.WalkDir(f.dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			return os.Chmod(path, 0o755) //nolint:gosec // a folder of our own, about to go
		}
		return nil
	})
	_ = os.RemoveAll(f.dir)
}

// size is what a folder holds, in MB.
func (f *fresh) size(folder string) int {
	var total int64
	_ = filepath.WalkDir(filepath.Join(f.dir, folder), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil //nolint:nilerr // a file deleted meanwhile has no size
		}
		if info, err := entry.Info(); err == nil {
			total += info.Size()
		}
		return nil
	})
	return int(total / 1e6)
}

// started is the duration of one run of `make run`.
type started struct {
	page, up, processor time.Duration
	memory              int // MiB
}

// run starts the product as people do, waits until it says that it runs, and
// stops it.
func (f *fresh) run(ctx context.Context) (started, error) {
	ctx, cancel := context.WithTimeout(ctx, coldPatience)
	defer cancel()
	var took started
	cmd := exec.CommandContext(ctx, "make", "run")
	cmd.Dir, cmd.Env = f.clone, f.env
	out := &banner{up: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = out, out
	begun := time.Now()
	if err := process.Start(cmd, syscall.SIGTERM); err != nil {
		return took, err
	}
	watching, stopWatching := context.WithCancel(ctx)
	var most atomic.Int64
	var watchers sync.WaitGroup
	watchers.Go(func() { watchMemory(watching, cmd.Process.Pid, &most) })
	watchers.Go(func() {
		if awaitPage(watching, f.site) == nil {
			took.page = time.Since(begun)
		}
	})
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var err error
	select {
	case <-out.up:
		took.up = time.Since(begun)
		_ = process.Signal(cmd, syscall.SIGINT)
		<-ended //nolint:errcheck // it ends by the signal
	case err = <-ended:
		err = errors.Join(err, fmt.Errorf("make run ended before everything was up:\n%s", out.tail()))
	}
	stopWatching()
	watchers.Wait()
	took.memory = int(most.Load())
	took.processor = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return took, err
}

// awaitPage returns when the site's first page is there.
func awaitPage(ctx context.Context, site string) error {
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, site, nil)
		if err != nil {
			return err
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// watchMemory keeps the most that a process and all below it held at once.
func watchMemory(ctx context.Context, pid int, most *atomic.Int64) {
	for {
		if held := int64(held(pid)); held > most.Load() {
			most.Store(held)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
}

// held is the memory of a process and all below it, in MiB; 0 where it cannot be read.
// Each thread has children of its own: the launcher forks all of its from one.
func held(pid int) int {
	total := 0
	if kilobytes, err := share(pid); err == nil {
		total = kilobytes / 1024
	}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is well formed
	for _, list := range lists {
		raw, _ := os.ReadFile(list) //nolint:gosec // of the processes started here; one may have ended
		for word := range strings.FieldsSeq(string(raw)) {
			if child, err := strconv.Atoi(word); err == nil {
				total += held(child)
			}
		}
	}
	return total
}

// banner waits for the launcher's last line and keeps the output.
type banner struct {
	up   chan struct{}
	once sync.Once
	mu   sync.Mutex
	said strings.Builder
}

// Write implements io.Writer.
func (b *banner) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said.Write(p)
	for lines := bufio.NewScanner(strings.NewReader(string(p))); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "· ") {
			fmt.Println(lines.Text())
		}
	}
	if strings.Contains(b.said.String(), local.Running) {
		b.once.Do(func() { close(b.up) })
	}
	return len(p), nil
}

func (b *banner) tail() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	said := b.said.String()
	return said[max(0, len(said)-4000):]
}
