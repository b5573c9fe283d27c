package e2e

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// flight is one cell in progress: its actions, its checks at the end, and what is told of it when it fails.
type flight struct {
	name    string
	buyer   *buyer
	execute func(ctx context.Context) error
	judge   func(t *testing.T)
	anew    func(t *testing.T) flight // the same from its beginning
	explain func(t *testing.T)
}

// fly runs orders side by side, kills the victim when they halt at their steps, and checks each when it has ended. One
// that a kill for another led round its own step, or that was killed in the instant of its step before it halted there,
// is run again alone.
func (m *matrix) fly(t *testing.T, victim string, flights []flight) {
	t.Helper()
	errs := m.flyTogether(t, victim, flights)
	for i, f := range flights {
		t.Run(f.name, func(t *testing.T) {
			if errors.Is(errs[i], errPassedBy) {
				t.Log("not killed at its step: once more, alone")
				f = f.anew(t)
				errs[i] = m.flyTogether(t, victim, []flight{f})[0]
			}
			t.Cleanup(func() { f.explain(t) })
			require.NoError(t, errs[i])
			f.judge(t)
		})
	}
}

// flyTogether runs orders side by side, and kills the victim whenever those that are still to come by their steps halt.
func (m *matrix) flyTogether(t *testing.T, victim string, flights []flight) []error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	m.mu.Lock()
	clear(m.waiting)
	m.mu.Unlock()
	outcomes := make([]chan error, len(flights))
	for i, f := range flights {
		outcomes[i] = make(chan error, 1)
		go func() {
			err := f.execute(ctx)
			m.over(f.buyer)
			outcomes[i] <- err
		}()
	}
	reaped := make(chan error, 1)
	over, stop := context.WithCancel(ctx)
	go func() { reaped <- m.reap(over, victim, len(flights)) }()
	errs := make([]error, len(flights))
	for i := range flights {
		errs[i] = <-outcomes[i]
	}
	stop()
	require.NoError(t, <-reaped)
	return errs
}

// errPassedBy is an order that ended as it should and was not killed.
var errPassedBy = errors.New("the order ended without coming by the step it is to be killed at")

// struckDown waits for the kill of an order whose end could be seen before it: the chore of a process that died begins
// again after a minute, and may be needed twice. Nothing halts any more where an order that was passed by was to halt.
func (m *matrix) struckDown(ctx context.Context, b *buyer) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	err := await(ctx, "the kill", func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.waiting[b].killed
	})
	if err != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		return errors.Join(errPassedBy, m.waiting[b].release())
	}
	return nil
}

// explainCase prints, of a test that failed, what happened to a customer's cases, and which transactions that took.
func (m *matrix) explainCase(t *testing.T, b *buyer) {
	t.Helper()
	if !t.Failed() {
		return
	}
	rows, err := database.Query(context.WithoutCancel(t.Context()), `
		SELECT at, 'event ' || matter || ' ' || kind || ' (' || status || ') ' || data::text
		  FROM matter_events WHERE matter_id IN `+theirs+`
		UNION ALL SELECT e.at, 'event ' || e.kind || ' (' || e.status || ') ' || e.data::text
		  FROM gift_card_events e JOIN gift_cards g ON g.id = e.card_id WHERE g.user_id = $1
		UNION ALL SELECT created_at, 'decision ' || matter || ' ' || kind || ', '
			|| coalesce('settled ' || settled_at::time || ' as ' || outcome_code, 'open')
		  FROM matter_decisions WHERE matter_id IN `+theirs+`
		UNION ALL SELECT d.created_at, 'decision ' || d.kind || ', '
			|| coalesce('settled ' || d.settled_at::time || ' as ' || d.outcome_code, 'open')
		  FROM gift_card_decisions d JOIN gift_cards g ON g.id = d.card_id WHERE g.user_id = $1
		UNION ALL SELECT at, 'audit ' || action FROM audit_log
		 WHERE object_id = $1::text OR object_id IN (SELECT id::text FROM `+theirs+` t)
		ORDER BY 1`, b.id)
	if err != nil {
		t.Log(err)
		return
	}
	defer rows.Close()
	for rows.Next() {
		var at time.Time
		var what string
		if rows.Scan(&at, &what) == nil {
			t.Logf("case of %s %s %s", b.id, at.Format("15:04:05.000"), what)
		}
	}
	for _, p := range m.points.passages(t, b.id) {
		t.Logf("case of %s %s %s %s", b.id, p.At.Format("15:04:05.000"), p.Process, p.Transaction)
	}
}

// standing is an order that waits, or will, for the kill that is meant for it.
type standing struct {
	hit     func() bool
	release func() error
	killed  bool
	over    bool
}

// expectState notifies the reaper where an order will halt.
func (m *matrix) expectState(b *buyer, hit func() bool, release func() error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting[b] = &standing{hit: hit, release: release}
}

func (m *matrix) over(b *buyer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.waiting[b]; s != nil {
		s.over = true
	}
}

// reap kills the victim when all orders in progress are halted, or the halted ones have waited for the others long
// enough: some locks let only one order through at a time.
func (m *matrix) reap(ctx context.Context, victim string, total int) error {
	const pause, longest = 2 * time.Second, 4 * time.Second
	stood, since, first := 0, time.Now(), time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(100 * time.Millisecond):
		}
		struck, missing := m.struck(total)
		if stood == 0 {
			first = time.Now()
		}
		if len(struck) != stood {
			stood, since = len(struck), time.Now()
		}
		if stood == 0 || missing > 0 && time.Since(since) < pause && time.Since(first) < longest {
			continue
		}
		if err := m.strike(ctx, victim, struck); err != nil {
			return err
		}
		stood = 0
	}
}

// struck are the halted orders, and the number of the others.
func (m *matrix) struck(total int) (struck []*standing, missing int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	missing = total - len(m.waiting)
	for _, s := range m.waiting {
		switch {
		case s.killed || s.over:
		case s.hit():
			struck = append(struck, s)
		default:
			missing++
		}
	}
	return struck, missing
}

// strike kills the victim with SIGKILL, has it restarted, and releases those that halted elsewhere.
func (m *matrix) strike(ctx context.Context, victim string, struck []*standing) error {
	if err := stack.Kill(victim); err != nil {
		return err
	}
	if err := stack.Down(victim); err != nil { // so that it restarts at once, however often it was killed
		return err
	}
	if err := stack.Up(ctx, victim); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range struck {
		s.killed = true
		if err := s.release(); err != nil {
			return err
		}
	}
	return nil
}
