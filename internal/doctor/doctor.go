// Package doctor checks everything that an installation needs before its first customer:
// credentials and what they may do, webhooks, storage, mail, names, certificates, clocks,
// the database, Temporal, prices and wallets. It reports in plain words what is wrong and
// how to correct it.
//
// Invariants:
//
//   - A check moves no money and changes nothing that outlives it. What it sends or stores
//     on purpose (a test mail, a webhook that BitGo simulates) needs an option.
//   - No finding shows a secret, whatever the provider answered.
//   - A check that panics, or does not end in time, is a fault of its own, and delays no
//     other.
//   - What is not configured in this process is skipped, and named.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Level is how a finding is meant.
type Level string

// The levels.
const (
	OK      Level = "ok"
	Skipped Level = "skipped"
	Warning Level = "warning"
	Fault   Level = "fault"
)

// weights order the levels: a check is as bad as the worst of its findings.
var weights = map[Level]int{OK: 0, Skipped: 1, Warning: 2, Fault: 3}

// Finding is one thing that a check found. ID is a stable code for programs.
type Finding struct {
	ID    string `json:"id"`
	Level Level  `json:"level"`
	Says  string `json:"says"`
	Do    string `json:"do,omitempty"`

	// cause names what findings of several checks have in common: they are one fault, of the first of them.
	cause string
}

// Check examines one subject.
type Check struct {
	// Name is subject.what, such as stripe.key.
	Name string
	// Looks describes the subject, for people.
	Looks string
	// Run answers what it found; nothing is that all is well.
	Run func(ctx context.Context) []Finding
}

// Result is a check's result.
type Result struct {
	Check    string    `json:"check"`
	Looks    string    `json:"looks"`
	Level    Level     `json:"level"`
	Findings []Finding `json:"findings"`
}

// Report is all results, in the order of the checks.
type Report struct {
	Results  []Result `json:"results"`
	Faults   int      `json:"faults"`
	Warnings int      `json:"warnings"`
}

// patience is how long one check may run.
const patience = 30 * time.Second

// ofCheck is the advice about a check that did not end in time.
const ofCheck = "Run it alone with --only and look at the network between here and what it asks; if it stays so, report it."

// run runs checks side by side; each has limit, and redacts secrets in its findings.
func run(ctx context.Context, checks []Check, limit time.Duration, secrets []string) Report {
	results := make([]Result, len(checks))
	var all sync.WaitGroup
	for i, c := range checks {
		all.Go(func() { results[i] = c.result(ctx, limit, secrets) })
	}
	all.Wait()
	onceEach(results)
	report := Report{Results: results}
	for _, r := range results {
		for _, f := range r.Findings {
			switch f.Level {
			case Fault:
				report.Faults++
			case Warning:
				report.Warnings++
			}
		}
	}
	return report
}

// onceEach leaves a fault that several checks met to the first of them; the others name it.
func onceEach(results []Result) {
	first := map[string]string{}
	for i := range results {
		r := &results[i]
		for j, f := range r.Findings {
			if f.cause == "" || f.Level != Fault {
				continue
			}
			if said, there := first[f.cause]; there && said != r.Check {
				r.Findings[j] = skipped("%s says why it cannot be looked at", said)[0]
			} else {
				first[f.cause] = r.Check
			}
		}
		r.Level = worst(r.Findings)
	}
}

// worst is the level of a check with these findings.
func worst(found []Finding) Level {
	level := OK
	for _, f := range found {
		if weights[f.Level] > weights[level] {
			level = f.Level
		}
	}
	return level
}

// result runs one check. One that ignores its deadline is left behind.
func (c Check) result(ctx context.Context, limit time.Duration, secrets []string) Result {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan []Finding, 1)
	go func() { done <- c.guarded(ctx) }()
	var found []Finding
	select {
	case found = <-done:
	case <-ctx.Done():
		found = []Finding{{ID: "check_timed_out", Level: Fault, Says: fmt.Sprintf("the check did not end within %s", limit), Do: ofCheck}}
	}
	out := Result{Check: c.Name, Looks: c.Looks, Level: worst(found), Findings: []Finding{}}
	for _, f := range found {
		f.Says, f.Do = clean(f.Says, secrets), clean(f.Do, secrets)
		out.Findings = append(out.Findings, f)
	}
	slices.SortStableFunc(out.Findings, func(a, b Finding) int { return cmp.Compare(weights[b.Level], weights[a.Level]) })
	return out
}

func (c Check) guarded(ctx context.Context) (found []Finding) {
	defer func() {
		if why := recover(); why != nil {
			found = []Finding{{ID: "check_panicked", Level: Fault, Says: fmt.Sprintf("the check itself failed: %v", why), Do: ofCheck}}
		}
	}()
	return c.Run(ctx)
}

// shortest is the length of the shortest value that is struck out.
const shortest = 6

// clean strikes secrets out of a text, and makes it one line.
func clean(text string, secrets []string) string {
	for _, secret := range secrets {
		if len(secret) >= shortest {
			text = strings.ReplaceAll(text, secret, "[redacted]")
		}
	}
	return strings.Join(strings.Fields(text), " ")
}

// wrong is a fault: what is wrong, and what to do.
func wrong(id, do, format string, args ...any) Finding {
	return Finding{ID: id, Level: Fault, Says: fmt.Sprintf(format, args...), Do: do}
}

// because marks a fault that other checks meet as well, by what it comes of.
func (f Finding) because(cause string) Finding {
	f.cause = cause
	return f
}

// doubtful is a warning.
func doubtful(id, do, format string, args ...any) Finding {
	return Finding{ID: id, Level: Warning, Says: fmt.Sprintf(format, args...), Do: do}
}

// well is a note that a subject was checked.
func well(id, format string, args ...any) Finding {
	return Finding{ID: id, Level: OK, Says: fmt.Sprintf(format, args...)}
}

// skipped is why a check was not made.
func skipped(format string, args ...any) []Finding {
	return []Finding{{ID: "skipped", Level: Skipped, Says: fmt.Sprintf(format, args...)}}
}
