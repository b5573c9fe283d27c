package api

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/money"
)

// sequences lists the outcome of each source followed by each exit, by who takes the two actions: the committed table.
const sequences = "testdata/sequences.txt"

// The columns of the table. The first is who made the statement of the source.
const (
	byOne         = "one person"
	byAccounts    = "one person, two accounts"
	byTwo         = "two people"
	byApproval    = "one person, approving another's proposal"
	byApprovals   = "one person, two accounts, approving another's proposal"
	byThree       = "three people"
	bySecond      = "the second of two who stated it"
	demotedSelf   = "the first, demoted since"
	demotedAlias  = "one person, two accounts, the first demoted since"
	demotedOther  = "two people, the first demoted since"
	frozenSelf    = "the first, frozen since"
	frozenOther   = "two people, the first frozen since"
	afterSecond   = "one person, seconded"
	afterRelease  = "one person, after another released value"
	laterSelf     = "one person, 31 days later"
	laterAccounts = "one person, two accounts, 31 days later"
)

// sequenceColumns is the columns' order.
var sequenceColumns = []string{byOne, byAccounts, byTwo, byApproval, byApprovals, byThree, bySecond, demotedSelf, demotedAlias, demotedOther,
	frozenSelf, frozenOther, afterSecond, afterRelease, laterSelf, laterAccounts}

// sequenceCells are the outcomes by source, exit and column.
type sequenceCells map[string]map[string]map[string]string

func (s sequenceCells) put(from, to, column, outcome string) {
	if s[from] == nil {
		s[from] = map[string]map[string]string{}
	}
	if s[from][to] == nil {
		s[from][to] = map[string]string{}
	}
	s[from][to][column] = outcome
}

// add takes over another part's outcomes.
func (s sequenceCells) add(other sequenceCells) {
	for from, rows := range other {
		for to, columns := range rows {
			for column, outcome := range columns {
				s.put(from, to, column, outcome)
			}
		}
	}
}

// stated is the row of a source itself.
const stated = "stated by one person"

// scene is one customer, and the staff around them, with the statement of a source.
type scene struct {
	*cast
	name   string
	from   source
	cells  sequenceCells
	roles  []string          // of the first person
	made   string            // the object of a statement that pays no order
	orders map[string]string // the orders that statements paid, by exit
}

// sequenceServer is a server whose decisions about money are executed on the rows.
func sequenceServer(t *testing.T, change ...func(*Dependencies)) *testServer {
	h := openVault(t, append(change, unscaled, func(d *Dependencies) {
		d.RefundTwoAbove, d.CreditTwoAbove, d.PayoutTwoAbove, d.Vouchers.Limits.Alone = sequenceAlone, sequenceAlone, sequenceAlone, money.FromInt(voucherAlone*100)
	})...)
	h.exec(`UPDATE risk_rules SET enabled = false`) // one customer has many orders to one address here
	h.byRows()
	return h
}

// newScene prepares a customer with proved money on their balance and the staff for a source; every person is new.
func (h *testServer) newScene(name string, cells sequenceCells, roles ...string) *scene {
	h.Helper()
	h.price("50000")
	c := &cast{testServer: h, v: h.rich(20_000_000), first: h.customer(roles...), other: h.customer("admin"), boss: h.customer("admin")}
	c.alias = h.spelled(c.first, roles...)
	h.exec(`UPDATE kyc_records SET level = 'enhanced' WHERE user_id = $1`, c.v.userID) // its limits are high
	return &scene{cast: c, name: name, from: sources[name], cells: cells, roles: roles, orders: map[string]string{}}
}

// state has the first person make the statement, and another one agree if it takes two. It returns the outcome of the
// statement alone, and the order that it pays or its own id.
func (s *scene) state() (outcome, id string) {
	s.Helper()
	id = s.from.make(s.cast, false)
	said := s.from.press(s.cast, s.first, id)
	outcome = s.verdict(s.from.act, id, 0, said)
	if outcome == "waits" && s.from.agree != nil {
		s.from.agree(s.cast, s.other, id, said).is(http.StatusOK)
		require.Equal(s, "done", s.verdict(s.from.act, id, 0, said), s.name)
	}
	if s.cells[s.name][stated] == nil {
		s.put(stated, byOne, outcome)
	}
	if s.from.paid != nil {
		id = s.from.paid(s.cast, id)
	}
	return outcome, id
}

