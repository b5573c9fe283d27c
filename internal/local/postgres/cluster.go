package postgres

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"

	"github.com/tradepost/tradepost/internal/local/process"
)

// Options are the server to run.
type Options struct {
	// Bin is the folder of the binaries, from Find.
	Bin string
	// Dir is the folder of this server: data/ inside it, and nothing of others.
	Dir string
	// Port is the TCP port on Address.
	Port int
	// Address is what the server listens on; 127.0.0.1 when empty. Another one lets in the networks of its machine,
	// by password.
	Address string
	// Settings of the server, besides its own; they win.
	Settings map[string]string
	// Primary is the superuser's address of a server that a new data folder is copied from, to follow it.
	Primary string
	// Password is the superuser's, set when the data folder is made.
	Password string
	// Unsynced commits do not wait for the disk: they survive a killed server, and not a
	// crash of the machine.
	Unsynced bool
	// Throwaway trades durability for speed: right for tests alone.
	Throwaway bool
}

// Superuser is the name of the role that initdb makes.
const Superuser = "postgres"

// Cluster is a prepared data folder and the way to run a server on it.
type Cluster struct {
	opts    Options
	account account
}

// Prepare makes the data folder when there is none, and sees to it that the
// account that will run the server owns it.
func Prepare(ctx context.Context, opts Options) (*Cluster, error) {
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return nil, err
	}
	opts.Dir, opts.Address = dir, cmp.Or(opts.Address, "127.0.0.1")
	if opts.Bin, err = filepath.EvalSymlinks(opts.Bin); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	who, err := chooseAccount(filepath.Dir(dir), opts.Bin)
	if err != nil {
		return nil, err
	}
	c := &Cluster{opts: opts, account: who}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := c.own(); err != nil {
		return nil, err
	}
	return c, c.initialise(ctx)
}

// own gives the whole folder to the server's account when it is another's.
func (c *Cluster) own() error {
	info, err := os.Stat(c.opts.Dir)
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if ok && int(owner.Uid) == c.account.uid {
		return nil
	}
	return filepath.WalkDir(c.opts.Dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, c.account.uid, c.account.gid)
	})
}

func (c *Cluster) data() string { return filepath.Join(c.opts.Dir, "data") }

func (c *Cluster) initialise(ctx context.Context) error {
	version, err := os.ReadFile(filepath.Join(c.data(), "PG_VERSION"))
	if err == nil {
		return c.checkVersion(ctx, strings.TrimSpace(string(version)))
	}
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	side := c.data() + ".new"
	if err := os.RemoveAll(side); err != nil {
		return err
	}
	fill := c.initdb
	if c.opts.Primary != "" {
		fill = c.copyPrimary
	}
	if err := fill(ctx, side); err != nil {
		return err
	}
	return os.Rename(side, c.data())
}

// initdb makes a new server's folder.
func (c *Cluster) initdb(ctx context.Context, side string) error {
	passwords := filepath.Join(c.opts.Dir, "superuser")
	if err := os.WriteFile(passwords, []byte(c.opts.Password), 0o600); err != nil {
		return err
	}
	defer func() { _ = os.Remove(passwords) }()
	if err := os.Lchown(passwords, c.account.uid, c.account.gid); err != nil {
		return err
	}
	var said bytes.Buffer
	cmd := c.command(ctx, "initdb", "--pgdata="+side, "--username="+Superuser, "--auth=scram-sha-256",
		"--pwfile="+passwords, "--encoding=UTF8", "--locale=C", "--no-instructions", "--no-sync")
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := process.Run(cmd); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, said.String())
	}
	if c.opts.Address == "127.0.0.1" {
		return nil
	}
	rules, err := os.OpenFile(filepath.Join(side, "pg_hba.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = rules.WriteString("host all,replication all samenet scram-sha-256\n")
	return errors.Join(err, rules.Close())
}

func (c *Cluster) checkVersion(ctx context.Context, made string) error {
	have, err := majorVersion(ctx, c.opts.Bin)
	if err != nil {
		return err
	}
	if have != made {
		return fmt.Errorf("%s was made by Postgres %s, the binaries in %s are %s: "+
			"set POSTGRES_BIN to version %s, or clear the data with `make reset`", c.opts.Dir, made, c.opts.Bin, have, made)
	}
	return nil
}

func (c *Cluster) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	return c.Program(ctx, filepath.Join(c.opts.Bin, name), args...)
}

// Program is any program as the server's account, in the server's folder.
func (c *Cluster) Program(ctx context.Context, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	attr := c.account.attr
	cmd.SysProcAttr = &attr
	cmd.Dir = c.opts.Dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	return cmd
}

// Command is the server itself, to be started with process.Start and stopped
// with SIGINT (Postgres's fast shutdown).
func (c *Cluster) Command() *exec.Cmd {
	settings := map[string]string{
		"listen_addresses":        c.opts.Address,
		"port":                    strconv.Itoa(c.opts.Port),
		"unix_socket_directories": "",
		"max_connections":         "200",
		"shared_buffers":          "64MB",
		"timezone":                "UTC",
		"log_timezone":            "UTC",
		"log_checkpoints":         "off",
		"log_line_prefix":         "",
		"log_error_verbosity":     "terse", // details of errors name values, such as addresses
	}
	if c.opts.Unsynced {
		settings["fsync"] = "off"
	}
	if c.opts.Throwaway {
		for name, value := range map[string]string{
			"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_wal_size": "4GB",
			"autovacuum":      "off", // it changes plans, and what tests count, at any moment
			"max_connections": "400", "shared_buffers": "128MB",
		} {
			settings[name] = value
		}
	}
	maps.Copy(settings, c.opts.Settings)
	args := []string{"-D", c.data()}
	for name, value := range settings {
		args = append(args, "-c", name+"="+value)
	}
	return c.command(context.Background(), "postgres", args...)
}

// URL is the address of a database of this server for a role.
func (c *Cluster) URL(role, password, database string) string {
	return address(c.opts.Address, c.opts.Port, role, password, database)
}

// URL is the address of a database on a local server.
func URL(port int, role, password, database string) string {
	return address("127.0.0.1", port, role, password, database)
}

func address(host string, port int, role, password, database string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(role, password),
		Host: net.JoinHostPort(host, strconv.Itoa(port)), Path: "/" + database, RawQuery: "sslmode=disable",
	}
	return u.String()
}

// AdminURL is the superuser's address of the database "postgres".
func (c *Cluster) AdminURL() string {
	return c.URL(Superuser, c.opts.Password, "postgres")
}

// Answers reports whether the server at a URL accepts a connection.
func Answers(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("Postgres does not answer: %w", err)
	}
	return conn.Close(ctx)
}
