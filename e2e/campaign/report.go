package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// Result is how a campaign went.
type Result struct {
	Plan       Plan
	Facts      *Facts
	Violations []Violation
	Counts     map[string]int
	Struck     map[string]int // provider, operation and code
	Took       time.Duration
	Reasons    map[string]string // why what was planned did not happen, by recipe, scenario or strike
}

// print writes a line a violation, the counts, and the seed.
func (r Result) print(w io.Writer) {
	for _, v := range r.Violations {
		fmt.Fprintln(w, v)
	}
	for _, group := range r.groups() {
		fmt.Fprintf(w, "%-29s %s\n", group.name, strings.Join(group.counts, ", "))
	}
	r.printQuota(w)
	fmt.Fprintf(w, "seed %d, %d orders, %s: %d violations\n", r.Plan.Seed, len(r.Plan.Orders), r.Took.Round(time.Second), len(r.Violations))
}

type group struct {
	name   string
	counts []string
}

// groups are the counts, by what they are about.
func (r Result) groups() []group {
	ends, rails, decisions, hooks, mails, events := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for _, o := range r.Facts.Orders {
		end := o.Status
		if o.Resolution != nil {
			end = *o.Resolution
		}
		ends[end]++
		rails[o.PaymentMethod]++
	}
	for _, d := range r.Facts.Decisions {
		decisions[d.Kind]++
	}
	for _, h := range r.Facts.Hooks {
		hooks[h.Provider]++
	}
	for _, m := range r.Facts.Mails {
		mails[m.Kind]++
	}
	for _, e := range r.Facts.Events {
		if slices.Contains([]string{"attempt_failed", "attention", "failed", "choice_offered", "money_short", "money_over", "money_late", "price_waiting", "refunded_in_part", "dispute_opened"}, e.Kind) {
			events[e.Kind]++
		}
	}
	return append([]group{
		{"orders by end", listed(ends)}, {"by rail", listed(rails)}, {"faults that struck", listed(r.Struck)}, {"what went wrong", listed(events)},
		{"decisions", listed(decisions)}, {"notices taken in", listed(hooks)}, {"mails", listed(mails)}, {"people and strikes", listed(r.Counts)},
	}, r.coverage().pairsMet()...)
}

// listed writes counts, the largest first.
func listed(counts map[string]int) []string {
	names := slices.Collect(maps.Keys(counts))
	slices.SortFunc(names, func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, counts[name])
	}
	return names
}

// struckBy counts the faults that struck, by operation and kind.
func struckBy(struck map[string]Fault) map[string]int {
	sums := map[string]int{}
	for _, f := range struck {
		code, _, _ := strings.Cut(f.Code, ":")
		sums[f.Provider+"/"+f.Operation+" "+code]++
	}
	return sums
}

// markdown is the section of docs/campaign.md that is written by a run.
func (r Result) markdown(w io.Writer) {
	fmt.Fprintf(w, "### Seed %d\n\n%d orders of %d customers, %d strikes, %s: **%d violations**.\n\n", r.Plan.Seed, len(r.Plan.Orders), r.Plan.Customers,
		len(r.Plan.Strikes), r.Took.Round(time.Second), len(r.Violations))
	for _, v := range r.Violations {
		fmt.Fprintf(w, "- %s\n", v)
	}
	fmt.Fprint(w, "| what | counts |\n|---|---|\n")
	for _, group := range r.groups() {
		fmt.Fprintf(w, "| %s | %s |\n", group.name, strings.Join(group.counts, ", "))
	}
	fmt.Fprintln(w)
}
