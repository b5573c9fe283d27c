package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tradepost/tradepost/internal/local/postgres"
)

// The upper bound of the statements that one card order sends to Postgres from its creation until it is sent.
const (
	mostTransactions = 12
	mostStatements   = 60
)

// measureOrder counts, in the server's own log, the statements of one card order while the platform is otherwise idle.
func (h *platform) measureOrder(ctx context.Context, _ plan, r *report) error {
	stop, err := h.logStatements(ctx)
	if err != nil {
		return err
	}
	defer stop()
	for range 3 { // what is prepared once for each connection is none of an order's
		if err := h.runOrder(ctx, h.customers[0]); err != nil {
			return err
		}
	}
	var id string
	var sent time.Time
	var events, inbox int
	err = h.db.QueryRow(ctx, `SELECT o.id::text, e.at, (SELECT count(*) FROM order_events WHERE order_id = o.id), (SELECT count(*) FROM webhook_inbox WHERE order_id = o.id)
		FROM orders o JOIN order_events e ON e.order_id = o.id AND e.kind = 'sent' ORDER BY o.created_at DESC LIMIT 1`).Scan(&id, &sent, &events, &inbox)
	if err != nil {
		return err
	}
	all, err := h.transactionsOf(id, sent)
	if err != nil {
		return err
	}
	printTransactions(all)
	written, statements, locks := 0, 0, 0
	for _, t := range all {
		statements += len(t.statements)
		locks += t.locks()
		if t.writes() {
			written++
		}
	}
	r.atMost("order", "transactions of a card order until it is sent", fmt.Sprint(written), "", float64(written), mostTransactions, "")
	r.atMost("order", "statements, looks included", fmt.Sprint(statements), "", float64(statements), mostStatements, "")
	r.note("order", "locks of the order's row; rows of its timeline and of the inbox", fmt.Sprintf("%d; %d and %d", locks, events, inbox))
	return nil
}

// logStatements has the bench's Postgres write every statement to a log of JSON lines, until it is stopped.
func (h *platform) logStatements(ctx context.Context) (stop func(), err error) {
	admin, err := url.Parse(h.stack.OwnerDSN())
	if err != nil {
		return nil, err
	}
	admin.User, admin.Path = url.UserPassword(postgres.Superuser, h.stack.Secret("POSTGRES_PASSWORD")), "/postgres"
	set := func(ctx context.Context, statements ...string) error {
		conn, err := pgx.Connect(ctx, admin.String())
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close(ctx) }()
		for _, statement := range statements {
			if _, err := conn.Exec(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	}
	if err := set(ctx, `ALTER SYSTEM SET logging_collector = on`, `ALTER SYSTEM SET log_destination = jsonlog`, `ALTER SYSTEM SET log_statement = 'all'`); err != nil {
		return nil, err
	}
	if err := h.stack.Restart(ctx, "postgres"); err != nil {
		return nil, err
	}
	h.db.Reset()
	if h.ear, err = listen(ctx, h.stack.OwnerDSN()); err != nil {
		return nil, err
	}
	return func() {
		_ = set(context.WithoutCancel(ctx), `ALTER SYSTEM RESET ALL`, `SELECT pg_reload_conf()`)
	}, nil
}

// statement is a line of the server's log.
type statement struct {
	At          string `json:"timestamp"`
	User        string `json:"user"`
	Program     string `json:"application_name"`
	Session     string `json:"session_id"`
	Transaction string `json:"vxid"`
	Message     string `json:"message"`
	Detail      string `json:"detail"`
}

// transaction is the statements of one transaction, or a statement by itself.
type transaction struct {
	program    string
	begun      time.Time
	open       bool // it was begun, and is no single statement
	statements []string
	about      bool
}

var (
	changesRows = regexp.MustCompile(`(?i)\b(INSERT INTO|UPDATE|DELETE FROM) `)
	locksRow    = regexp.MustCompile(`(?i)FOR (NO KEY )?UPDATE`)
	locksOrder  = regexp.MustCompile(`(?is)\bFROM "?orders"?.* FOR (NO KEY )?UPDATE`)
)

func (t *transaction) writes() bool {
	return slices.ContainsFunc(t.statements, func(sql string) bool { return changesRows.MatchString(locksRow.ReplaceAllString(sql, "")) })
}

func (t *transaction) locks() (n int) {
	for _, s := range t.statements {
		if locksOrder.MatchString(s) {
			n++
		}
	}
	return n
}

// transactionsOf are the transactions that speak of an order, up to the one that has
// it sent.
func (h *platform) transactionsOf(id string, sent time.Time) ([]*transaction, error) {
	files, err := filepath.Glob(filepath.Join(h.stack.DataDir(), "postgres", "data", "log", "*.json"))
	if err != nil || len(files) == 0 {
		return nil, cmp.Or(err, errors.New("the server wrote no log"))
	}
	open := map[string]*transaction{}
	var all []*transaction
	for _, name := range slices.Sorted(slices.Values(files)) {
		file, err := os.Open(name) //nolint:gosec // the server's own log, in a folder of the bench
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var s statement
			if json.Unmarshal(lines.Bytes(), &s) != nil || !strings.HasPrefix(s.User, postgres.Database+"_") {
				continue
			}
			key := s.Session + " " + s.Transaction
			if open[key] == nil {
				begun, err := time.Parse("2006-01-02 15:04:05.000 MST", s.At)
				if err != nil {
					return nil, err
				}
				open[key] = &transaction{program: s.Program, begun: begun}
				all = append(all, open[key])
			}
			open[key].took(s, id)
		}
		_ = file.Close()
	}
	return slices.DeleteFunc(all, func(t *transaction) bool { return !t.about || t.begun.After(sent) }), nil
}

// took adds a statement of the log. Statements that begin or end a transaction are not counted.
func (t *transaction) took(s statement, id string) {
	_, sql, is := strings.Cut(s.Message, ": ")
	if !is || !strings.HasPrefix(s.Message, "execute ") && !strings.HasPrefix(s.Message, "statement: ") {
		return
	}
	sql = strings.Join(strings.Fields(sql), " ")
	switch verb, _, _ := strings.Cut(strings.ToLower(sql), " "); verb {
	case "begin", "commit", "rollback":
		t.open = true
		return
	}
	t.statements = append(t.statements, sql)
	t.about = t.about || strings.Contains(s.Detail, id) || strings.Contains(sql, id)
}

// printTransactions prints them in the order in which they began.
func printTransactions(all []*transaction) {
	for _, t := range all {
		kind := "look"
		switch {
		case t.open:
			kind = "transaction"
		case t.writes():
			kind = "statement"
		}
		fmt.Printf("%s  %-9s %-11s %d statements, %d locks\n", t.begun.Format("05.000"), t.program, kind, len(t.statements), t.locks())
		for _, s := range t.statements {
			fmt.Printf("        %.150s\n", s)
		}
	}
}
