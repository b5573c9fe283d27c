package account

import "github.com/tradepost/tradepost/models/store"

// Personal are the tables of this package with rows about people.
var Personal = []store.Personal{
	{Table: "preferences", File: "preferences", Query: `SELECT language, muted AS no_mails_about, news FROM preferences WHERE user_id = @user`,
		AtClosing: []string{`UPDATE preferences SET news = false WHERE user_id = @user`}},
	{Table: "consents", File: "consents", Query: `SELECT document, version, language, text_sha256, address_prefix, at_sign_up, given_at FROM consents
		WHERE user_id = @user ORDER BY given_at, document`, AtEnd: []string{`UPDATE consents SET address_prefix = '' WHERE user_id = @user`}},
	{Table: "sessions", File: "sessions", Query: `SELECT user_agent, ip, created_at, last_seen_at, expires_at, revoked_at FROM sessions
		WHERE user_id = @user ORDER BY created_at`,
		AtClosing: []string{`UPDATE sessions SET revoked_at = coalesce(revoked_at, clock_now()), id_token = '', user_agent = '', ip = '' WHERE user_id = @user`}},
	{Table: "devices", File: "devices", Query: `SELECT first_seen_at, last_seen_at FROM devices WHERE user_id = @user ORDER BY first_seen_at`,
		AtClosing: []string{`DELETE FROM devices WHERE user_id = @user`}},
	{Table: "second_factors", File: "two_factor", Query: `SELECT enabled_at, updated_at FROM second_factors WHERE user_id = @user`,
		AtClosing: []string{`UPDATE second_factors SET sealed_seed = NULL, enabled_at = NULL, pending_seed = NULL, pending_since = NULL WHERE user_id = @user`}},
	{Table: "backup_codes", Why: "only their hashes are kept: nobody can read them",
		AtClosing: []string{`DELETE FROM backup_codes WHERE user_id = @user`}},
	{Table: "two_factor_recoveries", File: "two_factor_recoveries", Query: `SELECT reference, status, created_at, ready_at, closed_at FROM two_factor_recoveries
		WHERE user_id = @user ORDER BY created_at`},
}
