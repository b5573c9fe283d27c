package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tradepost/tradepost/internal/local"
)

// A month of business for the local stack: customers sign up, buy, sell cards, redeem vouchers and write to support;
// staff work; providers fail now and then; and the clock moves on, a quarter of a day at a time. All of it is done
// through the site and the workflows, as in production. Progress is noted, so that a month that was stopped resumes
// where it was.

// month is one such month on the local stack.
type month struct {
	*cluster
	plan  MonthPlan
	path  string // of what is noted
	lives []*life
	late  []Scenario // there was no time for them in their quarter

	mu   sync.Mutex
	note monthNote
}

// monthNote is how far a month has come.
type monthNote struct {
	Seed      uint64 `json:"seed"`
	Quarter   int    `json:"quarter"`   // the next to live
	Customers int    `json:"customers"` // who have signed up
	Welcomed  int    `json:"welcomed"`  // quarters whose newcomers are among them
}

// monthSettings are what a month needs to be lived through in minutes; everything
// else is as `make run` has it.
var monthSettings = map[string]string{
	"STAFF_ALONE_PER_DAY": "1000000", "RATE_LIMIT_SCALE": "500", "IDENTITY_SIGNUPS_PER_HOUR": "100000", "SWEEP_INTERVAL": "2s", "SWEEP_GRACE": "4s", "PAYMENT_POLL": "5s",
	"RETRY_MOST": "4s", "FOLLOW_UNASKED": "3s", "FOLLOW_MOST": "5s", "EXCHANGE_ORDER_LIFE": "12s", "LOOKUP_GRACE": "1s", "LOOKUP_GAP": "1s", "SEND_LOOKUP": "8s",
	"RECONCILE_EVERY": "30s", "RECONCILE_GRACE": "1m", "TREASURY_EVERY": "15s", "MONEY_POLL": "15s", "DISPUTE_POLL": "10s",
	"ALERT_PRICES": "0s", "ALERT_PROVIDER": "0s", "ALERT_QUEUE": "0s", "ALERT_ORDERS": "0s", "ALERT_BREAKS": "0s", "ALERT_NO_TREASURY": "true",
}

// liveMonth fills the local stack, then keeps it running for inspection.
func liveMonth(ctx context.Context, f flags, out io.Writer) error {
	options := local.Options{DataDir: f.data, FreePorts: f.data != "", Output: &progress{out: out, all: f.logs}, Getenv: monthEnv}
	stack, err := local.Start(ctx, options)
	if err != nil {
		return err
	}
	defer stack.Stop()
	m := &month{cluster: &cluster{stack: stack, out: out, counts: map[string]int{}, struck: map[string]Fault{}, leaves: leftOver},
		plan: NewMonth(f.seed(), f.days, f.orders), path: filepath.Join(stack.DataDir(), local.MonthNote)}
	if err := m.open(ctx); err != nil {
		return err
	}
	defer m.database.Close()
	defer m.owner.Close()
	err = m.live(ctx)
	if ctx.Err() != nil {
		m.say("stopped; `make demo` goes on from here")
		return nil
	}
	if err == nil {
		err = m.sumUp(ctx)
	}
	if err == nil && f.shots {
		err = m.photograph(ctx)
	}
	if err != nil || f.leave {
		return err
	}
	m.say("the month is over: it stays to be looked at until Ctrl-C, and `make run` has it too")
	fmt.Fprintln(out, stack.Banner())
	<-ctx.Done()
	return nil
}

// monthEnv lets the caller's own variables win, as `make run` does.
func monthEnv(name string) string {
	if own := os.Getenv(name); own != "" {
		return own
	}
	return monthSettings[name]
}

