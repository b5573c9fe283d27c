package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// campaign is one run of a plan in a cluster.
type campaign struct {
	*cluster
	plan  Plan
	limit time.Duration // for the orders; leading them to rest has as much again
	slots chan struct{} // holds each scenario that runs

	mu       sync.Mutex
	lives    []*life
	leavers  []*life // whose money comes once their account is closed
	begun    int
	over     int // begun, and at rest or left to the clock
	rested   int
	forged   []string
	compared bool              // statements and ledger agree
	early    []Violation       // seen at snapshots
	reasons  map[string]string // why what was planned did not happen (note)
}

// concurrent is how many orders are in progress at once.
const concurrent = 16

// run executes the plan, brings everything to an end and returns the facts. The checks report what could not be brought
// to an end.
func (c *campaign) run(ctx context.Context) (*Facts, error) {
	if err := c.populate(ctx, c.plan.Seed, c.plan.Customers); err != nil {
		return nil, err
	}
	if err := errors.Join(c.readRails(ctx), c.suspect(ctx)); err != nil {
		return nil, err
	}
	c.say("%d customers are verified; orders begin", c.plan.Customers)
	living, stop := context.WithTimeout(ctx, c.limit)
	c.live(living)
	stop()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := c.rest(ctx); err != nil && ctx.Err() != nil {
		return nil, err
	}
	return c.collect(ctx)
}

// readRails fails when the product takes a payment method that no plan has.
func (c *campaign) readRails(ctx context.Context) error {
	found, err := c.database.Query(ctx, "SELECT payment_method FROM payment_methods WHERE in_buy_flow OR payment_method = 'balance'")
	if err != nil {
		return err
	}
	methods, err := pgx.CollectRows(found, pgx.RowTo[string])
	for _, method := range methods {
		if !slices.ContainsFunc(rails, func(choice choice) bool { return choice.word == method }) {
			err = errors.Join(err, fmt.Errorf("no plan pays by %s", method))
		}
	}
	return err
}

// live begins the orders, some at a time, and lets the strikes fall between.
func (c *campaign) live(ctx context.Context) {
	ctx, over := context.WithCancel(ctx)
	var beside, struck sync.WaitGroup
	beside.Go(func() { c.watch(ctx) })
	struck.Go(func() { c.strikes(ctx) })
	struck.Go(func() { c.scenarios(ctx) })
	beside.Go(func() { c.staffWork(ctx) })
	slots := make(chan struct{}, concurrent)
	var orders sync.WaitGroup
	for _, p := range c.plan.Orders {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			continue
		}
		l := newLife(c.cluster, p)
		c.mu.Lock()
		c.lives = append(c.lives, l)
		c.begun++
		c.mu.Unlock()
		orders.Go(func() {
			defer func() { <-slots }()
			c.ended(l, l.run(ctx))
		})
	}
	orders.Wait()
	struck.Wait()
	over()
	beside.Wait()
}

func (c *campaign) ended(l *life, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over++
	switch {
	case err == nil:
		c.rested++
	case errors.Is(err, errBlocked):
		c.count("left to the clock")
	default:
		c.count("not at rest in time")
		c.say("order %d: %v", l.plan.N, err)
	}
}

// watch takes snapshots, counts what struck, and reports the progress.
func (c *campaign) watch(ctx context.Context) {
	for i := 0; ; i++ {
		if pause(ctx, 2*time.Second) != nil {
			return
		}
		if seen, err := c.snapshot(ctx); err == nil { // the database may be down just now
			c.mu.Lock()
			for _, v := range seen {
				if !slices.Contains(c.early, v) {
					c.early = append(c.early, v)
				}
			}
			c.mu.Unlock()
		}
		c.tally(ctx)
		if i%5 == 4 {
			c.mu.Lock()
			c.say("%d of %d orders begun, %d at rest, %d violations at snapshots", c.begun, len(c.plan.Orders), c.rested, len(c.early))
			c.mu.Unlock()
		}
	}
}

// strikes triggers each when its number of orders is half-way.
func (c *campaign) strikes(ctx context.Context) {
	for i, s := range c.plan.Strikes {
		if c.halfWay(ctx, s.At) != nil {
			return
		}
		c.say("strike: %s %s", s.Kind, s.What)
		if s.Kind == "restore" {
			c.restoreStrike(ctx, s, i)
		} else {
			c.strike(ctx, s, i, &c.forged)
		}
		if pause(ctx, time.Second) != nil {
			return
		}
	}
}

