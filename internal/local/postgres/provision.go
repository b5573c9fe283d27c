package postgres

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Names of the database and of its roles. The owner runs migrations; each process has a role of its own, which owns
// nothing and gets its rights from the migrations' program; the identity provider has a schema of its own and sees
// nothing else. AppRole is a member of all processes' roles, for the launcher, tests and benches.
const (
	Database     = "tradepost"
	OwnerRole    = "tradepost_owner"
	AppRole      = "tradepost_app"
	IdentityRole = "tradepost_identity"
)

// Processes are the processes that have a role: the API, the workers, and the commands that an operator runs.
var Processes = []string{"api", "core", "payments", "exchange", "custody", "operator"}

// RoleOf is the role of a process.
func RoleOf(process string) string { return "tradepost_" + process }

// Passwords of the roles; Process has those of Processes.
type Passwords struct {
	Owner, App, Identity string
	Process              map[string]string
}

// CreateRoles creates the roles, or sets their passwords when they exist. adminURL belongs to a role that may create
// roles.
func CreateRoles(ctx context.Context, adminURL string, pw Passwords) error {
	conn, err := pgx.Connect(ctx, adminURL)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	roles := [][2]string{{OwnerRole, pw.Owner}, {AppRole, pw.App}, {IdentityRole, pw.Identity}}
	for _, process := range Processes {
		roles = append(roles, [2]string{RoleOf(process), pw.Process[process]})
	}
	for _, role := range roles {
		if err := createRole(ctx, conn, role[0], role[1]); err != nil {
			return fmt.Errorf("role %s: %w", role[0], err)
		}
	}
	for _, process := range Processes {
		if _, err := conn.Exec(ctx, "GRANT "+RoleOf(process)+" TO "+AppRole); err != nil {
			return err
		}
	}
	_, err = conn.Exec(ctx, "ALTER ROLE "+IdentityRole+" SET search_path = identity")
	return err
}

func createRole(ctx context.Context, conn *pgx.Conn, name, password string) error {
	var exists bool
	if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)`, name).Scan(&exists); err != nil {
		return err
	}
	verb := "CREATE"
	if exists {
		verb = "ALTER"
	}
	_, err := conn.Exec(ctx, fmt.Sprintf("%s ROLE %s LOGIN PASSWORD '%s'", verb, name, strings.ReplaceAll(password, "'", "''")))
	return err
}

// CreateDatabase creates a database that belongs to the owner role, with the
// identity provider's schema. In one that is there already and belongs to
// another, the owner role is allowed to make tables. adminURL is a superuser's.
func CreateDatabase(ctx context.Context, adminURL, name string) error {
	conn, err := pgx.Connect(ctx, adminURL)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	var exists bool
	if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, name).Scan(&exists); err != nil {
		return err
	}
	if !exists {
		if _, err := conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()+" OWNER "+OwnerRole); err != nil {
			return fmt.Errorf("database %s: %w", name, err)
		}
	}
	return createSchema(ctx, adminURL, name)
}

func createSchema(ctx context.Context, adminURL, name string) error {
	u, err := url.Parse(adminURL)
	if err != nil {
		return err
	}
	u.Path = "/" + name
	conn, err := pgx.Connect(ctx, u.String())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, sql := range []string{
		"GRANT ALL ON DATABASE " + pgx.Identifier{name}.Sanitize() + " TO " + OwnerRole,
		"GRANT ALL ON SCHEMA public TO " + OwnerRole,
		"CREATE SCHEMA IF NOT EXISTS identity AUTHORIZATION " + IdentityRole,
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}
