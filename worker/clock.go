package worker

import (
	"context"
	"fmt"
	"time"
)

const (
	// mostAhead is how far this machine's clock may be ahead of the database's.
	// Everything of ours lives by the database's clock, but Temporal's library
	// judges the deadline of an activity by its own machine's: where that is ahead
	// by more than an activity may take, each would be given up as it begins, and
	// its attempts be used up.
	mostAhead = 5 * time.Second
	// clockPause is the time between two looks at the clock.
	clockPause = 30 * time.Second
)

// ahead is how far this machine's clock is ahead of the database's; negative is
// behind. Half of the time that the answer took is taken off.
func (p *Process) ahead(ctx context.Context) (time.Duration, error) {
	asked := time.Now()
	theirs, err := p.DB.WallClock(ctx)
	if err != nil {
		return 0, err
	}
	return asked.Add(time.Since(asked) / 2).Sub(theirs), nil
}

// judgeClock refuses a clock by which no work can be done. One that is wrong in
// another way is told of, and does no harm.
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

// watchClock ends the process when its clock has gone wrong; started again, it
// waits until that is right.
func (p *Process) watchClock(ctx context.Context) error {
	for pause(ctx, clockPause) {
		if ahead, err := p.ahead(ctx); err == nil && ahead > mostAhead {
			return p.judgeClock(ctx)
		}
	}
	return nil
}