func (s *scene) put(to, column, outcome string) { s.cells.put(s.name, to, column, outcome) }

// verdict is the outcome of an action whose effects were counted before.
func (s *scene) verdict(a act, id string, before int, said *answer) string {
	switch {
	case one[int](s.testServer, a.done, id) > before:
		return "done"
	case said.status >= http.StatusBadRequest:
		return "rejected " + cmp.Or(said.text("code"), fmt.Sprint(said.status))
	}
	return "waits"
}

// object is what value leaves by in an exit.
func (s *scene) object(name string) string {
	s.Helper()
	x := exits[name]
	s.price("50000") // it is valid for a minute
	s.exec(`UPDATE users SET closed_at = NULL WHERE id = $1`, s.v.userID)
	s.exec(`UPDATE payouts SET status = 'cancelled' WHERE user_id = $1 AND status IN ('requested', 'approved')`, s.v.userID) // five at a time
	switch {
	case s.from.into == onVoucher || s.from.into == onBatch:
		return s.made
	case x.order == nil:
		return x.make(s.cast, x.large)
	case s.orders[name] != "":
		id := s.orders[name]
		delete(s.orders, name)
		return x.order(s.cast, id)
	case s.from.into == onOrder:
		_, id := s.state()
		return x.order(s.cast, id)
	}
	return x.order(s.cast, s.buysCoin("balance", map[bool]string{false: smallCoin, true: largeCoin}[x.large]))
}

// attempt is one person's action on an object.
type attempt struct {
	s       *scene
	x       exit
	id      string
	before  int
	outcome string
	said    *answer
}

// attempt has a person take the exit.
func (s *scene) attempt(name string, who *visitor, id string) *attempt {
	s.Helper()
	x := exits[name]
	try := &attempt{s: s, x: x, id: id, before: one[int](s.testServer, x.done, id)}
	try.said = x.press(s.cast, who, id)
	try.outcome = s.verdict(x.act, id, try.before, try.said)
	return try
}

// rejected reports whether the person was refused.
func (a *attempt) rejected() bool { return strings.HasPrefix(a.outcome, "rejected ") }

// approved has another person approve what waits, and returns the outcome.
func (a *attempt) approved(who *visitor) string {
	a.s.Helper()
	return a.s.verdict(a.x.act, a.id, a.before, a.x.agree(a.s.cast, who, a.id, a.said))
}

// complete has a third person approve if the attempt waits.
func (a *attempt) complete() string {
	if a.outcome != "waits" || a.x.agree == nil {
		return a.outcome
	}
	return a.approved(a.s.customer(a.x.role))
}

// exitsOf are the names of the exits that take value from where a source leaves it; short ones only, if asked.
func exitsOf(from source, short bool) (found []string) {
	for _, name := range names(exits) {
		if x := exits[name]; x.takesFrom(from.into) && (x.short || !short) {
			found = append(found, name)
		}
	}
	return found
}

// scenes plays fn with some exits of a source. An order leaves once, and an identity bars until another person releases
// value: each exit has its own.
func (h *testServer) scenes(name string, cells sequenceCells, to []string, roles []string, fn func(s *scene, exit string)) {
	h.Helper()
	var s *scene
	for _, to := range to {
		if s == nil || s.from.into == byIdentity || s.from.into == onOrder {
			s = h.newScene(name, cells, roles...)
			if s.from.into != onOrder {
				_, id := s.state()
				s.made = id
			}
		}
		fn(s, to)
	}
}

// rolesOf are the roles that a person needs for a source and all its exits.
func rolesOf(from source) []string {
	roles := []string{from.role}
	for _, name := range exitsOf(from, false) {
		if role := exits[name].role; !slices.Contains(roles, role) {
			roles = append(roles, role)
		}
	}
	return roles
}