// halfWay waits until so many orders are, on the average of those begun and over.
func (c *campaign) halfWay(ctx context.Context, orders int) error {
	for {
		c.mu.Lock()
		due := c.begun+c.over >= 2*orders
		c.mu.Unlock()
		if due {
			return nil
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

// days are the moves of the clock that end unanswered cases: payment windows and choices, then holds on cards.
var days = []time.Duration{0, 6 * 24 * time.Hour, 3 * 24 * time.Hour}

// rest removes all faults and leads every order to its end: first those in progress, then, as days pass, those without
// an answer.
func (c *campaign) rest(ctx context.Context) error {
	working, stop := context.WithCancel(ctx)
	defer stop()
	go c.staffWork(working) // and books what the last statements report
	leading, over := context.WithTimeout(ctx, c.limit)
	err := c.leadAll(leading)
	over()
	if err != nil {
		c.say("not everything could be led to rest: %v", err)
	}
	err = errors.Join(err, c.settleLost(ctx), c.quiet(ctx))
	c.compared = c.compare(ctx)
	return err
}

// leadAll leads everything to its end, as days pass.
func (c *campaign) leadAll(ctx context.Context) error {
	if err := c.restore(ctx); err != nil {
		return err
	}
	if err := c.takeBackAll(ctx); err != nil { // what waits for it is named in the end
		c.say("not all of it is taken back: %v", err)
	}
	for i, by := range days {
		if by > 0 {
			c.say("%s pass", by)
			if err := c.forward(ctx, by); err != nil {
				return err
			}
			c.untilDue(ctx)
			if err := c.endRefunds(ctx); err != nil {
				return err
			}
		}
		turn, stop := context.WithTimeout(ctx, c.limit/time.Duration(len(days)))
		open := c.lead(turn, i == len(days)-1)
		stop()
		c.say("%d orders are not at rest", open)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return c.lateMoney(ctx)
}

// due are the effects of the clock alone: reminders are sent, staff are warned, and undecided cases end.
var due = []string{
	`payments p JOIN orders o ON o.id = p.order_id WHERE o.status = 'pending' AND p.authorised_at IS NOT NULL AND p.captured_at IS NULL
		AND p.capture_before BETWEEN clock_now() AND clock_now() + interval '1 day'
		AND NOT EXISTS (SELECT FROM order_events e WHERE e.order_id = o.id AND e.kind = 'authorisation_expiring')`,
	`orders WHERE choice_due_at < clock_now()`,
	`gift_cards WHERE closed_at IS NULL AND (remind_at < clock_now() OR status = 'in_review' AND review_due_at < clock_now()
		OR offer_until < clock_now())`,
	`surpluses WHERE outcome IS NULL AND (held_until < clock_now() OR chosen IS NOT NULL OR staff_only IS NOT NULL)`,
	`coin_offers WHERE status = 'open' AND due_at < clock_now()`,
	`payouts WHERE closed_at IS NULL AND remind_at < clock_now()`,
	`kyc_records WHERE wake_at < clock_now()`,
	`two_factor_recoveries WHERE closed_at IS NULL AND wake_at < clock_now()`,
	`account_closures WHERE closed_at IS NULL AND wake_at < clock_now()`,
}

// dueTime is longer than the processing of what is due.
const dueTime = time.Minute

// untilDue waits until all that is due is processed, before more days pass.
func (c *campaign) untilDue(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, dueTime)
	defer stop()
	for _, what := range due {
		err := persist(ctx, func(ctx context.Context) error {
			var n int
			err := c.database.QueryRow(ctx, "SELECT count(*) FROM "+what).Scan(&n)
			if err == nil && n > 0 {
				err = fmt.Errorf("%d are due", n)
			}
			return err
		})
		if err != nil {
			c.say("not seen to in time: %s: %v", what, err)
		}
	}
}

// lead continues all orders that are not at rest; without faults.
func (c *campaign) lead(ctx context.Context, last bool) (open int) {
	slots := make(chan struct{}, concurrent)
	var orders sync.WaitGroup
	var mu sync.Mutex
	for _, l := range c.lives {
		if l.id == "" {
			continue
		}
		orders.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			l.last, l.firmly = last, last || !slices.Contains([]string{"lapse"}, l.plan.Decide) && len(l.cards)+len(l.money) == 0
			if err := l.run(ctx); err != nil {
				mu.Lock()
				defer mu.Unlock()
				if open++; last && !errors.Is(err, errBlocked) {
					c.say("order %d: %v", l.plan.N, err)
				}
			}
		})
	}
	orders.Wait()
	return open
}

// quiet waits until nothing is in progress any more: confirmations, refunds, webhooks, mails.
func (c *campaign) quiet(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, c.calmTime())
	defer stop()
	const busy = `SELECT (SELECT count(*) FROM orders WHERE closed_at IS NULL) + (SELECT count(*) FROM refunds WHERE done_at IS NULL)
		+ (SELECT count(*) FROM disputes WHERE closed_at IS NULL) + (SELECT count(*) FROM decisions WHERE settled_at IS NULL)
		+ (SELECT count(*) FROM webhook_inbox WHERE handled_at IS NULL AND order_id IS NOT NULL)
		+ (SELECT count(*) FROM mails WHERE sent_at IS NULL AND given_up_at IS NULL)`
	return persist(ctx, func(ctx context.Context) error {
		var n int
		err := c.database.QueryRow(ctx, busy).Scan(&n)
		if err == nil && n > 0 {
			err = fmt.Errorf("%d things are under way", n)
		}
		return err
	})
}

