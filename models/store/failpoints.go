//go:build failpoints

package store

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Failpoints are for tests that kill processes (docs/testing.md). They are in builds with the tag "failpoints" only,
// and inactive there too unless FAILPOINTS_DIR names a folder, through which a test controls all processes:
//
//	trace       every transaction that was committed, a line of JSON each
//	armed.json  where to stop: a list of failpoint
//	ID.n        the failpoint ID was passed for the n-th time, which is not yet the one to stop at
//	ID.stopped  it was passed for the time to stop at: a process is, or was, stopped there
//	ID.go       releases the stopped process
//
// A transaction is named after the exported function of a domain that opened it. A statement that writes without a
// transaction is one of its own. No code of the product is involved: statements are observed on their way to the
// database.
func failpoints(config *pgxpool.Config) {
	dir := os.Getenv("FAILPOINTS_DIR")
	if dir == "" {
		return
	}
	config.ConnConfig.Tracer = &watch{dir: dir, process: filepath.Base(os.Args[0]), open: map[*pgx.Conn]*passage{}}
	config.MaxConns += stopping
}

// stopping is how many transactions of a process may be stopped at once, beside the connections it works with.
const stopping = 24

// failpoint is a place to stop at, for the Nth time that it is passed by a
// transaction which has Match in one of its arguments; an empty one matches all.
type failpoint struct {
	ID          string `json:"id"`
	Process     string `json:"process"`
	Transaction string `json:"transaction"`
	Moment      string `json:"moment"` // "before" or "after" the commit
	Match       string `json:"match"`
	Nth         int    `json:"nth"`
}

// passage is one transaction, as the trace shows it.
type passage struct {
	Process     string   `json:"process"`
	Transaction string   `json:"transaction"`
	Within      []string `json:"within,omitempty"` // other exported methods in it
	IDs         []string `json:"ids"`
	Alone       bool     `json:"alone,omitempty"` // one statement, without a transaction around it
	At          string   `json:"at"`

	words []string // all texts in it
}

// watch is a tracer of pgx that sees every statement of every connection.
type watch struct {
	dir, process string

	mu   sync.Mutex
	open map[*pgx.Conn]*passage
}

type committing struct{}

// TraceQueryStart implements pgx.QueryTracer.
func (w *watch) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	verb, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(data.SQL)), " ")
	verb = strings.TrimSpace(strings.SplitN(verb, "\n", 2)[0])
	w.mu.Lock()
	p := w.open[conn]
	switch verb {
	case "begin":
		w.open[conn] = &passage{Process: w.process}
	case "commit", "rollback":
		delete(w.open, conn)
	}
	w.mu.Unlock()
	switch {
	case p != nil && verb == "commit" && p.Transaction != "":
		return w.ending(ctx, p)
	case p != nil && verb != "commit" && verb != "rollback":
		p.saw(writes(verb) || verb == "with" && withWrites.MatchString(data.SQL), data.Args)
	case p == nil && writes(verb):
		p = &passage{Process: w.process, Alone: true}
		p.saw(true, data.Args)
		return w.ending(ctx, p)
	}
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (w *watch) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	p, ok := ctx.Value(committing{}).(*passage)
	if !ok || data.Err != nil {
		return
	}
	w.record(p)
	w.pass(p, "after")
}

func (w *watch) ending(ctx context.Context, p *passage) context.Context {
	w.pass(p, "before")
	return context.WithValue(ctx, committing{}, p)
}

// withWrites finds the writes that a transaction sends together (later.go).
var withWrites = regexp.MustCompile(`\b(INSERT INTO|DELETE FROM|UPDATE "?\w+"? SET) `)

func writes(verb string) bool { return slices.Contains([]string{"insert", "update", "delete"}, verb) }

var uuidText = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// saw records the ids in a statement. A transaction that only reads has no name, and is not traced.
func (p *passage) saw(writes bool, args []any) {
	for _, arg := range args {
		word := plain(arg)
		if word == "" {
			continue
		}
		p.words = append(p.words, word)
		for _, id := range uuidText.FindAllString(word, -1) {
			if !slices.Contains(p.IDs, id) {
				p.IDs = append(p.IDs, id)
			}
		}
	}
	if !writes {
		return
	}
	methods := callers()
	if n := len(methods); n > 0 {
		p.Transaction = methods[n-1]
		for _, method := range methods[:n-1] {
			if !slices.Contains(p.Within, method) {
				p.Within = append(p.Within, method)
			}
		}
	}
}

func plain(arg any) string {
	switch v := arg.(type) {
	case string:
		return v
	case *string:
		if v != nil {
			return *v
		}
	case []byte:
		return string(v)
	}
	return ""
}

var exported = regexp.MustCompile(`/models/(?:\w+/)*\w+\.(?:\(\*?[A-Z]\w*(?:\[\.\.\.\])?\)\.)?([A-Z]\w*)`)

// acts are the methods of this package that change something on their own. The others are part of every change.
var acts = []string{"Allow", "FoldTallies", "Once", "ReadTo"}

// callers are the exported functions of the packages below models, at any depth, on the stack, the innermost first. Those in every
// change are left out.
func callers() []string {
	var names []string
	pcs := make([]uintptr, 100)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		frame, more := frames.Next()
		if found := exported.FindStringSubmatch(frame.Function); found != nil {
			name, kernel := found[1], strings.Contains(frame.Function, "/models/store.")
			if name != "ChangeOrder" && (!kernel || slices.Contains(acts, name)) && (len(names) == 0 || names[len(names)-1] != name) {
				names = append(names, name)
			}
		}
		if !more {
			return names
		}
	}
}

func (w *watch) record(p *passage) {
	p.At = time.Now().UTC().Format(time.RFC3339Nano)
	line, err := json.Marshal(p)
	if err != nil {
		return
	}
	file, err := os.OpenFile(filepath.Join(w.dir, "trace"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, _ = file.Write(append(line, '\n'))
	_ = file.Close()
}

// pass blocks at a failpoint until it is released, or the process is killed.
func (w *watch) pass(p *passage, moment string) {
	raw, err := os.ReadFile(filepath.Join(w.dir, "armed.json"))
	if err != nil {
		return
	}
	var armed []failpoint
	if json.Unmarshal(raw, &armed) != nil {
		return
	}
	for _, f := range armed {
		if f.Transaction == p.Transaction && f.Process == w.process && f.Moment == moment && p.speaksOf(f.Match) && w.reached(f) {
			w.stop(f.ID)
		}
	}
}

func (p *passage) speaksOf(match string) bool {
	return match == "" || slices.ContainsFunc(p.words, func(word string) bool { return strings.Contains(word, match) })
}

// reached counts a passage, over all processes and their restarts. The file that says where a process stops is also
// what counts this passage: a process that is killed between the two would have passed unseen.
func (w *watch) reached(f failpoint) bool {
	for n := 1; n <= f.Nth; n++ {
		name := strconv.Itoa(n)
		if n == f.Nth {
			name = "stopped"
		}
		file, err := os.OpenFile(filepath.Join(w.dir, f.ID+"."+name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			_ = file.Close()
			return n == f.Nth
		}
	}
	return false
}

func (w *watch) stop(id string) {
	for {
		if _, err := os.Stat(filepath.Join(w.dir, id+".go")); err == nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}