// alone plays the columns of one, two and three people.
func (s *scene) alone(to string) {
	s.Helper()
	second, id := s.customer(exits[to].role), s.object(to)
	mine := s.attempt(to, s.first, id)
	s.put(to, byOne, mine.outcome)
	if mine.rejected() {
		s.put(to, byAccounts, s.attempt(to, s.alias, id).outcome)
	} else {
		id = s.object(to)
	}
	theirs := s.attempt(to, second, id)
	s.put(to, byTwo, theirs.outcome)
	if theirs.outcome == "waits" && exits[to].agree != nil {
		approved := theirs.approved(s.first)
		s.put(to, byApproval, approved)
		if strings.HasPrefix(approved, "rejected ") {
			s.put(to, byApprovals, theirs.approved(s.alias))
		} else {
			theirs = s.attempt(to, second, s.object(to))
		}
		s.put(to, byThree, theirs.complete())
	}
	if s.from.two && s.from.agree != nil {
		s.put(to, bySecond, s.attempt(to, s.other, s.object(to)).outcome)
	}
}

// second has another person second the first one's statements about the customer.
func (s *scene) second() {
	s.Helper()
	if !one[bool](s.testServer, `SELECT to_regclass('attestations') IS NOT NULL`) {
		return
	}
	for _, id := range one[[]string](s.testServer, `SELECT coalesce(array_agg(id::text), '{}') FROM attestations
		WHERE customer_id = $1 AND by_id = $2 AND second_by IS NULL`, s.v.userID, s.first.userID) {
		s.boss.post("/api/admin/attestations/"+id+"/second", `{"reason":"read on the bank's statement"}`)
	}
}

// demoted plays the columns in which the first person has lost their roles since.
func (s *scene) demoted(to string) {
	s.Helper()
	second, id := s.customer(exits[to].role), s.object(to)
	if len(s.roles) > 0 {
		s.boss.post("/api/admin/team/"+s.first.userID+"/take", `{"roles":["`+strings.Join(s.roles, `","`)+`"],"reason":"not to be trusted"}`).is(http.StatusOK)
		s.first.enter()
		s.roles = nil
	}
	s.put(to, demotedSelf, s.attempt(to, s.first, id).outcome)
	theirs := s.attempt(to, s.alias, id)
	s.put(to, demotedAlias, theirs.outcome)
	if theirs.rejected() {
		s.put(to, demotedOther, s.attempt(to, second, id).complete())
	}
}

// frozen plays the columns in which the first person was frozen since.
func (s *scene) frozen(to string) {
	s.Helper()
	id := s.object(to)
	s.boss.post("/api/admin/customers/"+s.first.userID+"/freeze", `{"reason":"looks like theft"}`).is(http.StatusOK)
	s.first.enter()
	mine := s.attempt(to, s.first, id)
	s.put(to, frozenSelf, mine.outcome)
	if !mine.rejected() {
		s.exec(`UPDATE users SET frozen_at = NULL, frozen_reason = '' WHERE id = $1`, s.first.userID)
		id = s.object(to)
	}
	s.put(to, frozenOther, s.attempt(to, s.customer(exits[to].role), id).complete())
}

// seconded plays the column in which another person has seconded the statement.
func (s *scene) seconded(to string) {
	s.Helper()
	id := s.object(to)
	s.second()
	s.put(to, afterSecond, s.attempt(to, s.first, id).complete())
}

// released plays the column in which another person has released value to the customer since.
func (s *scene) released(to string) {
	s.Helper()
	id := s.object(to)
	paid := s.v.paysOut(payoutOf("100"))
	require.Equal(s, "done", s.attempt("approvePayout", s.customer("finance"), paid).outcome, s.name)
	s.put(to, afterRelease, s.attempt(to, s.first, id).complete())
}

// later plays the columns of a month later. The order that the statement pays was paid then.
func (s *scene) later(to string) {
	s.Helper()
	id := s.object(to)
	mine := s.attempt(to, s.first, id)
	if mine.rejected() {
		s.put(to, laterAccounts, s.attempt(to, s.alias, id).complete())
	}
	s.put(to, laterSelf, mine.complete())
}

// barring are the sources whose value a month and other people matter to: vouchers have their own rules.
func barring() (found []string) {
	for _, name := range names(sources) {
		if into := sources[name].into; into != onVoucher && into != onBatch && sources[name].bars != "" {
			found = append(found, name)
		}
	}
	return found
}

