package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// caseScenario is a case other than an order, executed for one customer from its beginning to its end. Each customer has
// one. A new kind of case is added here, and the process is killed in each of its transactions.
type caseScenario struct {
	name string
	// customer makes who it is for; a newcomer unless set.
	customer func(t *testing.T) *visitor
	drive    func(ctx context.Context, b *buyer) error
	// stays is a scenario after whose end a workflow still runs: for later changes of an identity, or until the timer
	// of a cancelled closure.
	stays bool
	// only are the transactions that are killed in; all, unless set.
	only []string
	// alone is the process of whose kills it shares none: it may not die for another scenario at a step not listed here.
	alone string
}

var caseScenarios = append(rewardScenarios, []caseScenario{
	{name: "a gift card", drive: func(ctx context.Context, b *buyer) error {
		return steps(ctx, b.sellsCard("forgotten"), b.cardFalls, b.sellsCard("unwanted"), b.judges("reject", map[string]string{"reason": "cannot be read"}, "rejected"),
			b.sellsCard("of less"), b.judges("approve", map[string]string{"value": "30"}, "offered"), b.offerEnds,
			b.sellsCard("declined"), b.judges("approve", map[string]string{"value": "30"}, "offered"), b.answers("decline", "declined"),
			b.sellsCard("good"), b.judges("approve", map[string]string{"value": "30"}, "offered"), b.answers("accept", "approved"),
			b.judges("realise", map[string]string{"amount": "29", "reference": "sale for " + b.id}, "realised"))
	}},
	{name: "a lost second factor", customer: enrolled, drive: func(ctx context.Context, b *buyer) error {
		return steps(ctx, b.losesFactor, b.keepsFactor, b.losesFactor, b.admits("vouch", b.staff, "vouched"), b.waitsOutDelay, b.admits("approve", b.second, "recovered"))
	}},
	{name: "a copy of their data", drive: func(ctx context.Context, b *buyer) error {
		return steps(ctx, b.asksForData, b.fetchesData, b.letsDataExpire)
	}},
	{name: "an account that is closed", stays: true, drive: func(ctx context.Context, b *buyer) error {
		return steps(ctx, b.asksToClose, b.keepsAccount, b.asksToClose, b.isClosed)
	}},
	{name: "a ticket", drive: func(ctx context.Context, b *buyer) error {
		return steps(ctx, b.opensTicket, b.answersTicket("take", 1), b.answersTicket("reply", 2), b.writesInTicket(3), b.closesTicket, b.writesInTicket(4),
			b.answersTicket("reply", 5), b.staysSilent)
	}},
	{name: "documents that run out", customer: known, stays: true, drive: func(ctx context.Context, b *buyer) error {
		return steps(ctx, b.hasUntil("1 hour", "expiring"), b.renews, b.hasUntil("-1 second", "expired"))
	}},
	{name: "an approval that is taken back", customer: known, stays: true, drive: func(ctx context.Context, b *buyer) error {
		return steps(ctx, b.wantsEnhanced, b.examines("revoke", "revoked"), b.examines("ask", "asked_again"), b.isAskedAgain)
	}},
	{name: "a voucher", drive: func(ctx context.Context, b *buyer) error { return b.redeems(ctx) }},
	voucherWithProblem,
	payoutScenario,
	unplacedScenario,
	claimScenario,
	recallScenario,
}...)

// ran is a scenario without a kill: its transactions, what it leaves, and its customer.
type ran struct {
	caseScenario
	buyer  *buyer
	struck []step
	trace  []passage
	left   []string
}

// swept is longer than the sweep takes until it has seen to what nobody has (SWEEP_GRACE and SWEEP_INTERVAL of the
// stack).
const swept = 5 * time.Second

// strike is one kill of a scenario.
type strike struct {
	*ran
	step   step
	moment string
}

