package testbed

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib" // goose speaks database/sql
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"

	"github.com/tradepost/tradepost/internal/local/build"
	"github.com/tradepost/tradepost/internal/local/postgres"
	"github.com/tradepost/tradepost/models/store"
)

// Database is one test's own database.
type Database struct {
	// Name of the database.
	Name string
	// App is the address for a role that has the rights of all processes, and owns nothing.
	App string
	// Process are the addresses for the role of each process.
	Process map[string]string
	// Owner is the address for the role that owns the tables.
	Owner string
	// Identity is the address for the identity provider's role.
	Identity string
	// Admin is the address for the superuser.
	Admin string
}

// DB returns a database with all migrations applied. It is dropped when the
// test is over.
func DB(t testing.TB) Database {
	t.Helper()
	template, err := migrated()
	if err != nil {
		t.Fatalf("testbed: %v", err)
	}
	return clone(t, template)
}

// EmptyDB returns a database with the roles and the identity provider's
// schema, and no migration applied.
func EmptyDB(t testing.TB) Database {
	t.Helper()
	template, err := bare()
	if err != nil {
		t.Fatalf("testbed: %v", err)
	}
	return clone(t, template)
}

func clone(t testing.TB, template string) Database {
	t.Helper()
	admin, err := shared()
	if err != nil {
		t.Fatalf("testbed: %v", err)
	}
	name := "test_" + strings.ToLower(rand.Text())
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	statement := fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s STRATEGY FILE_COPY OWNER %s", name, template, postgres.OwnerRole)
	if err := execute(ctx, admin, statement); err != nil {
		t.Fatalf("testbed: %s: %v", statement, err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		if err := execute(ctx, admin, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("testbed: dropping %s: %v", name, err)
		}
	})
	return addresses(admin, name)
}

// addresses of one database on a throwaway server, for each role.
func addresses(admin, name string) Database {
	as := func(role, password string) string {
		u, err := url.Parse(admin)
		if err != nil {
			panic(err) // the address was used a moment ago
		}
		if role != "" {
			u.User = url.UserPassword(role, password)
		}
		u.Path = "/" + name
		return u.String()
	}
	processes := map[string]string{}
	for _, process := range postgres.Processes {
		processes[process] = as(postgres.RoleOf(process), process)
	}
	return Database{
		Name: name, Admin: as("", ""), Process: processes,
		App:      as(postgres.AppRole, passwords.App),
		Owner:    as(postgres.OwnerRole, passwords.Owner),
		Identity: as(postgres.IdentityRole, passwords.Identity),
	}
}

// bare and migrated are made once a process; the database itself once a server.
var (
	bare = sync.OnceValues(func() (string, error) {
		return template("template_bare", func(context.Context, Database) error { return nil })
	})
	migrated = sync.OnceValues(func() (string, error) {
		root, err := build.Root()
		if err != nil {
			return "", err
		}
		files := os.DirFS(filepath.Join(root, "models", "migrations"))
		sum, err := fingerprint(os.DirFS(filepath.Join(root, "models")), "migrations", "store/grants.go")
		if err != nil {
			return "", err
		}
		return template("template_"+sum, func(ctx context.Context, db Database) error {
			return errors.Join(migrate(ctx, files, db.Owner), store.Grant(ctx, db.Owner))
		})
	})
)

// template returns the name of a database that no one connects to, and makes
// it when this server has none of that name.
func template(name string, fill func(context.Context, Database) error) (string, error) {
	admin, err := shared()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, admin)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	const lock = 7_316_001 // test packages run side by side
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", lock); err != nil {
		return "", err
	}
	var exists bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&exists); err != nil || exists {
		return name, err
	}
	side := name + "_new"
	if _, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+side+" WITH (FORCE)"); err != nil {
		return "", err
	}
	if err := postgres.CreateDatabase(ctx, admin, side); err != nil {
		return "", err
	}
	if err := fill(ctx, addresses(admin, side)); err != nil {
		return "", err
	}
	_, err = conn.Exec(ctx, "ALTER DATABASE "+side+" RENAME TO "+name)
	return name, err
}

// fingerprint names the state of files and folders.
func fingerprint(files fs.FS, names ...string) (string, error) {
	hash := sha256.New()
	for _, name := range names {
		err := fs.WalkDir(files, name, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			raw, err := fs.ReadFile(files, path)
			fmt.Fprintf(hash, "%s %d\n%s", path, len(raw), raw)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil))[:12], nil
}

func migrate(ctx context.Context, files fs.FS, owner string) error {
	db, err := sql.Open("pgx", owner)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	provider, err := goose.NewProvider(database.DialectPostgres, db, files)
	if err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return err
}

func execute(ctx context.Context, url, statement string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, statement)
	return err
}
