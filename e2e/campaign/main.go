package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type flags struct {
	seeds  string
	orders int
	only   string
	plan   bool
	brisk  bool
	limit  time.Duration
	logs   bool
	report string
	cover  string

	month bool
	days  int
	data  string
	leave bool
	shots bool
}

// seed is the first of the seeds, for what accepts only one.
func (f flags) seed() uint64 {
	seed, err := strconv.ParseUint(strings.TrimSpace(f.seeds), 10, 64)
	if err != nil {
		return 1
	}
	return seed
}

func main() {
	var f flags
	flag.StringVar(&f.seeds, "seeds", "1", "seeds to run, one after the other, such as 1,2,3")
	flag.IntVar(&f.orders, "orders", 300, "orders of each")
	flag.StringVar(&f.only, "only", "", "try only the recipes, errands and strikes whose names match this expression, and print what became of each order")
	flag.BoolVar(&f.plan, "plan", false, "print what would be tried, and try nothing")
	flag.BoolVar(&f.brisk, "brisk", false, "leave out what takes long")
	flag.DurationVar(&f.limit, "limit", 0, "time for the orders of a seed, and again to lead them to rest (default: 10s an order and 8m)")
	flag.BoolVar(&f.logs, "logs", false, "print what the processes print")
	flag.StringVar(&f.report, "report", "", "write the results into this file, behind its line <!-- results -->")
	flag.StringVar(&f.cover, "coverage", "", "add what was reached to the counts in this file")
	flag.BoolVar(&f.month, "month", false, "live a month of business on the local stack instead, and leave it there")
	flag.IntVar(&f.days, "days", 30, "days of the month")
	flag.StringVar(&f.data, "data", "", "where the month's stack keeps its data (default: the local stack's own)")
	flag.BoolVar(&f.leave, "leave", false, "end when the month is over, instead of keeping it running")
	flag.BoolVar(&f.shots, "pictures", false, "when the month is over, take the pictures of README and docs of it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	begin := run
	if f.month {
		begin = liveMonth
	}
	if err := begin(ctx, f, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:gocritic // stop only unregisters signals
	}
}

func run(ctx context.Context, f flags, out io.Writer) error {
	var results []Result
	violations := 0
	pattern, err := regexp.Compile(f.only)
	if err != nil {
		return err
	}
	for text := range strings.SplitSeq(f.seeds, ",") {
		seed, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not a seed", text)
		}
		plan := NewPlan(seed, f.orders, f.brisk)
		if f.only != "" {
			plan.only(pattern)
		}
		if f.plan {
			if err := plan.print(out); err != nil {
				return err
			}
			continue
		}
		result, err := wage(ctx, plan, f, out)
		if err != nil {
			return err
		}
		result.print(out)
		results = append(results, result)
		violations += len(result.Violations)
	}
	if f.report != "" && len(results) > 0 {
		if err := writeReport(f.report, results); err != nil {
			return err
		}
	}
	if f.cover != "" && len(results) > 0 {
		if err := writeCoverage(f.cover, results); err != nil {
			return err
		}
	}
	if violations > 0 {
		return errors.New("something was lost, doubled or told wrongly: see above")
	}
	return nil
}

// wage runs one plan in a cluster of its own, and checks what it left behind.
func wage(ctx context.Context, plan Plan, f flags, out io.Writer) (Result, error) {
	begun := time.Now()
	logs := io.Discard
	if f.logs {
		logs = out
	}
	fmt.Fprintf(out, "%s seed %d: %d orders; the stack starts\n", begun.Format("15:04:05"), plan.Seed, len(plan.Orders))
	t, leave, err := startCluster(ctx, out, logs)
	if err != nil {
		return Result{}, err
	}
	defer leave()
	limit := f.limit
	if limit == 0 {
		limit = 8*time.Minute + time.Duration(len(plan.Orders))*10*time.Second
	}
	c := &campaign{cluster: t, plan: plan, limit: limit, slots: make(chan struct{}, scenariosAtOnce)}
	facts, err := c.run(ctx)
	if err != nil {
		return Result{}, err
	}
	c.noteRecipes()
	result := Result{Plan: plan, Facts: facts, Counts: t.counts, Struck: struckBy(t.struck), Reasons: c.reasons}
	violations := slices.Concat(c.early, Check(facts), result.missed())
	for _, v := range violations {
		t.explain(v.Order)
	}
	if f.only != "" {
		for _, l := range c.lives {
			fmt.Fprintf(out, "%d %s\n", l.plan.N, l.plan.Recipe)
			t.explain(l.id)
		}
	}
	result.Violations, result.Took = violations, time.Since(begun)
	return result, nil
}

// explain says what an order went through.
func (t *cluster) explain(order string) {
	if order == "" {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	found, err := t.database.Query(ctx, `
		SELECT at, 'event ' || kind || ' (' || status || ') ' || data::text FROM order_events WHERE order_id::text = $1
		UNION ALL SELECT created_at, 'decision ' || kind || ': ' || coalesce(outcome, 'open') || ' ' || coalesce(outcome_code, '') FROM decisions WHERE order_id::text = $1
		UNION ALL SELECT received_at, 'notice ' || type || CASE WHEN handled_at IS NULL THEN ' (open)' ELSE '' END FROM webhook_inbox WHERE order_id::text = $1
		UNION ALL SELECT updated_at, 'now ' || status || ', waits for ' || coalesce(attention_reason, 'nothing') || ', last error ' || coalesce(last_error, 'none')
			FROM orders WHERE id::text = $1 ORDER BY 1`, order)
	if err != nil {
		return
	}
	defer found.Close()
	for found.Next() {
		var at time.Time
		var what string
		if found.Scan(&at, &what) == nil {
			fmt.Fprintf(t.out, "  %s %s %s\n", order, at.Format("02 15:04:05.000"), what)
		}
	}
}

const mark = "<!-- results -->\n"

// writeReport replaces what stands behind the mark.
func writeReport(path string, results []Result) error {
	was, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, _, found := strings.Cut(string(was), mark)
	if !found {
		return fmt.Errorf("%s has no line %s", path, strings.TrimSpace(mark))
	}
	var text strings.Builder
	text.WriteString(head + mark + "\n")
	fmt.Fprintf(&text, "Run on %s.\n\n", time.Now().UTC().Format("2 January 2006"))
	for _, r := range results {
		r.markdown(&text)
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}