// sequenceParts are the parts of the table, each on its own server.
var sequenceParts = map[string]func(h *testServer, cells sequenceCells){
	"by one, two and three people": func(h *testServer, cells sequenceCells) {
		for _, name := range names(sources) {
			h.scenes(name, cells, exitsOf(sources[name], false), rolesOf(sources[name]), (*scene).alone)
		}
	},
	"by staff who lost their roles": func(h *testServer, cells sequenceCells) {
		for _, name := range barring() {
			h.scenes(name, cells, exitsOf(sources[name], true), []string{"admin"}, (*scene).demoted)
			h.scenes(name, cells, []string{"fulfillOrder"}, []string{"admin"}, (*scene).frozen)
		}
	},
	"after another person": func(h *testServer, cells sequenceCells) {
		for _, name := range barring() {
			h.scenes(name, cells, exitsOf(sources[name], true), []string{"admin"}, (*scene).seconded)
			h.scenes(name, cells, []string{"fulfillOrder"}, []string{"admin"}, (*scene).released)
		}
	},
	"a month later": (*testServer).aMonthLater,
}

// Value that one person's statement made leaves only by another person, whatever it passes through.
func TestSequencesNeedAnotherPerson(t *testing.T) {
	t.Parallel()
	parts := map[string]sequenceCells{}
	for name := range sequenceParts {
		parts[name] = sequenceCells{}
	}
	t.Run("played", func(t *testing.T) {
		for _, name := range names(sequenceParts) {
			t.Run(name, func(t *testing.T) { sequenceParts[name](sequenceServer(t), parts[name]) })
		}
	})
	cells := sequenceCells{}
	for _, part := range names(parts) {
		cells.add(parts[part])
	}
	table := sequenceTable(cells)
	if *update {
		require.NoError(t, os.WriteFile(sequences, []byte(table), 0o600))
	}
	committed, err := os.ReadFile(sequences)
	require.NoError(t, err)
	require.Empty(t, strings.Join(brokenRules(cells), "\n"))
	require.Equal(t, string(committed), table)
}

// later moves the clock, and has the server read a price of then: it forgets one after a second.
func (h *testServer) later(by string) {
	h.Helper()
	h.advance(by)
	v := h.customer()
	require.Eventually(h, func() bool {
		h.price("50000")
		return v.post("/api/orders/calculate-pricing", `{"asset":"BTC","amountAsset":"0.01","paymentMethod":"balance"}`).status == http.StatusOK
	}, settledWait, 5*settledPoll)
}

// aMonthLater makes every statement, moves the clock and takes the exits.
func (h *testServer) aMonthLater(cells sequenceCells) {
	type waiting struct {
		s  *scene
		to string
	}
	var all []waiting
	for _, name := range barring() {
		h.scenes(name, cells, exitsOf(sources[name], true), []string{"admin"}, func(s *scene, to string) {
			if s.from.into == onOrder {
				_, s.orders[to] = s.state()
			}
			all = append(all, waiting{s, to})
		})
	}
	h.later("31 days")
	for _, w := range all {
		h.price("50000")
		for _, who := range []*visitor{w.s.v, w.s.first, w.s.alias, w.s.other, w.s.boss} {
			who.enter()
		}
		w.s.later(w.to)
	}
}

// sequenceTable writes the table.
func sequenceTable(cells sequenceCells) string {
	var table strings.Builder
	table.WriteString("# The outcome of each statement of one person followed by each action in which its value leaves, by who takes the two.\n" +
		"# Written by -update of TestSequencesNeedAnotherPerson, within the rules that the test itself holds.\n")
	for _, from := range names(cells) {
		fmt.Fprintf(&table, "%s\n  %s: %s\n  its value is in: %s\n", from, stated, cells[from][stated][byOne], sources[from].into)
		for _, to := range names(cells[from]) {
			if to == stated {
				continue
			}
			fmt.Fprintf(&table, "  %s\n", to)
			for _, column := range sequenceColumns {
				if outcome, played := cells[from][to][column]; played {
					fmt.Fprintf(&table, "    %s: %s\n", column, outcome)
				}
			}
		}
	}
	return table.String()
}
