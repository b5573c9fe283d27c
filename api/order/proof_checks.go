package order

import (
	"fmt"
	"strings"
	"time"

	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	"github.com/tradepost/tradepost/internal/version"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
)

// ReplayReport is replay.json: whether the running build would have executed the steps of
// the histories.
type ReplayReport struct {
	Build    string       `json:"build"`
	Temporal string       `json:"temporal"`
	Verdict  string       `json:"verdict"` // replays, differs, or no history
	Runs     []replayedAs `json:"runs"`
}

type replayedAs struct {
	File       string     `json:"file"`
	WorkflowID string     `json:"workflowId"`
	RunID      string     `json:"runId"`
	Type       string     `json:"type"`
	Events     int        `json:"events"`
	StartedAt  time.Time  `json:"startedAt"`
	ClosedAt   *time.Time `json:"closedAt"` // null: it still runs
	Verdict    string     `json:"verdict"`
	Detail     string     `json:"detail,omitempty"`
}

const longestDetail = 600

// replayed replays each history on this build.
func (h *Handlers) replayed(runs []order.History) ReplayReport {
	report := ReplayReport{Build: version.String(), Verdict: "no history", Runs: []replayedAs{}}
	for i := range runs {
		run := &runs[i]
		as := replayedAs{File: historyFile(run), WorkflowID: run.WorkflowID, RunID: run.RunID, Type: run.WorkflowType, Events: run.Events,
			StartedAt: run.StartedAt, ClosedAt: run.ClosedAt, Verdict: "replays"}
		text, err := run.JSON()
		if err == nil {
			err = h.Replay(text)
		}
		if err != nil {
			as.Verdict, as.Detail = "differs", err.Error()
			as.Detail = strings.ToValidUTF8(as.Detail[:min(len(as.Detail), longestDetail)], "")
		}
		if report.Verdict != "differs" {
			report.Verdict = as.Verdict
		}
		report.Runs = append(report.Runs, as)
	}
	return report
}

// booked is postings.json: the postings, what they leave on each account, and
// what the ledger's table (docs/ledger.md) demands of that.
type booked struct {
	Postings []ledgerapi.LedgerPosting    `json:"postings"`
	Accounts map[string]map[string]string `json:"accounts"` // what came in less what went out, by currency
	Checks   []bookCheck                  `json:"checks"`
}

type bookCheck struct {
	What string `json:"what"`
	OK   bool   `json:"ok"`
}

// passing are the accounts that an order only passes through: once it has
// ended, nothing of it is left there.
func passing(network string) []string {
	return []string{ledger.AccountPrepaid, ledger.AccountConversion, ledger.ReservedAccount(network)}
}

// proofPostings derives an order's books from its postings.
func proofPostings(o *AdminOrderDetail) booked {
	left := map[string]map[string]money.Units{}
	move := func(account, currency string, by money.Units) {
		if left[account] == nil {
			left[account] = map[string]money.Units{}
		}
		left[account][currency] = left[account][currency].Add(by)
	}
	sums, sound := map[string]money.Units{}, true
	for _, p := range o.Postings {
		amount, err := money.Currency(p.Currency).Parse(p.Amount)
		sound = sound && err == nil && amount.Sign() > 0 && p.From != p.To
		move(p.From, p.Currency, amount.Neg())
		move(p.To, p.Currency, amount)
	}
	out := booked{Postings: o.Postings, Accounts: map[string]map[string]string{}}
	for account, by := range left {
		out.Accounts[account] = map[string]string{}
		for currency, units := range by {
			out.Accounts[account][currency] = money.Currency(currency).Format(units)
			sums[currency] = sums[currency].Add(units)
		}
	}
	for _, sum := range sums {
		sound = sound && sum.IsZero()
	}
	out.Checks = []bookCheck{{"every posting has two sides, and every currency sums to zero", sound}}
	if ended := o.Status == string(order.StatusSent) || o.Metadata.Resolution != nil; !ended {
		return out
	}
	for _, account := range passing(o.Network) {
		zero := true
		for _, units := range left[account] {
			zero = zero && units.IsZero()
		}
		out.Checks = append(out.Checks, bookCheck{"the order has ended, and " + account + " holds nothing of it", zero})
	}
	return out
}

// proofText is README.txt: what is in the pack and what was left out of it, what it proves, and what it does not.
func proofText(brand string, order *AdminOrderDetail, verdict ReplayReport, now time.Time, parts, leftOut []proofPart) string {
	var in, out strings.Builder
	for _, part := range parts {
		fmt.Fprintf(&in, "  %-15s %s\n", part.name, part.holds)
	}
	for _, part := range leftOut {
		fmt.Fprintf(&out, "  %-15s who asked for this pack has no permission to read it (%s)\n", part.name, part.permission)
	}
	if len(leftOut) == 0 {
		out.WriteString("  nothing\n")
	}
	return fmt.Sprintf(`%s, order %s (%s)
Made at %s by build %s.

WHAT IS IN HERE
%s  history/        the histories of its workflows, as Temporal wrote them (its JSON form:
                  "temporal workflow show --output json" and the SDKs read the same)
  replay.json     whether this build, given each history, takes the same steps.
                  Here: %s. Temporal was %s.

WHAT WAS LEFT OUT
%s
WHAT IT PROVES
  - That the steps in the histories follow from the program's code as it runs today, if the
    verdict is "replays": nobody can have left a step out or put one in and still have the
    code agree. ("differs" means that the code has changed since, or the history has.)
  - That the books of the order balance, if the checks in postings.json say so.
  - Which identity each effect had. A provider that keeps to its own rules carries out one
    identity once; with it and the reference anybody who has access there can look it up.

WHAT IT DOES NOT PROVE
  - That the providers did what calls.json says. That is our record of their answers: ask them.
  - That the rows were not changed by who owns the database. The application's own role cannot
    change events, postings, audit entries and kept histories; the owner of the database can.
    Nothing in here is signed.
  - That a history is whole because it replays: a run that still goes on is here as far as it
    has come, and one that Temporal forgot before it was kept is missing.
  - What the results of the steps were worth. Replay repeats the decisions of the workflow with
    the recorded results; it does not ask providers or the database again.
  - Earlier generations of a payment page, a capture or a release of a hold: calls.json has the last.
`, brand, order.Reference, order.ID, now.UTC().Format(time.RFC3339), verdict.Build, in.String(), verdict.Verdict, verdict.Temporal, out.String())
}
