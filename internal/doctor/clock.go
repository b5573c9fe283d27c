package doctor

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

func (e *examination) clockChecks() []Check {
	return []Check{{"clock", "this machine's clock against the database's and the providers'", e.clock}}
}

// How far clocks may be apart: a worker refuses to run beyond the first; signatures are
// refused beyond twice the second.
const (
	mostAhead = 5 * time.Second
	mostOff   = 30 * time.Second
)

// keepTime is the advice about a clock.
const keepTime = "Have the machine keep its time by NTP (timedatectl set-ntp true), and look at the clock of the machine that Postgres runs on."

// compare finds how far this machine is ahead of a clock; half of the round trip is
// subtracted.
func compare(read func() (time.Time, error)) (time.Duration, error) {
	begun := time.Now()
	theirs, err := read()
	return begun.Add(time.Since(begun) / 2).Sub(theirs), err
}

func (e *examination) clock(ctx context.Context) (found []Finding) {
	looked := false
	if e.Postgres != nil {
		if db, err := e.database(ctx); err == nil {
			ahead, err := compare(func() (time.Time, error) { return db.WallClock(ctx) })
			looked = err == nil
			if err == nil && ahead.Abs() > mostAhead {
				found = append(found, wrong("clock_differs_from_database", keepTime,
					"%s", apart(ahead, "the database's")))
			}
		}
	}
	for name, address := range e.timekeepers() {
		ahead, err := compare(func() (time.Time, error) { return dateOf(ctx, address) })
		if err != nil {
			continue // whether it answers is another check's
		}
		looked = true
		if ahead.Abs() > mostOff {
			found = append(found, wrong("clock_off", keepTime,
				"%s: signed calls are refused", apart(ahead, "that of "+name)))
		}
	}
	if !looked {
		return skipped("neither the database nor a provider is set here, or none answers")
	}
	return found
}

// apart says which of two clocks is ahead.
func apart(ahead time.Duration, other string) string {
	side := "ahead of"
	if ahead < 0 {
		side = "behind"
	}
	return fmt.Sprintf("this machine's clock is %s %s %s", ahead.Abs().Round(time.Second), side, other)
}

// timekeepers are the providers whose time counts, by name.
func (e *examination) timekeepers() map[string]string {
	known := map[string]string{}
	if e.Stripe != nil {
		known["Stripe"] = e.Stripe.URL
	}
	if e.Sumsub != nil {
		known["Sumsub"] = e.Sumsub.URL
	}
	return known
}

// dateOf is the time that an HTTP answer holds, in the middle of its second.
func dateOf(ctx context.Context, address string) (time.Time, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
	if err != nil {
		return time.Time{}, err
	}
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return time.Time{}, err
	}
	_ = answer.Body.Close()
	at, err := http.ParseTime(answer.Header.Get("Date"))
	return at.Add(time.Second / 2), err
}
