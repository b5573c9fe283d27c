package support

import "github.com/tradepost/tradepost/models/store"

// Personal are the tables of this package with rows about people.
var Personal = []store.Personal{
	{Table: "tickets", File: "tickets", Query: `SELECT t.reference, t.subject, t.status, t.created_at, t.closed_at,
		(SELECT coalesce(json_agg(json_build_object('author', m.author, 'at', m.created_at, 'text', m.body) ORDER BY m.id), '[]') FROM ticket_messages m
		  WHERE m.ticket_id = t.id) AS messages FROM tickets t WHERE t.user_id = @user ORDER BY t.created_at`,
		AtClosing: []string{
			`UPDATE tickets SET status = 'closed', closed_at = coalesce(closed_at, clock_now()), closes_at = NULL, waits_since = NULL WHERE user_id = @user`,
			`UPDATE tickets SET assignee_id = NULL, assigned_at = NULL WHERE assignee_id = @user AND status <> 'closed'`,
			`UPDATE ticket_messages m SET body = '', erased_at = clock_now() FROM tickets t WHERE t.id = m.ticket_id AND t.user_id = @user AND m.erased_at IS NULL`}},
}
