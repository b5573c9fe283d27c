package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// report is the table of results.
type report struct{ lines []line }

// line is one measurement: what, ours, the bare one's, how they compare, and the target.
type line struct {
	part, what, ours, bare, result, target string
	met                                    *bool
}

func newReport() *report { return &report{} }

// ratio notes a rate, which is better the higher its share of the bare one's.
func (r *report) ratio(part, what string, ours, bare, ratio, least float64, unit string) {
	met := ratio >= least
	r.lines = append(r.lines, line{part, what, fmt.Sprintf("%.0f%s", ours, unit), fmt.Sprintf("%.0f%s", bare, unit), fmt.Sprintf("%.2f", ratio), fmt.Sprintf("≥ %.1f", least), &met})
	r.last()
}

// atMost notes a figure that should stay under a limit.
func (r *report) atMost(part, what, ours, bare string, figure, most float64, unit string) {
	met := figure <= most
	r.lines = append(r.lines, line{part, what, ours, bare, fmt.Sprintf("%.2f%s", figure, unit), fmt.Sprintf("≤ %g%s", most, unit), &met})
	r.last()
}

// atLeast notes a score that should reach a mark.
func (r *report) atLeast(part, what string, score, least float64) {
	met := score >= least
	r.lines = append(r.lines, line{part: part, what: what, ours: fmt.Sprintf("%.0f", score), target: fmt.Sprintf("≥ %.0f", least), met: &met})
	r.last()
}

// note notes a figure without a target.
func (r *report) note(part, what, ours string) {
	r.lines = append(r.lines, line{part: part, what: what, ours: ours})
	r.last()
}

func (r *report) last() {
	l := r.lines[len(r.lines)-1]
	fmt.Printf("· %s: %s  %s  %s  %s %s\n", l.part, l.what, l.ours, l.bare, l.result, l.verdict())
}

func (l line) verdict() string {
	switch {
	case l.met == nil:
		return ""
	case *l.met:
		return "met"
	}
	return "missed"
}

// table is the report as a Markdown table.
func (r *report) table() string {
	var out strings.Builder
	out.WriteString("| part | what | ours | bare | result | target | |\n|---|---|---|---|---|---|---|\n")
	for _, l := range r.lines {
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s | %s | %s |\n", l.part, l.what, l.ours, l.bare, l.result, l.target, l.verdict())
	}
	return out.String()
}

// into replaces the result in a page, between two lines with the result's name: a
// first start is measured by itself and leaves the rest as it is. Without a page
// nothing is written.
func (r *report) into(path, name string) error {
	if path == "" {
		return nil
	}
	begins, ends := "<!-- "+name+" -->", "<!-- end of "+name+" -->"
	page, err := os.ReadFile(path) //nolint:gosec // the page is named on the command line
	if err != nil {
		return err
	}
	before, rest, found := bytes.Cut(page, []byte(begins))
	_, after, complete := bytes.Cut(rest, []byte(ends))
	if !found || !complete {
		return fmt.Errorf("%s has no lines %q and %q", path, begins, ends)
	}
	result := fmt.Sprintf("%s%s\n\nMeasured on %s, %d processors.\n\n%s\n%s%s", before, begins,
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), r.table(), ends, after)
	return os.WriteFile(path, []byte(result), 0o644) //nolint:gosec // a page of the documentation
}

// median is the middle of some figures.
func median(figures []float64) float64 {
	sorted := slices.Sorted(slices.Values(figures))
	if len(sorted) == 0 {
		return 0
	}
	middle := len(sorted) / 2
	if len(sorted)%2 == 0 {
		return (sorted[middle-1] + sorted[middle]) / 2
	}
	return sorted[middle]
}

// percentile of some times, p of 100.
func percentile(times []time.Duration, p int) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)*p/100, len(sorted)-1)]
}

// ms writes a time in milliseconds.
func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }
