package identity

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tradepost/tradepost/internal/telemetry"
)

// Server is the provider: its pages, its protocol and its loops.
type Server struct {
	// Metrics counts requests, if set before the first of them.
	Metrics *telemetry.Metrics

	settings *settings
	log      *slog.Logger
	db       *pgxpool.Pool
	guard    *guard
	views    *views
	accounts *accounts
	sessions *sessions
	requests *requests
	keys     *keys
	limits   *limiter
	events   *eventLog
	hasher   *hasher
	protocol *protocol
	outbox   *outbox
	site     *site
	links    *links
	signups  *signups
	handler  http.Handler

	readiness telemetry.Readiness[error]
}

// New prepares a provider on a migrated database: it makes the first signing
// key, seeds the demo accounts in local mode, and refuses a database with demo
// accounts in any other.
func New(ctx context.Context, c Config, db *pgxpool.Pool, sender Sender, log *slog.Logger) (*Server, error) {
	parsed, err := c.parse()
	if err != nil {
		return nil, err
	}
	s := &Server{settings: parsed, log: log, db: db}
	if err := s.wire(sender); err != nil {
		return nil, err
	}
	if err := s.demoAccounts(ctx); err != nil {
		return nil, err
	}
	if _, _, err := s.keys.current(ctx); err != nil {
		return nil, err
	}
	s.handler = s.routes()
	return s, nil
}

// wire puts the parts together.
func (s *Server) wire(sender Sender) error {
	sealer, err := newSealer(s.settings.keys, purposeSigningKeys)
	if err != nil {
		return err
	}
	limitKey, err := derive(s.settings.keys[0], purposeLimits)
	if err != nil {
		return err
	}
	codeKey, err := derive(s.settings.keys[0], purposeSignUps)
	if err != nil {
		return err
	}
	if s.hasher, err = newHasher(); err != nil {
		return err
	}
	if s.guard, err = newGuard(s.settings); err != nil {
		return err
	}
	if s.views, err = newViews(s.settings, s.guard); err != nil {
		return err
	}
	s.events = &eventLog{s.db}
	s.accounts = &accounts{s.db}
	s.sessions = &sessions{s.db, s.accounts}
	s.requests = &requests{s.db, s.events}
	s.keys = &keys{db: s.db, sealer: sealer}
	s.limits = &limiter{s.db, limitKey, s.events}
	s.links = &links{s.db}
	s.site = newSite(s.settings, s.keys)
	s.signups = &signups{s.db, codeKey}
	s.outbox = newOutbox(s, sender)
	client := &client{id: s.settings.ClientID, secret: s.settings.ClientSecret, redirects: s.settings.redirects}
	s.protocol, err = newProtocol(s.settings, &storage{s.db, client, s.requests, s.accounts, s.keys})
	return err
}

// Handler answers everything on the provider's origin.
func (s *Server) Handler() http.Handler { return s.handler }

// RotateKeys makes a new signing key; it signs an hour from now, once clients
// have seen it.
func (s *Server) RotateKeys(ctx context.Context) error { return s.keys.rotate(ctx) }

// Run sends mails and removes what has expired, until ctx ends.
func (s *Server) Run(ctx context.Context) {
	var loops sync.WaitGroup
	loops.Go(func() { s.outbox.run(ctx) })
	loops.Go(func() { s.housekeep(ctx) })
	loops.Wait()
}

// housekeepEvery is how often expired rows are removed.
const housekeepEvery = 10 * time.Minute

// expired lists what housekeeping removes. Used codes stay a day, so that a replay is still
// detected; events stay a year.
var expired = []string{
	`DELETE FROM sessions WHERE expires_at < now()`,
	`DELETE FROM auth_requests WHERE expires_at < now() - interval '1 day'`,
	`DELETE FROM signups WHERE expires_at < now()`,
	`DELETE FROM mail_links WHERE expires_at < now() - interval '1 day'`,
	`DELETE FROM limits WHERE tat < now() - interval '1 day'`,
	`DELETE FROM known_browsers WHERE seen_at < now() - interval '400 days'`,
	`DELETE FROM events WHERE at < now() - interval '1 year'`,
}

func (s *Server) housekeep(ctx context.Context) {
	ticker := time.NewTicker(housekeepEvery)
	defer ticker.Stop()
	for {
		for _, sql := range expired {
			if _, err := s.db.Exec(ctx, sql); err != nil && !errors.Is(err, context.Canceled) {
				s.log.WarnContext(ctx, "housekeeping failed", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
