package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	enums "go.temporal.io/api/enums/v1"

	"github.com/tradepost/tradepost/workflows"
)

// trace prints where the time of one order goes: what its workflow's history
// says, and how often each statement ran.
func (h *house) trace(ctx context.Context, _ plan, _ *report) error {
	bare, err := h.bareWorkflows()
	if err != nil {
		return err
	}
	defer bare.close()
	for range 2 {
		before := h.cpuTimes()
		_, took, err := rate(ctx, 8, 8*time.Second, func(ctx context.Context, i int) error { return h.carry(ctx, h.customers[i]) })
		if err != nil {
			return err
		}
		text, total := perOne(before, h.cpuTimes(), len(took))
		fmt.Println("one order:", text, "ms; together", total, len(took))
		before = h.cpuTimes()
		_, took, err = rate(ctx, 8, 5*time.Second, func(ctx context.Context, _ int) error { return bare.run(ctx, rand.Text(), anOrder) })
		if err != nil {
			return err
		}
		text, total = perOne(before, h.cpuTimes(), len(took))
		fmt.Println("one bare workflow:", text, "ms; together", total, len(took))
	}
	var id string
	if err := h.db.QueryRow(ctx, `SELECT id::text FROM orders ORDER BY created_at DESC LIMIT 1`).Scan(&id); err != nil {
		return err
	}
	c, err := dialTemporal(h.stack.TemporalAddress())
	if err != nil {
		return err
	}
	defer c.Close()
	history := c.GetWorkflowHistory(ctx, workflows.OrderID(id), "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	var first time.Time
	for history.HasNext() {
		event, err := history.Next()
		if err != nil {
			return err
		}
		at := event.EventTime.AsTime()
		if first.IsZero() {
			first = at
		}
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
		fmt.Printf("%6d ms  %3d %s\n", at.Sub(first).Milliseconds(), event.EventId, name)
	}
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
