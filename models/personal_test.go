package models_test

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/privacy"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/support"
)

// Every table with rows about a person is listed: how it is exported, and when it is erased.
func TestEveryTableAboutPeopleIsListed(t *testing.T) {
	s := openShop(t)
	listed := privacy.PersonalTables()
	rows, err := s.db.Pool().Query(t.Context(), `SELECT DISTINCT table_name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
		WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND (column_name = 'user_id' OR table_name = 'users')`)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		require.Contains(t, listed, name, "a table about people that its owner does not list in Personal: %s", asvs.Claim(t, "14.1.1"))
	}
	require.NoError(t, rows.Err())
}

// A data export holds all of its customer's data, no other person's, and no secret.
func TestBar35ADataExportHoldsNoSecretAndNoOtherPersonsData(t *testing.T) {
	c := openCounter(t)
	c.submit(regularForm("CANARY-CODE-1", "100"))
	stranger := store.NewID()
	c.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', 'stranger', 'stranger@example.com', true)`, stranger)
	for _, id := range []string{c.user, stranger} {
		_, err := support.OpenTicket(t.Context(), c.db, support.NewTicket{UserID: id, Subject: "general", Message: "mine is " + id})
		require.NoError(t, err)
		require.NoError(t, account.CreateSession(t.Context(), c.db, account.NewSession{TokenHash: []byte("CANARY" + id), UserID: id, UserAgent: "Browser", IDToken: "CANARY"}))
	}
	data, err := privacy.DataOf(t.Context(), c.db, c.user)
	require.NoError(t, err)
	all, err := json.Marshal(data)
	require.NoError(t, err)
	require.Contains(t, string(all), "mine is "+c.user)
	require.Contains(t, string(data["gift_cards"]), `"value":100`)
	require.Contains(t, string(data["sessions"]), "Browser")
	require.NotContains(t, string(all), stranger)
	require.NotContains(t, string(all), "CANARY")
}

// A closed account keeps what the law requires and loses the rest; after seven years nothing identifies the owner of
// the records.
func TestClosedAccountsAreErasedInTwoSteps(t *testing.T) {
	c := openCounter(t)
	card := c.review(regularForm("CODE123456", "100"))
	require.NoError(t, c.decideAndExecute(card.ID, giftcard.CardReject, 0, "It was used before, Ada"))
	ticket, err := support.OpenTicket(t.Context(), c.db, support.NewTicket{UserID: c.user, Subject: "general", Message: "I am Ada"})
	require.NoError(t, err)
	require.NoError(t, account.CreateSession(t.Context(), c.db, account.NewSession{TokenHash: []byte("token"), UserID: c.user, UserAgent: "Browser", IP: "192.0.2.1"}))
	closure, err := privacy.AskToClose(t.Context(), c.db, c.user)
	require.NoError(t, err)
	require.NoError(t, privacy.CloseAccount(t.Context(), c.db, closure.ID))
	require.Equal(t, 0, c.count(`SELECT count(*) FROM users WHERE closed_at IS NOT NULL`), "not before its time")
	c.advance(privacy.ClosurePause + time.Minute)
	require.NoError(t, privacy.CloseAccount(t.Context(), c.db, closure.ID))
	require.NoError(t, privacy.CloseAccount(t.Context(), c.db, closure.ID), "again does nothing")

	who, err := account.UseSession(t.Context(), c.db, []byte("token"))
	require.NoError(t, err)
	require.Nil(t, who)
	require.Equal(t, 0, c.count(`SELECT count(*) FROM sessions WHERE user_agent <> '' OR ip <> ''`))
	_, messages, err := support.TicketRecord(t.Context(), c.db, c.user, ticket.ID)
	require.NoError(t, err)
	require.Empty(t, messages[0].Body)
	require.Equal(t, 1, c.count(`SELECT count(*) FROM users WHERE id = $1 AND email <> '' AND erased_at IS NULL AND erase_after > clock_now() + interval '6 years'`, c.user))

	require.NoError(t, privacy.EraseClosedAccounts(t.Context(), c.db, 10))
	require.Equal(t, 0, c.count(`SELECT count(*) FROM users WHERE erased_at IS NOT NULL`))
	_, err = support.WriteInTicket(t.Context(), c.db, c.user, ticket.ID, "I am Ada, and was under way when the account was closed")
	require.NoError(t, err)
	c.advance(7 * 366 * 24 * time.Hour)
	require.NoError(t, privacy.EraseClosedAccounts(t.Context(), c.db, 10))
	require.Equal(t, 0, c.count(`SELECT count(*) FROM ticket_messages WHERE body <> ''`))
	require.Equal(t, 1, c.count(`SELECT count(*) FROM users WHERE id = $1 AND email = '' AND first_name = '' AND subject = 'erased:' || id AND erased_at IS NOT NULL`, c.user))
	require.Equal(t, 0, c.count(`SELECT count(*) FROM gift_cards WHERE reject_reason LIKE '%Ada%'`))
	require.Equal(t, 1, c.count(`SELECT count(*) FROM gift_cards`), "the record stays, without a name")
	require.Equal(t, 2, c.count(`SELECT count(*) FROM audit_log WHERE action IN ('account.close', 'account.erase') AND object_id = $1`, c.user))
	c.balanced()
}