// killScenarios kills each process at every transaction of every case other than an order: what is left equals what a
// run without a kill leaves. Scenarios share the kills.
func (m *matrix) killScenarios(t *testing.T) {
	// The price of coin is the same for all, so that what is booked is.
	control(t, http.MethodPost, "/control/kraken/freeze", map[string]string{"frozen": "true"}, nil)
	t.Cleanup(func() {
		control(t, http.MethodPost, "/control/kraken/freeze", map[string]string{"frozen": "false"}, nil)
	})
	runs := m.cleanScenarios(t)
	t.Run("every transaction on a matter is reached", func(t *testing.T) { completeCases(t, runs) })
	for _, victim := range []string{"api", "core", "payments", "exchange", "custody"} {
		for _, batch := range batches(strikes(runs, victim)) {
			t.Run("kill "+victim, func(t *testing.T) { m.killScenario(t, victim, batch) })
		}
	}
}

// cleanScenarios runs every scenario side by side, and notes what it does.
func (m *matrix) cleanScenarios(t *testing.T) []ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	runs := make([]ran, len(caseScenarios))
	together(t, len(caseScenarios), func(i int) {
		e := caseScenarios[i]
		b := m.scenarioOf(t, e)
		before := len(m.points.passages(t, b.id))
		require.NoError(t, e.drive(ctx, b), e.name)
		quietly(ctx, time.Second, func() int { return len(m.points.passages(t, b.id)) })
		trace := slices.DeleteFunc(m.points.passages(t, b.id)[before:], func(p passage) bool { return p.Alone })
		struck := slices.DeleteFunc(transactionsOf(trace), func(s step) bool {
			return s.nth > 1 || slices.Contains(reviewed, s.transaction) || unreached[s.transaction] != "" || e.only != nil && !slices.Contains(e.only, s.transaction)
		})
		until(t, "the end of the workflows of "+e.name, func() bool { return e.stays || !continues(t, b) })
		quietly(ctx, swept, func() int { return len(left(t, b)) })
		runs[i] = ran{caseScenario: e, buyer: b, struck: struck, trace: trace, left: left(t, b)}
	})
	for _, r := range runs {
		t.Logf("%s: %d steps %v; it leaves %v", r.name, len(r.struck), r.struck, r.left)
		require.NotEmpty(t, r.struck, r.name)
	}
	return runs
}

// strikes are the cells of one victim: each step before its commit or after it,
// by turns; both in the whole matrix.
func strikes(runs []ran, victim string) []strike {
	var list []strike
	for i := range runs {
		for n, s := range runs[i].struck {
			if s.process != victim {
				continue
			}
			moments := []string{"before", "after"}
			if !*wholeMatrix {
				moments = moments[(i+n)%2:][:1]
			}
			for _, moment := range moments {
				list = append(list, strike{&runs[i], s, moment})
			}
		}
	}
	return list
}

// crowd is how many scenarios share a kill: a process can halt at no more (models/store/failpoints.go).
const crowd = 20

// batches are cells of one victim that share its kills.
func batches(cells []strike) [][]strike {
	alone := func(s strike) bool { return s.alone == s.step.process }
	var made [][]strike
	for _, s := range cells {
		if alone(s) {
			made = append(made, []strike{s})
		}
	}
	return slices.AppendSeq(made, slices.Chunk(slices.DeleteFunc(cells, alone), crowd))
}

func (m *matrix) killScenario(t *testing.T, victim string, batch []strike) {
	flights := make([]flight, len(batch))
	together(t, len(batch), func(i int) { flights[i] = m.caseFlight(t, victim, batch[i]) })
	m.fly(t, victim, flights)
}

