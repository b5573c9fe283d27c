package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// errand is something beside an order that goes its way for one customer, from
// nothing to its end. Each customer has one. Whoever adds a way adds it here,
// and every transaction of it is killed in.
type errand struct {
	name string
	// customer makes who it is for; a newcomer unless set.
	customer func(t *testing.T) *visitor
	drive    func(ctx context.Context, b *buyer) error
}

var errands = []errand{
	{name: "a gift card", drive: func(ctx context.Context, b *buyer) error {
		return steps(ctx, b.sellsCard, b.judges("approve", map[string]string{"value": "40"}, "approved"),
			b.judges("realise", map[string]string{"amount": "39", "reference": "sale"}, "realised"))
	}},
}

// killErrands kills the API and core at every transaction of everything that
// goes its way beside orders: what it left behind is what it leaves when nobody
// is killed.
func (m *matrix) killErrands(t *testing.T) {
	for _, e := range errands {
		t.Run(e.name, func(t *testing.T) { m.killErrand(t, e) })
	}
}

func (m *matrix) killErrand(t *testing.T, e errand) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	clean := m.errandOf(t, e)
	before := len(m.points.passages(t, clean.id))
	require.NoError(t, e.drive(ctx, clean))
	quietly(ctx, func() int { return len(m.points.passages(t, clean.id)) })
	seen := slices.DeleteFunc(m.points.passages(t, clean.id)[before:], func(p passage) bool { return p.Alone })
	struck := slices.DeleteFunc(transactionsOf(seen), func(s step) bool { return s.nth > 1 })
	require.NotEmpty(t, struck)
	want := left(t, clean)
	t.Logf("%d steps %v; it leaves %v", len(struck), struck, want)
	for _, victim := range []string{"api", "core", "payments", "exchange", "custody"} {
		mine := slices.DeleteFunc(slices.Clone(struck), func(s step) bool { return s.process != victim })
		flights := make([]flight, 2*len(mine))
		together(t, len(flights), func(i int) {
			b, s, moment := m.errandOf(t, e), mine[i/2], []string{"before", "after"}[i%2]
			flights[i] = flight{e.name + ", " + moment + " " + s.String() + ", kill " + victim, b,
				func(ctx context.Context) error { return m.errandStruck(ctx, e, b, s, moment) },
				func(t *testing.T) {
					until(t, "all that it leaves", func() bool { return len(left(t, b)) >= len(want) })
					require.Equal(t, want, left(t, b))
				}}
		})
		for batch := range slices.Chunk(flights, width) {
			t.Run("kill "+victim, func(t *testing.T) { m.fly(t, victim, batch) })
		}
	}
}

// errandOf is somebody with an errand; its id is the customer's.
func (m *matrix) errandOf(t *testing.T, e errand) *buyer {
	t.Helper()
	customer := signedUp
	if e.customer != nil {
		customer = e.customer
	}
	b := &buyer{customer: customer(t), staff: m.buyers[0].staff}
	require.NoError(t, database.QueryRow(t.Context(), "SELECT id FROM users WHERE email = $1", b.customer.mail).Scan(&b.id))
	return b
}

// errandStruck arms a failpoint for one customer's errand and runs it.
func (m *matrix) errandStruck(ctx context.Context, e errand, b *buyer, s step, moment string) error {
	id, err := m.points.arm(failpoint{Process: s.process, Transaction: s.transaction, Moment: moment, Match: b.id})
	if err != nil {
		return err
	}
	m.stands(b, func() bool { return m.points.stopped(id) }, func() error { return m.points.release(id) })
	if err := e.drive(ctx, b); err != nil {
		return err
	}
	return m.struckDown(ctx, b)
}

// left is what somebody's errand left behind: events, postings and mails, their
// own id taken out.
func left(t *testing.T, b *buyer) []string {
	t.Helper()
	rows, err := database.Query(t.Context(), `
		SELECT 'event ' || e.kind FROM gift_card_events e JOIN gift_cards g ON g.id = e.card_id WHERE g.user_id = $1
		UNION ALL SELECT 'event ' || matter || ' ' || kind FROM matter_events WHERE user_id = $1
		UNION ALL SELECT 'posting ' || p.event || ' ' || p.from_account || ' → ' || p.to_account || ' ' || p.amount || ' ' || p.currency FROM postings p
		 WHERE p.gift_card_id IN (SELECT id FROM gift_cards WHERE user_id = $1) OR p.matter_id IN (SELECT matter_id FROM matter_events WHERE user_id = $1)
		UNION ALL SELECT 'mail ' || kind FROM mails WHERE user_id = $1 AND order_id IS NULL`, b.id)
	require.NoError(t, err)
	defer rows.Close()
	var list []string
	for rows.Next() {
		var line string
		require.NoError(t, rows.Scan(&line))
		list = append(list, strings.ReplaceAll(line, b.id, "theirs"))
	}
	require.NoError(t, rows.Err())
	slices.Sort(list)
	return list
}

// where reports where the customer's newest row of a table is.
func (b *buyer) where(ctx context.Context, table string) (id, status string) {
	_ = database.QueryRow(ctx, "SELECT id, status FROM "+table+" WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1", b.id).Scan(&id, &status) // none yet
	return id, status
}

// sellsCard sends a gift card under one key, until it is there.
func (b *buyer) sellsCard(ctx context.Context) error {
	var form bytes.Buffer
	fields := multipart.NewWriter(&form)
	for name, value := range map[string]string{"brand": "amazon", "value": "40", "cardType": "regular", "cardCode": "TP" + rand.Text()[:10], "pin": "4711"} {
		_ = fields.WriteField(name, value) // into memory, which takes everything
	}
	_ = fields.Close()
	return insist(ctx, "a gift card in review", func() bool { _, at := b.where(ctx, "gift_cards"); return at == "in_review" }, func() {
		request := b.customer.request(http.MethodPost, "/api/gift-cards", fields.FormDataContentType(), bytes.NewReader(form.Bytes())).WithContext(ctx)
		request.Header.Set("Idempotency-Key", "card-of-"+b.id)
		if response, err := b.customer.http.Do(request); err == nil {
			_ = response.Body.Close()
		}
	})
}

// judges has staff decide about the card until it stands where that leads.
func (b *buyer) judges(kind string, body any, there string) func(context.Context) error {
	return func(ctx context.Context) error {
		return insist(ctx, fmt.Sprintf("a gift card that is %s", there), func() bool { _, at := b.where(ctx, "gift_cards"); return at == there }, func() {
			id, _ := b.where(ctx, "gift_cards")
			b.staff.try(ctx, http.MethodPost, "/api/admin/gift-cards/"+id+"/"+kind, "", body, nil)
		})
	}
}
