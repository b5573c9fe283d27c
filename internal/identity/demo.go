package identity

import (
	"context"
	"errors"

	"github.com/google/uuid"
)

// DemoPassword opens the demo accounts of local mode.
const DemoPassword = "tradepost-demo-1"

// demoPeople are the accounts of local mode: three administrators, because two have to
// agree about some receipts and neither sends their coin, and a customer. Roles are the site's case.
var demoPeople = []account{
	{Email: "alice@example.com", GivenName: "Alice", FamilyName: "Archer", Country: "US"},
	{Email: "bob@example.com", GivenName: "Bob", FamilyName: "Baker", Country: "US"},
	{Email: "carol@example.com", GivenName: "Carol", FamilyName: "Cook", Country: "US"},
	{Email: "casey@example.com", GivenName: "Casey", FamilyName: "Carter", Country: "US"},
}

// demoAccounts seeds the demo people in local mode, once, and refuses a
// database that has them in any other: their password is public.
func (s *Server) demoAccounts(ctx context.Context) error {
	var seeded int
	if err := s.db.QueryRow(ctx, `SELECT count(*) FROM users WHERE demo`).Scan(&seeded); err != nil {
		return err
	}
	if s.settings.Mode != ModeLocal {
		if seeded > 0 {
			return errors.New("IDENTITY_DATABASE_URL: this database has demo accounts; " + s.settings.Mode + " does not start on it")
		}
		return nil
	}
	if seeded >= len(demoPeople) {
		return nil
	}
	for _, person := range demoPeople {
		hash, err := s.hasher.hash(ctx, DemoPassword)
		if err != nil {
			return err
		}
		const sql = `
			INSERT INTO users (id, email, email_key, email_verified_at, password_hash, given_name, family_name, country,
			                   adult_confirmed_at, terms_version, terms_accepted_at, demo)
			VALUES ($1, $2, $2, now(), $3, $4, $5, $6, now(), $7, now(), true)
			ON CONFLICT (email_key) DO NOTHING`
		_, err = s.db.Exec(ctx, sql, uuid.New(), person.Email, hash, person.GivenName, person.FamilyName, person.Country, s.settings.termsVersion())
		if err != nil {
			return err
		}
	}
	return nil
}
