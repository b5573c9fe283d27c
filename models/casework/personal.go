package casework

import "github.com/tradepost/tradepost/models/store"

// Personal are the tables of this package with rows about people.
var Personal = []store.Personal{
	{Table: "customer_notes", Why: "what staff noted, which may be part of an investigation",
		AtEnd: []string{`UPDATE customer_notes SET body = '', erased_at = clock_now() WHERE user_id = @user AND erased_at IS NULL`}},
	{Table: "order_notes", Why: "likewise, about an order",
		AtEnd: []string{`UPDATE order_notes SET body = '', erased_at = clock_now() WHERE erased_at IS NULL AND order_id IN (SELECT id FROM orders WHERE user_id = @user)`}},
	{Table: "ticket_notes", Why: "likewise, about a ticket",
		AtEnd: []string{`UPDATE ticket_notes SET body = '', erased_at = clock_now() WHERE erased_at IS NULL AND ticket_id IN (SELECT id FROM tickets WHERE user_id = @user)`}},
	{Table: "matter_events", File: "history", Query: `SELECT matter, reference, at, kind, actor, status, data FROM matter_events
		WHERE user_id = @user AND NOT internal ORDER BY id`},
	{Table: "mailed_links", Why: "that a request waits for its mailed link; the request itself is given out",
		AtClosing: []string{`DELETE FROM mailed_links WHERE user_id = @user`}},
	{Table: "mails", File: "mails", Query: `SELECT kind, created_at, sent_at FROM mails WHERE user_id = @user AND NOT staff ORDER BY created_at`,
		AtEnd: []string{`UPDATE mails SET to_address = NULL WHERE user_id = @user AND to_address IS NOT NULL`}},
}
