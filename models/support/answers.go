package support

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tradepost/tradepost/models/store"
)

// fewestAnswers are as many first answers as a time is told of.
const fewestAnswers = 10

// AnswerTime is the median time until the first answer of staff, over the first answers of the last 30 days; zero with
// fewer than fewestAnswers of them. A ticket that was opened more than 60 days ago does not count.
func AnswerTime(ctx context.Context, db *store.DB) (time.Duration, error) {
	var row struct {
		Answers int
		Seconds float64
	}
	err := db.ORM(ctx).Raw(`
		SELECT count(*) AS answers,
		       coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM first.at - t.created_at)), 0) AS seconds
		  FROM tickets t CROSS JOIN LATERAL (SELECT min(m.created_at) AS at FROM ticket_messages m
		    WHERE m.ticket_id = t.id AND m.author = ?) first
		 WHERE t.created_at > clock_now() - interval '60 days' AND first.at > clock_now() - interval '30 days'`,
		TicketStaff).Scan(&row).Error
	if err != nil {
		return 0, fmt.Errorf("measure answers of support: %w", err)
	}
	if row.Answers < fewestAnswers {
		return 0, nil
	}
	return max(time.Duration(row.Seconds*float64(time.Second)), time.Second), nil
}

// Told writes a time as customers read it, such as "2 minutes", never shorter than it is; a time of zero is empty.
func Told(d time.Duration) string {
	unit, name := 24*time.Hour, "day"
	switch {
	case d <= 0:
		return ""
	case d <= 90*time.Minute:
		unit, name = time.Minute, "minute"
	case d <= 36*time.Hour:
		unit, name = time.Hour, "hour"
	}
	n := (d + unit - 1) / unit
	if n > 1 {
		name += "s"
	}
	return fmt.Sprintf("%d %s", n, name)
}

// answersLifetime is how long a process tells a time that it has measured.
const answersLifetime = 10 * time.Minute

// Answers keeps the measured time of first answers for answersLifetime.
type Answers struct {
	DB *store.DB

	mu       sync.Mutex
	told     string
	measured time.Time
}

// Told is the measured time as customers read it; empty where too little is measured.
func (a *Answers) Told(ctx context.Context) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.measured.IsZero() && time.Since(a.measured) < answersLifetime {
		return a.told, nil
	}
	d, err := AnswerTime(ctx, a.DB)
	if err != nil {
		return "", err
	}
	a.told, a.measured = Told(d), time.Now()
	return a.told, nil
}
