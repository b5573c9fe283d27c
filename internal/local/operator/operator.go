// Package operator changes a running stack as a person with access to the machine can. It
// is apart from package local so that the launcher, which a first start compiles before its
// first output, stays small.
package operator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"

	"github.com/tradepost/tradepost/internal/local"
	"github.com/tradepost/tradepost/internal/local/ports"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

type operator struct{ *local.Stack }

// Handler serves what a person with access to the machine can do and no screen offers: move
// the product's clock forward, put an address on the blocked list, end a process and start
// it again, give a role, end the delay of one lost factor, the lifetime of one mailed link
// or the years a closed account is kept, start another site with other settings and end it,
// and park an order for review. It is for the browser tests of a stack of their own, and is
// served on loopback by the process that runs them.
func Handler(stack *local.Stack) http.Handler {
	s := operator{stack}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /clock", s.act(func(r *http.Request, in map[string]string) error {
		d, err := time.ParseDuration(in["advance"])
		if err != nil {
			return err
		}
		return s.asOwner(r, "UPDATE clock SET ahead = ahead + make_interval(secs => $1)", d.Seconds())
	}))
	mux.HandleFunc("POST /block", s.act(func(r *http.Request, in map[string]string) error {
		return s.asOwner(r, `INSERT INTO blocked_addresses (network, address_key, kind, source) VALUES ($1, $2, 'blocked', 'operator') ON CONFLICT DO NOTHING`,
			in["network"], in["address"])
	}))
	mux.HandleFunc("POST /unblock", s.act(func(r *http.Request, in map[string]string) error {
		return s.asOwner(r, "DELETE FROM blocked_addresses WHERE address_key = $1 AND source = 'operator'", in["address"])
	}))
	mux.HandleFunc("POST /restart", s.act(func(r *http.Request, in map[string]string) error {
		return s.Restart(r.Context(), in["part"])
	}))
	mux.HandleFunc("POST /park", s.act(func(r *http.Request, in map[string]string) error {
		return s.park(r.Context(), in["order"], in["reason"])
	}))
	mux.HandleFunc("POST /grant", s.act(func(r *http.Request, in map[string]string) error {
		return s.grant(r.Context(), in["email"], in["role"])
	}))
	mux.HandleFunc("POST /recoverable", s.act(func(r *http.Request, in map[string]string) error {
		return s.asOwner(r, "UPDATE two_factor_recoveries SET ready_at = clock_now() WHERE reference = $1", in["recovery"])
	}))
	mux.HandleFunc("POST /closable", s.act(func(r *http.Request, in map[string]string) error {
		return s.asOwner(r, "UPDATE account_closures SET wake_at = clock_now() WHERE status = 'waiting' AND user_id = (SELECT id FROM users WHERE email = $1)", in["email"])
	}))
	mux.HandleFunc("POST /erasable", s.act(func(r *http.Request, in map[string]string) error {
		return s.asOwner(r, "UPDATE users SET erase_after = clock_now() WHERE closed_at IS NOT NULL AND id = $1", in["user"])
	}))
	mux.HandleFunc("POST /unconfirmed", s.act(func(r *http.Request, in map[string]string) error {
		return s.asOwner(r, "UPDATE held_addresses SET expires_at = clock_now() WHERE order_id = $1", in["order"])
	}))
	mux.HandleFunc("POST /site", s.differently)
	mux.HandleFunc("POST /end-site", s.act(func(_ *http.Request, in map[string]string) error {
		return s.Down(nameOfSite(in["site"]))
	}))
	return mux
}

// grant gives a person a role, as the command does: now, or at their first sign-in with a
// verified address.
func (s operator) grant(ctx context.Context, email, role string) error {
	db, err := store.Open(ctx, s.AppDSN(), store.Options{MaxConns: 1})
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	defer db.Close()
	_, err = account.GrantRole(ctx, db, s.IdentityURL(), email, role, "operator")
	return err
}

// differently starts another API process of the site, with settings of its own
// besides, and answers the address browsers reach it at.
func (s operator) differently(rw http.ResponseWriter, r *http.Request) {
	settings := map[string]string{}
	err := json.NewDecoder(http.MaxBytesReader(rw, r.Body, 1<<16)).Decode(&settings)
	var url string
	if err == nil {
		url, err = s.anotherSite(r.Context(), settings)
	}
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = io.WriteString(rw, url)
}

func (s operator) anotherSite(ctx context.Context, settings map[string]string) (string, error) {
	port, err := ports.One()
	if err != nil {
		return "", err
	}
	url := "http://localhost:" + strconv.Itoa(port)
	environ := []string{"PUBLIC_URL=" + url}
	for name, value := range settings {
		environ = append(environ, name+"="+value)
	}
	_, err = s.AddReplica(ctx, local.Replica{Name: nameOfSite(url), Of: "api", Environ: environ, Port: port})
	return url, err
}

// nameOfSite is the part that serves another site's address.
func nameOfSite(url string) string { return "api-" + url[strings.LastIndex(url, ":")+1:] }

// park makes an order wait for staff, as the product itself would write it, and ends its
// workflow: the next decision starts it again from its row.
func (s operator) park(ctx context.Context, orderID, reason string) error {
	db, err := store.Open(ctx, s.AppDSN(), store.Options{MaxConns: 2})
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	defer db.Close()
	temporal, err := client.Dial(client.Options{HostPort: s.TemporalAddress(), Namespace: "tradepost", Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler))})
	if err != nil {
		return fmt.Errorf("reach Temporal: %w", err)
	}
	defer temporal.Close()
	var none *serviceerror.NotFound
	err = temporal.TerminateWorkflow(ctx, workflows.OrderID(orderID), "", "parked by an operator")
	if err != nil && !errors.As(err, &none) {
		return fmt.Errorf("end the workflow: %w", err)
	}
	return order.NeedPerson(ctx, db, orderID, reason, "", "")
}

func (s operator) act(do func(r *http.Request, in map[string]string) error) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		in := map[string]string{}
		err := json.NewDecoder(http.MaxBytesReader(rw, r.Body, 1<<16)).Decode(&in)
		if err == nil {
			err = do(r, in)
		}
		if err != nil {
			http.Error(rw, err.Error(), http.StatusInternalServerError)
			return
		}
		rw.WriteHeader(http.StatusNoContent)
	}
}

func (s operator) asOwner(r *http.Request, statement string, args ...any) error {
	conn, err := pgx.Connect(r.Context(), s.OwnerDSN())
	if err != nil {
		return fmt.Errorf("connect as owner: %w", err)
	}
	defer func() { _ = conn.Close(r.Context()) }()
	if _, err := conn.Exec(r.Context(), statement, args...); err != nil {
		return fmt.Errorf("change the database: %w", err)
	}
	return nil
}
