package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	_ "go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql" // registers postgres12_pgx
	sqliteplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/tools/common/schema"
	"go.temporal.io/server/tools/sql"
	"google.golang.org/protobuf/types/known/durationpb"
)

const (
	clusterName    = "active"
	postgresPlugin = "postgres12_pgx"
	retention      = 30 * 24 * time.Hour // closed workflows stay readable in the web UI so long
)

// store is where the server keeps its state.
type store struct{ persistence config.Persistence }

// prepareStore sets up the schema and the namespace.
func prepareStore(o options) (store, error) {
	var main, visibility *config.SQL
	var err error
	shards := int32(1)
	if o.file != "" {
		main, err = prepareSQLite(o.file)
		visibility = main
	} else {
		main, visibility, err = preparePostgres(o.postgres)
		shards = 4
	}
	if err != nil {
		return store{}, err
	}
	if err := createNamespace(main, o); err != nil {
		return store{}, err
	}
	return store{persistence: config.Persistence{
		DefaultStore:     "main",
		VisibilityStore:  "visibility",
		NumHistoryShards: shards,
		DataStores:       map[string]config.DataStore{"main": {SQL: main}, "visibility": {SQL: visibility}},
	}}, nil
}

func createNamespace(db *config.SQL, o options) error {
	attributes := map[string]enumspb.IndexedValueType{}
	for _, name := range o.attributeNames() {
		attributes[name] = enumspb.INDEXED_VALUE_TYPE_KEYWORD
	}
	namespace, err := sqlite.NewNamespaceConfig(clusterName, o.namespace, false, attributes)
	if err != nil {
		return err
	}
	namespace.Detail.Config.Retention = durationpb.New(retention)
	return sqlite.CreateNamespaces(db, namespace) // speaks every SQL plugin, whatever its package is called
}

// prepareSQLite makes the file complete or not at all. The pragma keys have no
// underscore in front: with one they are silently ignored.
func prepareSQLite(file string) (*config.SQL, error) {
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		if err := createSQLite(file); err != nil {
			return nil, err
		}
	}
	return sqliteConfig(file, map[string]string{"journal_mode": "wal", "synchronous": "1", "busy_timeout": "10000"}), nil
}

func sqliteConfig(file string, attributes map[string]string) *config.SQL {
	attributes["mode"] = "rwc"
	return &config.SQL{
		PluginName: sqliteplugin.PluginName, DatabaseName: file, ConnectAttributes: attributes, MaxConns: 1, MaxIdleConns: 1,
	}
}

// createSQLite sets the schema up in a side file. That one stays open in the plugin's pool
// for as long as the process runs, so the file is a copy of it.
func createSQLite(file string) error {
	side, err := os.MkdirTemp(filepath.Dir(file), "temporal-schema-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(side) }()
	draft := filepath.Join(side, "draft")
	if err := sqlite.SetupSchema(sqliteConfig(draft, map[string]string{"journal_mode": "delete"})); err != nil {
		return err
	}
	raw, err := os.ReadFile(draft)
	if err != nil {
		return err
	}
	complete := filepath.Join(side, "complete")
	if err := os.WriteFile(complete, raw, 0o600); err != nil {
		return err
	}
	return os.Rename(complete, file)
}

// preparePostgres makes the two databases beside the one that the URL names
// and brings their schemas to the server's version.
func preparePostgres(address string) (main, visibility *config.SQL, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, nil, errors.New("-postgres is not a URL")
	}
	name := strings.TrimPrefix(u.Path, "/")
	main, err = preparePostgresDatabase(u, name, "postgresql/v12/temporal")
	if err != nil {
		return nil, nil, err
	}
	visibility, err = preparePostgresDatabase(u, name+"_visibility", "postgresql/v12/visibility")
	return main, visibility, err
}

func preparePostgresDatabase(u *url.URL, name, schemaName string) (*config.SQL, error) {
	if err := createDatabase(*u, name); err != nil {
		return nil, fmt.Errorf("database %s: %w", name, err)
	}
	password, _ := u.User.Password()
	cfg := &config.SQL{
		PluginName: postgresPlugin, DatabaseName: name, ConnectAddr: u.Host, ConnectProtocol: "tcp",
		User: u.User.Username(), Password: password, MaxConns: 20, MaxIdleConns: 20, MaxConnLifetime: time.Hour,
		ConnectAttributes: map[string]string{},
	}
	for attribute := range u.Query() { // such as target_session_attrs, where the host is one of several
		cfg.ConnectAttributes[attribute] = u.Query().Get(attribute)
	}
	conn, err := sql.NewConnection(cfg, log.NewNoopLogger())
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if _, err := conn.ReadSchemaVersion(); err != nil {
		setup := &schema.SetupConfig{InitialVersion: "0.0"}
		if err := schema.NewSetupSchemaTask(conn, setup, log.NewNoopLogger()).Run(); err != nil {
			return nil, fmt.Errorf("database %s: %w", name, err)
		}
	}
	update := &schema.UpdateConfig{DBName: name, SchemaName: schemaName}
	if err := schema.NewUpdateSchemaTask(conn, update, log.NewNoopLogger()).Run(); err != nil {
		return nil, fmt.Errorf("database %s: %w", name, err)
	}
	return cfg, nil
}

func createDatabase(u url.URL, name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	u.Path = "/postgres"
	conn, err := pgx.Connect(ctx, u.String())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	var exists bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&exists); err != nil || exists {
		return err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	return err
}
