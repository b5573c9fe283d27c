package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"

	"github.com/tradepost/tradepost/workflows"
)

// trace prints the time of one order in parts: processor time beside a bare workflow's, then its workflow's history and
// its timeline, by the millisecond.
func (h *platform) trace(ctx context.Context, _ plan, _ *report) error {
	bare, err := h.bareWorkflows()
	if err != nil {
		return err
	}
	defer bare.close()
	for range 2 {
		if err := h.besideBare(ctx, bare); err != nil {
			return err
		}
	}
	var id string
	if err := h.db.QueryRow(ctx, `SELECT id::text FROM orders ORDER BY created_at DESC LIMIT 1`).Scan(&id); err != nil {
		return err
	}
	first, err := h.printHistory(ctx, id)
	if err != nil {
		return err
	}
	return h.printTrace(ctx, id, first)
}

// besideBare prints what one order costs, and what a workflow that does nothing.
func (h *platform) besideBare(ctx context.Context, bare *bareWorkflows) error {
	for _, load := range []struct {
		what string
		time time.Duration
		do   func(ctx context.Context, i int) error
	}{
		{"one order", 8 * time.Second, func(ctx context.Context, i int) error { return h.runOrder(ctx, h.customers[i]) }},
		{"one bare workflow", 5 * time.Second, func(ctx context.Context, _ int) error { return bare.run(ctx, rand.Text(), anOrder) }},
	} {
		before := h.cpuTimes()
		_, took, err := rate(ctx, 8, load.time, load.do)
		if err != nil {
			return err
		}
		text, total := perOne(before, h.cpuTimes(), len(took))
		fmt.Printf("%s: %s ms; together %v %d\n", load.what, text, total, len(took))
	}
	return nil
}

// printHistory prints an order's workflow event by event, and returns when it began.
func (h *platform) printHistory(ctx context.Context, id string) (first time.Time, err error) {
	c, err := dialTemporal(h.stack.TemporalAddress())
	if err != nil {
		return first, err
	}
	defer c.Close()
	events := c.GetWorkflowHistory(ctx, workflows.OrderID(id), "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			return first, err
		}
		at := event.EventTime.AsTime()
		if first.IsZero() {
			first = at
		}
		fmt.Printf("%6d ms  %3d %s\n", at.Sub(first).Milliseconds(), event.EventId, labelOf(event))
	}
	return first, nil
}

// labelOf is an event's type with what distinguishes it from others of its type.
func labelOf(event *history.HistoryEvent) string {
	name := strings.TrimPrefix(event.EventType.String(), "EVENT_TYPE_")
	if a := event.GetActivityTaskScheduledEventAttributes(); a != nil {
		name += " " + a.ActivityType.Name
	}
	if a := event.GetWorkflowExecutionSignaledEventAttributes(); a != nil {
		name += " " + a.SignalName + " " + fmt.Sprint(a.Input)
	}
	if a := event.GetMarkerRecordedEventAttributes(); a != nil {
		name += " " + a.MarkerName
	}
	if a := event.GetTimerStartedEventAttributes(); a != nil {
		name += " " + a.StartToFireTimeout.AsDuration().String()
	}
	return name
}

// printTrace prints when each line of an order's timeline was written.
func (h *platform) printTrace(ctx context.Context, id string, first time.Time) error {
	rows, err := h.db.Query(ctx, `SELECT round(1000*extract(epoch FROM at - $2::timestamptz)), kind FROM order_events WHERE order_id = $1 ORDER BY id`, id, first)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var ms float64
		var kind string
		if err := rows.Scan(&ms, &kind); err != nil {
			return err
		}
		fmt.Printf("%6.0f ms  %s\n", ms, kind)
	}
	return rows.Err()
}
