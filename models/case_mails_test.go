package models_test

import (
	"testing"

	"github.com/lib/pq"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// Every mail that a case causes is queued once for each recipient, however often its event occurs: its customer,
// unless they unsubscribed from its topic, or the staff who can act on it, never for their own record.
func TestEveryCaseMailIsQueuedOnceForItsRecipient(t *testing.T) {
	s := openShop(t)
	person := func(roles ...string) string {
		id := store.NewID()
		s.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', $2, $2 || '@example.com', true)`, id, id)
		for _, role := range roles {
			s.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, $2, 'test')`, id, role)
		}
		return id
	}
	everyRole := []string{"support", "compliance", "finance", "admin"}
	staff := map[string]string{}
	for _, role := range everyRole {
		staff[role] = person(role)
	}
	gone := person(everyRole...)
	s.exec(`UPDATE users SET disabled_at = clock_now() WHERE id = $1`, gone)
	for _, rules := range casework.Kinds() {
		for _, m := range rules.Mailings {
			customer, quiet, colleague := person(), person(), person(everyRole...)
			s.exec(`INSERT INTO preferences (user_id, language, muted) VALUES ($1, 'en', $2)`, quiet, pq.StringArray(account.Topics))
			for _, owner := range []string{customer, quiet, colleague} {
				about := casework.About{Matter: rules.Matter, ID: store.NewID(), UserID: owner, Reference: "XX-1", Status: "open"}
				for range 2 {
					require.NoError(t, Tell(t.Context(), s.db, about, casework.Event{Kind: m.Event, Dedupe: "told"}))
				}
				mailed := func(to string) (n int) {
					require.NoError(t, s.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM mails m JOIN matter_events e ON e.id = m.matter_event_id
						WHERE e.matter_id = $1 AND m.kind = $2 AND m.user_id = $3`, about.ID, m.Kind, to).Scan(&n))
					return n
				}
				want := 1
				if m.Roles != nil || owner == quiet && TopicOf(m.Kind) != "" {
					want = 0
				}
				require.Equal(t, want, mailed(owner), "%s: %s", rules.Matter, m.Kind)
				for _, role := range m.Roles {
					require.Equal(t, 1, mailed(staff[role]), "%s: %s to %s", rules.Matter, m.Kind, role)
				}
				require.Zero(t, mailed(gone), "%s: %s", rules.Matter, m.Kind)
			}
			s.exec(`DELETE FROM user_roles WHERE user_id = $1`, colleague)
		}
	}
}

// An event causes one mail to its customer at most: it is written with the event.
func TestAnEventCausesOneMailToItsCustomer(t *testing.T) {
	lists := map[string][]casework.Mailing{"order": order.Mailings, "gift card": giftcard.CardMailings}
	for _, rules := range casework.Kinds() {
		lists[string(rules.Matter)] = rules.Mailings
	}
	for name, mailings := range lists {
		seen := map[string]string{}
		for _, m := range mailings {
			if m.Roles != nil {
				continue
			}
			require.Empty(t, seen[m.Event+m.Reason], "%s: %s", name, m.Event)
			seen[m.Event+m.Reason] = m.Kind
		}
	}
}
