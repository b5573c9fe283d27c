package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Coverage counts what campaigns reached, summed over the seeds that were run with
// REPORT=1. Its file is committed, so that a test says what no seed ever reached.
type Coverage struct {
	Seeds      []uint64       `json:"seeds"`
	Decisions  map[string]int `json:"decisions"`
	Events     map[string]int `json:"events"`
	Situations map[string]int `json:"situations"`
	Pairs      map[string]int `json:"pairs"` // status before an event, and the event
	Cases      map[string]int `json:"cases"` // events of what is no order
	Acts       map[string]int `json:"acts"`  // decisions and proposals about it, and how they stand
	Rails      map[string]int `json:"rails"`
	Moves      map[string]int `json:"moves"` // what people did, beside decisions
}

func newCoverage() Coverage {
	return Coverage{Decisions: map[string]int{}, Events: map[string]int{}, Situations: map[string]int{}, Pairs: map[string]int{}, Cases: map[string]int{},
		Acts: map[string]int{}, Rails: map[string]int{}, Moves: map[string]int{}}
}

// coverage is what one campaign reached, by its facts.
func (r Result) coverage() Coverage {
	c := newCoverage()
	c.Seeds = []uint64{r.Plan.Seed}
	for _, d := range r.Facts.Decisions {
		c.Decisions[d.Kind]++
	}
	for _, e := range r.Facts.CaseEvents {
		c.Cases[e.Case+" "+e.Kind]++
	}
	for _, a := range r.Facts.Acts {
		c.Acts[a.About+" "+a.Kind+" "+a.Status]++
	}
	for _, o := range r.Facts.Orders {
		c.Rails[o.PaymentMethod]++
	}
	for _, name := range []string{"errands ", "asides ", "strikes ", "proposals ", "receipts ", "pressed ", "payouts ", "money ", "refunds ", "second approvals ", "friends' ", "credits "} {
		for what, n := range r.Counts {
			if strings.HasPrefix(what, name) {
				c.Moves[what] += n
			}
		}
	}
	before := map[string]string{}
	for _, e := range r.Facts.Events {
		c.Events[e.Kind]++
		c.Pairs[before[e.OrderID]+" "+e.Kind]++
		c.Situations[situationOf(e)]++
		before[e.OrderID] = e.Status
	}
	return c
}

// situationOf names where an order stands after an event: its status, and what it
// waits for when the event says so.
func situationOf(e EventFact) string {
	var data struct{ Reason string }
	if e.Kind == "attention" && json.Unmarshal([]byte(e.Data), &data) == nil && data.Reason != "" {
		return e.Status + " " + data.Reason
	}
	if asked, is := map[string]string{"money_short": "money_short", "money_over": "money_over", "money_late": "money_late", "under_review": "risk_review"}[e.Kind]; is {
		return e.Status + " " + asked
	}
	return e.Status
}

// counts are the tables of a coverage, by name.
func (c Coverage) counts() map[string]map[string]int {
	return map[string]map[string]int{"decisions": c.Decisions, "events": c.Events, "situations": c.Situations, "pairs": c.Pairs, "cases": c.Cases,
		"acts": c.Acts, "rails": c.Rails, "moves": c.Moves}
}

// add sums another one up. A seed that was counted before counts again: it does not
// reach less by it.
func (c *Coverage) add(other Coverage) {
	for _, seed := range other.Seeds {
		if !slices.Contains(c.Seeds, seed) {
			c.Seeds = append(c.Seeds, seed)
		}
	}
	slices.Sort(c.Seeds)
	into := c.counts()
	for table, counts := range other.counts() {
		for what, n := range counts {
			into[table][what] += n
		}
	}
}

func readCoverage(path string) (Coverage, error) {
	c := newCoverage()
	raw, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(raw, &c)
}

// writeCoverage adds what was reached to the file.
func writeCoverage(path string, results []Result) error {
	c, err := readCoverage(path)
	if err != nil {
		return err
	}
	for _, r := range results {
		c.add(r.coverage())
	}
	raw, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o644)
}

// pairsMet are the events that orders met in each status.
func (c Coverage) pairsMet() (met []group) {
	byStatus := map[string][]string{}
	for _, pair := range slices.Sorted(maps.Keys(c.Pairs)) {
		status, event, _ := strings.Cut(pair, " ")
		if status == "" {
			continue // before it was made
		}
		byStatus[status] = append(byStatus[status], fmt.Sprintf("%s %d", event, c.Pairs[pair]))
	}
	for _, status := range slices.Sorted(maps.Keys(byStatus)) {
		met = append(met, group{"events while " + status, byStatus[status]})
	}
	return met
}
