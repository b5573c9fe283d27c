package worker

import (
	"context"
	"fmt"
	"time"
)

const (
	// mostAhead is how far this machine's clock may be ahead of the database's. The
	// platform uses the database's clock, but Temporal's library judges an activity's
	// deadline by its machine's: where that is ahead by more than an activity's timeout,
	// every attempt would expire as it begins.
	mostAhead = 5 * time.Second
	// clockPause is the interval between two checks of the clock.
	clockPause = 30 * time.Second
)

// ahead is how far this machine's clock is ahead of the database's; negative is behind.
// Half of the round trip is subtracted.
func (p *Process) ahead(ctx context.Context) (time.Duration, error) {
	asked := time.Now()
	theirs, err := p.DB.WallClock(ctx)
	if err != nil {
		return 0, err
	}
	return asked.Add(time.Since(asked) / 2).Sub(theirs), nil
}

// judgeClock refuses a clock with which no activity can run. Another deviation is logged,
// and harmless.
func (p *Process) judgeClock(ctx context.Context) error {
	ahead, err := p.ahead(ctx)
	if err != nil {
		return err
	}
	if ahead > mostAhead {
		return fmt.Errorf("this machine's clock is %s ahead of the database's", ahead.Round(time.Second))
	}
	return nil
}

// awaitClock waits until this machine's clock is right enough to work by.
func (p *Process) awaitClock(ctx context.Context) {
	for {
		ahead, err := p.ahead(ctx)
		if err == nil && ahead.Abs() > mostAhead {
			p.Log.Warn("this machine's clock is wrong", "ahead_of_the_database_by", ahead.Round(time.Second).String(), "works", ahead < 0)
		}
		if err == nil && ahead <= mostAhead || !pause(ctx, startPause) {
			return
		}
	}
}

// watchClock ends the process when its clock deviates too far; after a restart it waits
// until the clock is right.
func (p *Process) watchClock(ctx context.Context) error {
	for pause(ctx, clockPause) {
		if ahead, err := p.ahead(ctx); err == nil && ahead > mostAhead {
			return p.judgeClock(ctx)
		}
	}
	return nil
}
