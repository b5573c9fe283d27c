package people

import "github.com/tradepost/tradepost/models/store"

// Personal are the tables of this package with rows about people.
var Personal = []store.Personal{
	{Table: "users", File: "profile", Query: `SELECT id, email, email_verified, first_name, last_name, country, terms_version, terms_accepted_at,
		adult_confirmed_at, volume_tier, restricted_at, created_at FROM users WHERE id = @user`,
		AtClosing: []string{`UPDATE users SET profile_image_url = '' WHERE id = @user`},
		AtEnd: []string{`UPDATE users SET email = '', email_verified = false, first_name = '', last_name = '', country = '', subject = 'erased:' || id,
			erased_at = clock_now(), updated_at = clock_now() WHERE id = @user`,
			`UPDATE users SET frozen_reason = '' WHERE id = @user`}},
	{Table: "customer_search", Why: "the name and the address of users again, to be found by; they go with them"},
	{Table: "user_roles", File: "roles", Query: `SELECT role, granted_at FROM user_roles WHERE user_id = @user ORDER BY granted_at`},
}