// caseFlight is one kill of a scenario of a new customer.
func (m *matrix) caseFlight(t *testing.T, victim string, s strike) flight {
	t.Helper()
	b := m.scenarioOf(t, s.caseScenario)
	return flight{name: s.name + ", " + s.moment + " " + s.step.String() + ", kill " + victim, buyer: b,
		execute: func(ctx context.Context) error { return m.scenarioStruck(ctx, s.caseScenario, b, s.step, s.moment) },
		judge: func(t *testing.T) {
			until(t, "all that it leaves", func() bool { return len(left(t, b)) >= len(s.left) })
			require.Equal(t, s.left, left(t, b))
			until(t, "the end of its workflows", func() bool { return s.stays || !continues(t, b) })
		},
		anew:    func(t *testing.T) flight { return m.caseFlight(t, victim, s) },
		explain: func(t *testing.T) { m.explainCase(t, b) }}
}

// scenarioOf is a customer with a scenario; its id is the customer's.
func (m *matrix) scenarioOf(t *testing.T, e caseScenario) *buyer {
	t.Helper()
	customer := signedUp
	if e.customer != nil {
		customer = e.customer
	}
	b := &buyer{customer: customer(t).sendingOnce(), staff: m.buyers[0].staff, second: m.buyers[0].second,
		third: m.buyers[0].third, what: some(t, "BTC", "0.001")}
	require.NoError(t, database.QueryRow(t.Context(), "SELECT id FROM users WHERE email = $1", b.customer.mail).Scan(&b.id))
	return b
}

// scenarioStruck arms a failpoint for one customer's scenario and runs it.
func (m *matrix) scenarioStruck(ctx context.Context, e caseScenario, b *buyer, s step, moment string) error {
	id, err := m.points.arm(failpoint{Process: s.process, Transaction: s.transaction, Moment: moment, Match: b.id})
	if err != nil {
		return err
	}
	m.expectState(b, func() bool { return m.points.stopped(id) }, func() error { return m.points.release(id) })
	if err := e.drive(ctx, b); err != nil {
		return err
	}
	return m.struckDown(ctx, b)
}

// theirs are the ids of everything in the customer's scenario, and of what it earned for their referrer.
const theirs = `(SELECT id FROM gift_cards WHERE user_id = $1 UNION SELECT matter_id FROM matter_events WHERE user_id = $1
	UNION SELECT id FROM rewards WHERE friend_id = $1)`

// left is what a customer's scenario left behind: events, postings, mails, decisions and their audit log, with their
// own id replaced. Not compared are an attempt that the kill ended, a read of a card, which is repeated and recorded
// each time, and a review that was read while it was pending, which one that is approved at once is not.
func left(t *testing.T, b *buyer) []string {
	t.Helper()
	rows, err := database.Query(t.Context(), `
		SELECT 'event ' || e.kind FROM gift_card_events e JOIN gift_cards g ON g.id = e.card_id WHERE g.user_id = $1 AND e.kind <> 'revealed'
		UNION ALL SELECT 'event ' || matter || ' ' || kind FROM matter_events WHERE matter_id IN `+theirs+` AND kind <> 'attempt_failed' AND (matter, kind) <> ('kyc', 'submitted')
		UNION ALL SELECT 'posting ' || event || ' ' || from_account || ' → ' || to_account || ' ' || amount || ' ' || currency
		  FROM postings WHERE gift_card_id IN `+theirs+` OR matter_id IN `+theirs+` OR event = 'unplaced_credited' AND from_account = 'customer:' || $1::text || ':balance'
		UNION ALL SELECT 'money proposal ' || p.kind || ' ' || p.status FROM money_proposals p WHERE p.subject_id IN (
		  SELECT id FROM unplaced_money WHERE user_id = $1::uuid
		  UNION SELECT id FROM recalls WHERE user_id = $1::uuid UNION SELECT id FROM gift_cards WHERE user_id = $1::uuid)
		UNION ALL SELECT 'mail ' || m.kind FROM mails m LEFT JOIN matter_events e ON e.id = m.matter_event_id
		 WHERE m.order_id IS NULL AND (m.user_id = $1 OR e.matter_id IN `+theirs+`)
		UNION ALL SELECT 'decision ' || kind FROM matter_decisions WHERE matter_id IN `+theirs+` AND outcome_code = 'done'
		UNION ALL SELECT 'audit ' || action FROM audit_log
		 WHERE action <> 'gift_card.reveal' AND (object_id = $1::text OR object_id IN (SELECT id::text FROM `+theirs+` t))`, b.id)
	require.NoError(t, err)
	defer rows.Close()
	var list []string
	for rows.Next() {
		var line string
		require.NoError(t, rows.Scan(&line))
		list = append(list, strings.ReplaceAll(line, b.id, "theirs"))
	}
	require.NoError(t, rows.Err())
	list = coinHad(list)
	slices.Sort(list)
	return list
}

