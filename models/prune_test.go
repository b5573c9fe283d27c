package models_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/webhook"
)

const day = 24 * time.Hour

// pruned prunes rows until there are no more, and gives their number.
func (s *shop) pruned(p store.Pruned, kept time.Duration) (all int64) {
	s.Helper()
	for more := true; more; {
		var done int64
		var err error
		done, more, err = s.db.Prune(s.Context(), p, kept)
		require.NoError(s, err)
		all += done
	}
	return all
}

// Webhooks are pruned once they were handled long ago and what they are about is closed. One that comes again then
// changes the order as little as one that is still there.
func TestWebhooksArePruned(t *testing.T) {
	s := openShop(t)
	o := s.ordered()
	s.owner(`INSERT INTO webhook_inbox (provider, event_id, type, subject, order_id, received_at, handled_at)
		SELECT 'stripe', name, 'payment_intent.succeeded', 'pi_1', CAST($1 AS uuid), clock_now() - interval '99 days', clock_now() - age
		  FROM (VALUES ('old', interval '91 days'), ('young', interval '89 days'), ('open', NULL)) v (name, age)`, o.ID)
	s.owner(`INSERT INTO webhook_inbox (provider, event_id, type, subject, handled_at) SELECT 'sumsub', n, 'x', 'x', clock_now() - interval '91 days' FROM generate_series(1, 2500) n`)
	require.EqualValues(t, 2500, s.pruned(webhook.Pruned, 90*day), "the order is open")
	require.Zero(t, s.pruned(webhook.Pruned, 0))
	s.owner(`UPDATE orders SET status = 'failed', closed_at = clock_now() WHERE id = $1`, o.ID)
	require.EqualValues(t, 1, s.pruned(webhook.Pruned, 90*day))
	require.Equal(t, 2, count(s, `SELECT count(*) FROM webhook_inbox WHERE event_id IN ('young', 'open')`))

	events := s.kinds(o.ID)
	for _, event := range []string{"old", "young"} {
		done, err := order.StoreAuthorisation(t.Context(), s.db, webhook.WebhookNotice{Provider: "stripe", EventID: event, Type: "charge.succeeded", Owner: webhook.Owner{OrderID: o.ID}, At: time.Now()},
			&order.PaymentReading{PaymentID: "pi_1", Authorised: true, Capturable: o.Total})
		require.NoError(t, err)
		require.True(t, done, event)
	}
	require.Equal(t, events, s.kinds(o.ID))
}

// Mails and calls are pruned once they were sent or given up long ago; what caused one of them causes no other.
func TestMailsArePruned(t *testing.T) {
	s := openShop(t)
	o := s.ordered()
	sent := func() {
		require.NoError(t, order.ChangeOrder(t.Context(), s.db, o.ID, func(c *order.OrderChange) error {
			return c.Event(casework.Event{Kind: "sent", Dedupe: "sent"})
		}))
	}
	sent()
	mails := func() int { return count(s, `SELECT count(*) FROM mails`) }
	before := mails()
	require.Positive(t, before)
	s.owner(`UPDATE mails SET sent_at = clock_now() - interval '731 days'`)
	require.Zero(t, s.pruned(casework.MailOutbox.Pruned(), 730*day), "the order is open")
	s.owner(`UPDATE orders SET closed_at = clock_now() WHERE id = $1`, o.ID)
	s.owner(`INSERT INTO mails (order_id, event_id, kind, user_id, staff, dedupe, given_up_at) SELECT order_id, event_id, kind, user_id, staff, 'young', clock_now() - interval '729 days' FROM mails LIMIT 1`)
	s.owner(`INSERT INTO mails (order_id, event_id, kind, user_id, staff, dedupe, created_at) SELECT order_id, event_id, kind, user_id, staff, 'waits', clock_now() - interval '999 days' FROM mails LIMIT 1`)
	require.EqualValues(t, before, s.pruned(casework.MailOutbox.Pruned(), 730*day))
	sent()
	require.Equal(t, 2, mails())

	s.owner(`INSERT INTO alerts (kind, subject, count, since) VALUES ('breaks', 'stripe', 1, clock_now())`)
	s.owner(`INSERT INTO alert_calls (alert_id, state, sent_at) SELECT id, state, clock_now() - age FROM alerts, (VALUES ('opened', interval '731 days'), ('closed', interval '729 days')) v (state, age)`)
	require.EqualValues(t, 1, s.pruned(casework.CallOutbox.Pruned(), 730*day))
}

// Histories are pruned, by core alone, and Postgres keeps those of the last two years whatever is asked of it.
func TestHistoriesArePruned(t *testing.T) {
	s := openShop(t)
	o := s.ordered()
	s.owner(`INSERT INTO histories (workflow_id, run_id, order_id, workflow_type, events, started_at, closed_at, zipped)
		SELECT 'order/1', age, $1, 'Order', 1, clock_now() - age, clock_now() - age, '' FROM unnest(ARRAY[interval '8 years', interval '6 years', interval '1 year']) age`, o.ID)
	require.EqualValues(t, 1, s.pruned(order.PrunedHistories, 7*365*day))
	_, _, err := s.db.Prune(t.Context(), order.PrunedHistories, 300*day)
	require.ErrorContains(t, err, "two years")
	require.Equal(t, 2, count(s, `SELECT count(*) FROM histories`))
}

// docs/operations.md says of each table how long its rows are kept.
func TestEachTableIsKeptByAPolicy(t *testing.T) {
	page, err := os.ReadFile("../docs/operations.md")
	require.NoError(t, err)
	_, text, _ := strings.Cut(string(page), "<!-- kept -->")
	text, _, found := strings.Cut(text, "<!-- end -->")
	require.True(t, found)
	var listed, tables []string
	for _, row := range strings.Split(text, "\n") {
		if cells := strings.Split(row, "|"); len(cells) > 2 {
			for _, name := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(cells[1], -1) {
				listed = append(listed, name[1])
			}
		}
	}
	for _, names := range owns {
		tables = append(tables, strings.Fields(names)...)
	}
	slices.Sort(listed)
	slices.Sort(tables)
	require.Equal(t, tables, listed)
}
