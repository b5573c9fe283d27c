package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tradepost/tradepost/internal/local/build"
)

// looked is the result of Lighthouse for a page: its scores out of a hundred, the checks that cost points, and three
// times.
type looked struct {
	Scores        map[string]int
	Failed        []string
	LCP, TBT, CLS float64
	Error         string
}

// leaf is a page to be audited, with the lower bound of each score. A score without a bound is reported without a
// target: search engines do not index pages behind a sign-in.
type leaf struct {
	path, form string
	who        *person
	targets    map[string]int
}

func (h *platform) leaves() []leaf {
	open := func(performance int) map[string]int {
		return map[string]int{"performance": performance, "accessibility": 100, "best-practices": 96, "seo": 100}
	}
	own := map[string]int{"performance": 90, "accessibility": 100, "best-practices": 96}
	return []leaf{
		{"/", "mobile", nil, open(95)},
		{"/pricing", "mobile", nil, open(90)},
		{"/dashboard", "mobile", h.customers[0], own},
		{"/buy", "mobile", h.customers[0], own},
		{"/admin/orders", "desktop", h.admin, own},
	}
}

// lighthouseRuns is the number of audits of a page; the median counts.
const lighthouseRuns = 3

// measureLighthouse audits pages as a phone on a slow connection loads them. Lighthouse is a package of its own that no
// other tool needs.
func (h *platform) measureLighthouse(ctx context.Context, _ plan, r *report) error {
	root, err := build.Root()
	if err != nil {
		return err
	}
	folder := filepath.Join(root, "bench", "lighthouse")
	install := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = folder
	if said, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci in %s: %w\n%s", folder, err, said)
	}
	for _, page := range h.leaves() {
		seen := make([]looked, 0, lighthouseRuns)
		for range lighthouseRuns {
			one, err := h.audit(ctx, folder, page)
			if err != nil {
				return fmt.Errorf("%s: %w", page.path, err)
			}
			seen = append(seen, one)
		}
		page.writeTo(r, seen)
	}
	return nil
}

// audit is one audit of a page.
func (h *platform) audit(ctx context.Context, folder string, page leaf) (found looked, err error) {
	args := []string{"run.mjs", h.stack.SiteURL() + page.path, page.form}
	if page.who != nil {
		args = append(args, page.who.cookie)
	}
	node := exec.CommandContext(ctx, "node", args...) //nolint:gosec // our own program
	node.Dir = folder
	var complaint bytes.Buffer
	node.Stderr = &complaint
	said, err := node.Output()
	if err != nil {
		return found, fmt.Errorf("%w\n%s", err, complaint.String())
	}
	if err := json.Unmarshal(said, &found); err != nil {
		return found, err
	}
	if found.Error != "" {
		return found, errors.New(found.Error)
	}
	return found, nil
}

// writeTo reports a page's scores, each the median of all audits.
func (l leaf) writeTo(r *report, seen []looked) {
	for _, name := range []string{"performance", "accessibility", "best-practices", "seo"} {
		what := fmt.Sprintf("%s (%s): %s", l.path, l.form, name)
		score := median(of(seen, func(one looked) float64 { return float64(one.Scores[name]) }))
		if least, wanted := l.targets[name]; wanted {
			r.atLeast("lighthouse", what, score, float64(least))
		} else {
			r.note("lighthouse", what, fmt.Sprintf("%.0f", score))
		}
	}
	r.note("lighthouse", fmt.Sprintf("%s (%s): largest paint, time blocked, shift of the layout", l.path, l.form),
		fmt.Sprintf("%.1f s, %.0f ms, %.3f", median(of(seen, func(one looked) float64 { return one.LCP }))/1000,
			median(of(seen, func(one looked) float64 { return one.TBT })), median(of(seen, func(one looked) float64 { return one.CLS }))))
	if last := seen[len(seen)-1]; len(last.Failed) > 0 {
		r.note("lighthouse", l.path+": what cost points", strings.Join(last.Failed, ", "))
	}
}

// of is one figure of each audit.
func of(seen []looked, figure func(looked) float64) []float64 {
	all := make([]float64, len(seen))
	for i, one := range seen {
		all[i] = figure(one)
	}
	return all
}