// open reads what was noted, and signs the staff in.
func (m *month) open(ctx context.Context) (err error) {
	m.note = monthNote{Seed: m.plan.Seed}
	raw, err := os.ReadFile(m.path)
	switch {
	case err == nil:
		err = json.Unmarshal(raw, &m.note)
	case os.IsNotExist(err):
		err = nil
	}
	if err == nil && m.note.Seed != m.plan.Seed {
		err = fmt.Errorf("a month of seed %d is here already: go on with it, or forget it with `make reset`", m.note.Seed)
	}
	if err == nil {
		m.database, err = pgxpool.New(ctx, m.stack.AppDSN())
	}
	if err == nil {
		m.owner, err = pgxpool.New(ctx, m.stack.OwnerDSN())
	}
	if err != nil {
		return err
	}
	for _, mail := range []string{local.DemoAdmin, local.DemoSecondAdmin, local.DemoThirdAdmin} {
		b := newBrowser(m.cluster, mail, local.DemoPassword)
		if err := persist(ctx, b.signIn); err != nil {
			return fmt.Errorf("%s: %w", mail, err)
		}
		m.staff = append(m.staff, b)
	}
	for n := range m.note.Customers {
		m.customers = append(m.customers, newBrowser(m.cluster, monthMail(m.plan.Seed, n), newPassword))
	}
	return m.control(ctx, "POST", "/control/stripe/pricing", map[string]string{"percent": "2.9", "fixed": "30"}, nil)
}

// keep notes that a quarter is over. The note replaces the old one atomically, so that a month that is killed while it
// writes has one of the two.
func (m *month) keep() error {
	raw, err := json.Marshal(m.note)
	if err != nil {
		return err
	}
	if err := os.WriteFile(m.path+".new", raw, 0o600); err != nil {
		return err
	}
	return os.Rename(m.path+".new", m.path)
}

// quarterOfADay is how far the clock moves between two quarters.
const quarterOfADay = 6 * time.Hour

// live executes the remaining quarters.
func (m *month) live(ctx context.Context) error {
	for m.note.Quarter < len(m.plan.Quarters) && ctx.Err() == nil {
		q := m.plan.Quarters[m.note.Quarter]
		last := m.note.Quarter == len(m.plan.Quarters)-1
		began := time.Now()
		if err := m.quarter(ctx, q, last); err != nil {
			return err
		}
		m.note.Quarter++
		if err := m.keep(); err != nil {
			return err
		}
		m.report(q, time.Since(began))
		if last {
			return nil
		}
		if err := m.forward(ctx, quarterOfADay); err != nil {
			return err
		}
		if err := m.priced(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// sumUp says what the stack has now.
func (m *month) sumUp(ctx context.Context) error {
	for _, of := range []struct{ what, query string }{
		{"customers by level", "SELECT k.level FROM kyc_records k JOIN users u ON u.id = k.user_id"},
		{"orders", "SELECT CASE WHEN resolution IS NULL THEN status ELSE resolution END FROM orders"},
		{"orders that wait for", "SELECT attention_reason FROM orders WHERE attention_reason IS NOT NULL AND closed_at IS NULL"},
		{"gift cards", "SELECT status FROM gift_cards"}, {"vouchers", "SELECT status FROM vouchers"}, {"payouts", "SELECT status FROM payouts"},
		{"tickets", "SELECT status FROM tickets"}, {"moves of coin", "SELECT status FROM treasury_moves"},
		{"breaks", "SELECT holder || ' ' || coalesce(outcome, 'open') FROM reconciliation_breaks"},
	} {
		var line string
		err := m.database.QueryRow(ctx, "SELECT coalesce(string_agg(word || ' ' || n, ', ' ORDER BY n DESC, word), 'none') FROM (SELECT word, count(*) AS n FROM ("+of.query+") q (word) GROUP BY word) c").Scan(&line)
		if err != nil {
			return fmt.Errorf("count %s: %w", of.what, err)
		}
		fmt.Fprintf(m.out, "  %-21s %s\n", of.what, line)
	}
	return nil
}

// report reports the month's progress.
func (m *month) report(q Quarter, took time.Duration) {
	m.cluster.mu.Lock()
	begun := m.counts["orders begun"]
	m.cluster.mu.Unlock()
	m.say("day %2d of %d, %-9s %d customers, %d orders begun, %d under way (%s)", q.Day+1, m.plan.Days, q.name()+":", len(m.customers), begun, len(m.lives), took.Round(time.Second))
}

// quarterTime is the timeout of a quarter, and quarterStill the time without progress after which it ends: some orders
// always wait for a bank, a provider or another day. What is not over then continues in the next.
const (
	quarterTime  = 45 * time.Second
	quarterStill = 10 * time.Second
)

// whileStirring ends the quarter when nothing becomes of anything any more.
func (m *month) whileStirring(ctx context.Context, over func()) {
	m.stir()
	for pause(ctx, time.Second) == nil {
		if m.still() > quarterStill {
			over()
		}
	}
}

// quarter executes a quarter of a day: new customers, then all scenarios while staff are at work.
func (m *month) quarter(ctx context.Context, q Quarter, last bool) error {
	if err := m.welcome(ctx, q); err != nil {
		return err
	}
	ctx, over := context.WithTimeout(ctx, quarterTime)
	defer over()
	go m.whileStirring(ctx, over)
	handlers, home := context.WithCancel(ctx)
	var staff, people sync.WaitGroup
	if !last {
		staff.Go(func() { m.desks(handlers, q) })
	}
	slots := make(chan struct{}, concurrent)
	scenario := func(do func()) {
		people.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if ctx.Err() == nil {
				do()
			}
		})
	}
	before := m.lives
	m.lives = nil
	for _, l := range before {
		scenario(func() { m.liveOn(ctx, l) })
	}
	for _, o := range q.Orders {
		scenario(func() { m.liveOn(ctx, newLife(m.cluster, m.known(o))) })
	}
	wanted := slices.Concat(m.late, q.Errands)
	m.late = nil
	for _, e := range wanted {
		people.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			m.scenario(ctx, e)
			m.stir()
			if ctx.Err() != nil { // each part of it has a key: a repetition has no effect
				m.mu.Lock()
				defer m.mu.Unlock()
				m.late = append(m.late, e)
			}
		})
	}
	people.Wait()
	home()
	staff.Wait()
	return nil
}