// calmTime is the timeout for what completes without an actor: more orders leave more of it.
func (c *campaign) calmTime() time.Duration {
	return 2*time.Minute + time.Duration(len(c.plan.Orders))*2*time.Second
}

// compare waits until the product has read every statement again and compared it, and statements and ledger agree, or
// until its time-out.
func (c *campaign) compare(ctx context.Context) bool {
	ctx, stop := context.WithTimeout(ctx, c.calmTime())
	defer stop()
	began, err := c.clock(ctx)
	if err != nil {
		return false
	}
	compared := false
	err = persist(ctx, func(ctx context.Context) error {
		if err := c.readAnew(ctx, began); err != nil {
			return err
		}
		compared = true
		var apart int
		err := c.database.QueryRow(ctx, "SELECT count(*) FROM reconciled_effects WHERE booked <> told").Scan(&apart)
		if err == nil && apart > 0 {
			err = fmt.Errorf("%d effects do not agree", apart)
		}
		return err
	})
	if err != nil {
		c.say("the books: %v", err)
	}
	return compared
}

// readAnew says that every statement was read and compared since a moment.
func (t *cluster) readAnew(ctx context.Context, began time.Time) error {
	var compared bool
	err := t.database.QueryRow(ctx, `SELECT coalesce((SELECT compared_at > $1 FROM reconciliation_progress), false)
		AND (SELECT count(*) = 3 FROM polls WHERE name LIKE 'statement %' AND polled_at > $1)`, began).Scan(&compared)
	if err == nil && !compared {
		err = errors.New("statements and ledger are not compared yet")
	}
	return err
}

// collect reads what was left behind.
func (c *campaign) collect(ctx context.Context) (*Facts, error) {
	ctx, stop := context.WithTimeout(ctx, 4*time.Minute)
	defer stop()
	f := &Facts{Forged: c.forged, Compared: c.compared, Lost: c.whatIsLost(), OwnAddresses: c.ownAddresses}
	c.mu.Lock()
	f.Planned = len(c.plan.Orders)
	for _, l := range slices.Concat(c.lives, c.leavers) {
		switch lost := c.isLost(l.id); {
		case l.plan.N > guestStream && l.id != "" && !lost:
			f.Planned++
		case l.plan.N < guestStream && lost:
			f.Planned--
		}
		f.Clicks = append(f.Clicks, l.keys...)
		for _, contest := range l.contests {
			if !c.forgets(contest.At) { // who won it may be forgotten
				f.Contests = append(f.Contests, contest)
			}
		}
		f.Stuck = append(f.Stuck, l.stuck...)
	}
	c.mu.Unlock()
	if err := c.readRows(ctx, f); err != nil {
		return nil, err
	}
	return f, c.readProviders(ctx, f)
}