// coinHad is the amount of coin that a redemption received, in one line, whatever its source: what our inventory has at
// that moment, which others use and refill, need not be bought, and has that moment's value.
func coinHad(list []string) []string {
	others := []string{"exchange", "trading_difference", "provider_fees"}
	var rest []string
	var had int64
	for _, line := range list {
		words := strings.Fields(line)
		if line == "event voucher exchange_placed" {
			continue
		}
		if words[0] != "posting" {
			rest = append(rest, line)
			continue
		}
		from, to, amount, currency := words[2], words[4], words[5], words[6]
		n, _ := strconv.ParseInt(amount, 10, 64) // the database wrote it
		switch {
		case currency == "USD" && (from == "conversion" || to == "conversion" || slices.Contains(others, to)):
		case from == "conversion" && slices.Contains(others, to):
			had += n
		case to == "conversion" && slices.Contains(others, from):
			had -= n
		default:
			rest = append(rest, line)
		}
	}
	if had != 0 {
		rest = append(rest, fmt.Sprintf("had for a redemption: %d", had))
	}
	return rest
}

// where reports where the customer's newest row of a table is.
func (b *buyer) where(ctx context.Context, table string) (id, status string) {
	_ = database.QueryRow(ctx, "SELECT id, status FROM "+table+" WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1", b.id).Scan(&id, &status) // none yet
	return id, status
}

// sellsCard sends a gift card under one key, until it is there.
func (b *buyer) sellsCard(which string) func(context.Context) error {
	return func(ctx context.Context) error { return b.sells(ctx, which) }
}

func (b *buyer) sells(ctx context.Context, which string) error {
	var form bytes.Buffer
	fields := multipart.NewWriter(&form)
	for name, value := range map[string]string{"brand": "amazon", "value": "40", "cardType": "regular", "cardCode": "TP" + rand.Text()[:10], "pin": "4711"} {
		_ = fields.WriteField(name, value) // a write into memory does not fail
	}
	_ = fields.Close()
	return insist(ctx, "a gift card in review", func() bool { _, at := b.where(ctx, "gift_cards"); return at == "in_review" }, func() {
		request := b.customer.request(http.MethodPost, "/api/gift-cards", fields.FormDataContentType(), bytes.NewReader(form.Bytes())).WithContext(ctx)
		request.Header.Set("Idempotency-Key", which+"-card-of-"+b.id)
		if response, err := b.customer.http.Do(request); err == nil {
			_ = response.Body.Close()
		}
	})
}

// judges has staff decide about the card until it stands where that leads.
func (b *buyer) judges(kind string, body any, there string) func(context.Context) error {
	return func(ctx context.Context) error {
		return insist(ctx, fmt.Sprintf("a gift card that is %s", there), func() bool { _, at := b.where(ctx, "gift_cards"); return at == there }, func() {
			id, _ := b.where(ctx, "gift_cards")
			at := "/api/admin/gift-cards/" + id
			if kind == "approve" { // a reviewer approves what they have revealed
				b.staff.try(ctx, http.MethodPost, at+"/reveal", "", struct{}{}, nil)
			}
			b.staff.try(ctx, http.MethodPost, at+"/"+kind, "", body, nil)
		})
	}
}
