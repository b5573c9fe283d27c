package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tradepost/tradepost/models/store"
)

func (e *examination) databaseChecks() []Check {
	return []Check{
		{"database.application", "DATABASE_URL: the schema, and that each process's role may do what it needs alone", e.needs(e.Postgres != nil, "DATABASE_URL", e.application)},
		{"database.owner", "MIGRATE_DATABASE_URL owns the tables", e.needs(e.Migration != nil, "MIGRATE_DATABASE_URL", e.owner)},
		{"database.identity", "IDENTITY_DATABASE_URL owns its schema, and sees nothing else", e.needs(e.Identity != nil, "IDENTITY_DATABASE_URL", e.identity)},
	}
}

// roles is the advice about a role that may do too much, or too little.
const roles = "Make the roles as deploy/postgres/roles.sh does, and give each service the address of its own."

func (e *examination) application(ctx context.Context) []Finding {
	db, err := e.database(ctx)
	switch {
	case errors.Is(err, store.ErrOldSchema):
		return []Finding{wrong("database_schema_old", "Run `api migrate` of this release (the service migrate), then start the others.", "%v", err)}
	case errors.Is(err, store.ErrOwner):
		return []Finding{wrong("database_role_owns", roles, "%v", err)}
	case err != nil:
		return unreachable("DATABASE_URL", err)
	}
	lacking, beyond, err := store.Rights(ctx, db)
	if err != nil {
		return []Finding{wrong("database_unreachable", "Look at Postgres's log.", "the database does not answer: %v", err)}
	}
	const again = "Find out who changed it, and run `api migrate`, which makes the rights what they are to be."
	var found []Finding
	if len(beyond) > 0 {
		found = append(found, wrong("database_role_may_more", again, "processes' roles may do more than their programs need: %s", some(beyond)))
	}
	if len(lacking) > 0 {
		found = append(found, wrong("database_role_may_less", again, "processes' roles may not do what their programs need: %s", some(lacking)))
	}
	return found
}

// some are the first of a list.
func some(list []string) string {
	const most = 5
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

// asked runs one query on a connection of its own.
func asked(ctx context.Context, address, question string, answer any) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return conn.QueryRow(ctx, question).Scan(answer)
}

// What Postgres answers where there is no such database, and the class of its answers to a wrong user or password.
const noDatabase, notAuthorized = "3D000", "28"

// unreachable is the finding about an address of Postgres that lets nobody in, with advice by the cause.
func unreachable(variable string, err error) []Finding {
	var refused *pgconn.PgError
	do := "Look whether Postgres runs, and at host and port in " + variable + "."
	switch {
	case errors.As(err, &refused) && refused.Code == noDatabase:
		do = "Make the databases as deploy/postgres/roles.sh does, or correct the database in " + variable + "."
	case errors.As(err, &refused) && strings.HasPrefix(refused.Code, notAuthorized):
		do = "Correct user and password in " + variable + ": the role has the password that deploy/postgres/roles.sh was given."
	case distrusted(err):
		do = "Name in PGSSLROOTCERT the file of the authority that signed its certificate, and in " + variable +
			" a host that is named there; if both are so, this machine's clock is wrong."
	}
	return []Finding{wrong("database_unreachable", do, "Postgres does not let %s in: %v", variable, err)}
}

func (e *examination) owner(ctx context.Context) []Finding {
	var owns bool
	err := asked(ctx, e.Migration.DatabaseURL, `SELECT NOT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'public' AND NOT pg_has_role(current_user, tableowner, 'member'))`, &owns)
	if err != nil {
		return unreachable("MIGRATE_DATABASE_URL", err)
	}
	if !owns {
		return []Finding{wrong("database_owner_differs", roles, "the role of MIGRATE_DATABASE_URL does not own the tables: the next migration fails")}
	}
	return nil
}

func (e *examination) identity(ctx context.Context) []Finding {
	var reach string
	err := asked(ctx, e.Identity.URL, `SELECT coalesce(string_agg(tablename, ', ' ORDER BY tablename), '') FROM pg_tables
		WHERE schemaname = 'public' AND has_table_privilege(current_user, format('%I.%I', schemaname, tablename), 'SELECT, INSERT, UPDATE, DELETE')`, &reach)
	if err != nil {
		return unreachable("IDENTITY_DATABASE_URL", err)
	}
	if reach != "" {
		return []Finding{wrong("database_identity_reaches", roles, "the identity provider's role reaches into the application's tables: %s", reach)}
	}
	return nil
}
