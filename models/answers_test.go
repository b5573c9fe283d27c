package models_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/support"
)

// ticket is one that staff answered some minutes after it was opened, so many days ago; a second answer is none of the
// first ones.
func (s *shop) ticket(n, minutes, days int) {
	s.Helper()
	id := store.NewID()
	s.exec(`INSERT INTO tickets (id, reference, user_id, subject, status, awaits, created_at)
		VALUES ($1, $2, $3, 'general', 'open', 'staff', clock_now() - make_interval(days => $4))`,
		id, fmt.Sprintf("ST-%d", n), s.user, days)
	s.exec(`INSERT INTO ticket_messages (ticket_id, author, author_id, body, created_at)
		SELECT t.id, 'customer', t.user_id, 'Where is it?', t.created_at FROM tickets t WHERE t.id = $1`, id)
	for _, after := range []int{minutes, minutes + 500} {
		s.exec(`INSERT INTO ticket_messages (ticket_id, author, author_id, body, created_at)
			SELECT t.id, 'staff', t.user_id, 'Here.', t.created_at + make_interval(mins => $2)
			  FROM tickets t WHERE t.id = $1`, id, after)
	}
}

// What is told of support's answers is the median of the last 30 days' first ones, and nothing with fewer than ten.
func TestTheTimeOfAnswersIsMeasured(t *testing.T) {
	s := openShop(t)
	measured := func() time.Duration {
		t.Helper()
		d, err := support.AnswerTime(t.Context(), s.db)
		require.NoError(t, err)
		return d.Round(time.Second)
	}
	require.Zero(t, measured())
	for n := range 9 {
		s.ticket(n, 10*(n+1), 2)
	}
	for n := range 20 {
		s.ticket(100+n, 1, 40) // answered too long ago
	}
	require.Zero(t, measured(), "nine answers")
	s.ticket(9, 1000, 2)
	require.Equal(t, 55*time.Minute, measured())
	told, err := (&support.Answers{DB: s.db}).Told(t.Context())
	require.NoError(t, err)
	require.Equal(t, "55 minutes", told)
}

func TestATimeIsNeverToldShorterThanItIs(t *testing.T) {
	for d, told := range map[time.Duration]string{
		0: "", time.Second: "1 minute", 61 * time.Second: "2 minutes", 90 * time.Minute: "90 minutes",
		91 * time.Minute: "2 hours", 3 * time.Hour: "3 hours", 36 * time.Hour: "36 hours",
		37 * time.Hour: "2 days", 49 * time.Hour: "3 days"} {
		require.Equal(t, told, support.Told(d))
	}
}