// known assigns an order to a present customer.
func (m *month) known(o OrderPlan) OrderPlan {
	o.Customer %= max(1, len(m.customers))
	return o
}

// liveOn continues an order; one that does not rest, or was not begun in time, is resumed later.
func (m *month) liveOn(ctx context.Context, l *life) {
	err := l.run(ctx)
	if err == nil || errors.Is(err, errBlocked) || errors.Is(err, errRefused) || l.id == "" && ctx.Err() == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lives = append(m.lives, l)
}

// welcome signs up the quarter's newcomers, and has most of them verified.
func (m *month) welcome(ctx context.Context, q Quarter) error {
	if m.note.Welcomed > m.note.Quarter { // before it was stopped
		return nil
	}
	newcomers := make([]*browser, q.Newcomers)
	failed := make([]error, q.Newcomers)
	var all sync.WaitGroup
	slots := make(chan struct{}, 3)
	for i := range newcomers {
		n := m.note.Customers + i
		b := newBrowser(m.cluster, monthMail(m.plan.Seed, n), newPassword)
		b.given, b.family = m.plan.name(n)
		newcomers[i] = b
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if b.signIn(ctx) == nil { // they had signed up when the month was stopped
				return
			}
			if failed[i] = b.signUp(ctx); failed[i] == nil && m.plan.verifies(n) {
				failed[i] = b.passKYC(ctx)
			}
		})
	}
	all.Wait()
	if err := errors.Join(failed...); err != nil {
		return fmt.Errorf("a customer signs up: %w", err)
	}
	m.customers = append(m.customers, newcomers...)
	m.note.Customers, m.note.Welcomed = len(m.customers), m.note.Quarter+1
	return m.keep()
}

// priced waits until the site has prices of the new time.
func (m *month) priced(ctx context.Context) error {
	return persist(ctx, func(ctx context.Context) error {
		var stale int
		err := m.database.QueryRow(ctx, "SELECT count(*) FROM markets WHERE priced_at IS NULL OR priced_at < clock_now() - interval '30 seconds'").Scan(&stale)
		if err == nil && stale > 0 {
			err = errors.New("prices are of yesterday")
		}
		return err
	})
}

// progress passes on a stack's output while it starts, all of it when that is requested.
type progress struct {
	out io.Writer
	all bool
}

// Write implements io.Writer, a line at a time as the stack writes.
func (p *progress) Write(line []byte) (int, error) {
	if p.all || bytes.HasPrefix(line, []byte("· ")) {
		return p.out.Write(line)
	}
	return len(line), nil
}