// A record opened after the request keeps the account open, and its owner is notified.
func TestAnAccountWithSomethingOpenIsNotClosed(t *testing.T) {
	c := openCounter(t)
	closure, err := privacy.AskToClose(t.Context(), c.db, c.user)
	require.NoError(t, err)
	c.review(regularForm("CODE123456", "100"))
	c.advance(privacy.ClosurePause + time.Minute)
	require.NoError(t, privacy.CloseAccount(t.Context(), c.db, closure.ID))
	last, err := privacy.LastClosure(t.Context(), c.db, c.user)
	require.NoError(t, err)
	require.Equal(t, privacy.ClosureRefused, last.Status)
	require.Equal(t, "gift_card", *last.RefusedBecause)
	require.Equal(t, 0, c.count(`SELECT count(*) FROM users WHERE closed_at IS NOT NULL OR disabled_at IS NOT NULL`))
	require.Equal(t, 1, c.count(`SELECT count(*) FROM mails WHERE kind = 'account_not_closed'`))
}

// An account comes due for closure while its owner buys something and withdraws the request, all at once. It is
// closed with nothing open, or it stays theirs; neither is lost, and no order is without an owner.
func TestBar18AnAccountIsClosedOrUsedNeverBoth(t *testing.T) {
	s := openShop(t)
	ends := map[string]int{}
	for range 25 {
		s.user = store.NewID()
		s.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', $2, $2 || '@example.com', true)`, s.user, s.user)
		s.exec(`INSERT INTO kyc_records (user_id, level, status) VALUES ($1, 'standard', 'approved')`, s.user)
		require.NoError(t, ledger.OpenCustomerAccounts(t.Context(), s.db, s.user))
		quote, err := s.quoter.Quote(t.Context(), s.input("0.001"))
		require.NoError(t, err)
		closure, err := privacy.AskToClose(t.Context(), s.db, s.user)
		require.NoError(t, err)
		s.exec(`UPDATE account_closures SET wake_at = clock_now() - interval '1 minute' WHERE id = $1`, closure.ID)
		var ordered, kept error
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() { assert.NoError(t, privacy.CloseAccount(t.Context(), s.db, closure.ID)) })
		}
		all.Go(func() { _, ordered = s.order(t.Context(), quote) })
		all.Go(func() { _, kept = privacy.KeepAccount(t.Context(), s.db, s.user) })
		all.Wait()
		last, err := privacy.LastClosure(t.Context(), s.db, s.user)
		require.NoError(t, err)
		ends[last.Status]++
		var shut bool
		require.NoError(t, s.db.Pool().QueryRow(t.Context(), `SELECT disabled_at IS NOT NULL FROM users WHERE id = $1`, s.user).Scan(&shut))
		require.Equal(t, last.Status == privacy.ClosureClosing, shut)
		require.Equal(t, last.Status == privacy.ClosureCancelled, kept == nil, "%v", kept)
		require.False(t, shut && ordered == nil, "an order of somebody who is gone")
		if last.Status == privacy.ClosureRefused {
			require.NoError(t, ordered)
			require.Equal(t, "order", *last.RefusedBecause)
		}
		var reported int
		require.NoError(t, s.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM matter_events WHERE matter_id = $1 AND kind <> 'requested'`, closure.ID).Scan(&reported))
		require.Equal(t, 1, reported, "one end, told once")
	}
	t.Log(ends)
}
