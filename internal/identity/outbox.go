package identity

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tradepost/tradepost/internal/mail"
)

// Kinds of mails.
const (
	mailVerify          = "verify"
	mailReset           = "reset"
	mailPasswordChanged = "password_changed"
	mailSignup          = "signup"
)

// The outbox tries at once, then with growing pauses, for a day at most: a later reset is
// useless.
const (
	mailKept      = 24 * time.Hour
	mailTimeout   = 20 * time.Second
	mailPoll      = 2 * time.Second
	mailFirstWait = 5 * time.Second
	mailLastWait  = 5 * time.Minute
)

// Sender delivers one message, or returns why not: a *mail.Sender, outside tests.
type Sender interface {
	Send(ctx context.Context, m mail.Message) error
}

// queueMail queues a mail of kind to the account of key, which need not exist, in the
// requester's language. It is part of the caller's transaction, so that a committed request
// is always mailed.
func queueMail(ctx context.Context, db database, kind, key string) error {
	_, err := db.Exec(ctx, `INSERT INTO outbox (kind, email_key, language, expires_at) VALUES ($1, $2, $3, now() + $4::interval)`, kind, key, textsOf(ctx).Code, mailKept)
	return err
}

// outbox sends queued mails. Replicas share the queue: a mail is claimed by
// pushing its next try ahead, so that a replica that dies only delays it.
type outbox struct {
	settings  *settings
	db        *pgxpool.Pool
	accounts  *accounts
	links     *links
	signups   *signups
	sender    Sender
	site      *site
	log       *slog.Logger
	signalled chan struct{}
}

func newOutbox(s *Server, sender Sender) *outbox {
	return &outbox{s.settings, s.db, s.accounts, s.links, s.signups, sender, s.site, s.log, make(chan struct{}, 1)}
}

// signal sends what is due without waiting for the next poll.
func (o *outbox) signal() {
	select {
	case o.signalled <- struct{}{}:
	default:
	}
}

func (o *outbox) run(ctx context.Context) {
	ticker := time.NewTicker(mailPoll)
	defer ticker.Stop()
	for {
		if err := o.sendDue(ctx); err != nil && ctx.Err() == nil {
			o.log.WarnContext(ctx, "outbox", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-o.signalled:
		}
	}
}

// queued is one claimed row of the outbox.
type queued struct {
	ID       int64
	Kind     string
	EmailKey string
	Language string
	SignupID *uuid.UUID
	Attempts int
}

func (o *outbox) sendDue(ctx context.Context) error {
	for ctx.Err() == nil {
		next, err := o.claim(ctx)
		if err != nil || next == nil {
			return err
		}
		if err := o.sendOne(ctx, next); err != nil {
			return err
		}
	}
	return nil
}

func (o *outbox) claim(ctx context.Context) (*queued, error) {
	if _, err := o.db.Exec(ctx, `DELETE FROM outbox WHERE expires_at < now()`); err != nil {
		return nil, err
	}
	const sql = `
		UPDATE outbox SET attempts = attempts + 1, next_try_at = now() + $1::interval
		 WHERE id = (SELECT id FROM outbox WHERE next_try_at <= now() ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
		RETURNING id, kind, email_key, language, signup_id, attempts`
	rows, err := o.db.Query(ctx, sql, 2*mailTimeout)
	if err != nil {
		return nil, err
	}
	next, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[queued])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return next, err
}

// sendOne sends a claimed mail and removes its row, or plans the next try. An
// address without an account gets nothing but the code of a sign-up.
func (o *outbox) sendOne(ctx context.Context, next *queued) error {
	who, err := o.accounts.byEmail(ctx, next.EmailKey)
	if err != nil && !errors.Is(err, errNoAccount) {
		return err
	}
	if next.Kind == mailSignup || who != nil && (next.Kind != mailVerify || who.EmailVerifiedAt == nil) {
		if err := o.deliver(ctx, next, who); err != nil {
			o.log.WarnContext(ctx, "not delivered", "row", next.ID, "kind", next.Kind, "attempts", next.Attempts, "error", err)
			return o.later(ctx, next, err)
		}
	}
	_, err = o.db.Exec(ctx, `DELETE FROM outbox WHERE id = $1`, next.ID)
	return err
}

// deliver creates the link, if the mail has one, and sends the mail. A logout is sent to
// the site.
func (o *outbox) deliver(ctx context.Context, next *queued, who *account) error {
	kind := next.Kind
	ctx, cancel := context.WithTimeout(ctx, mailTimeout)
	defer cancel()
	if kind == noticeSignedOut {
		return o.site.signedOut(ctx, who.ID)
	}
	if kind == mailSignup {
		return o.answerSignup(ctx, next, who)
	}
	href := o.settings.origin + pathForgot
	if kind != mailPasswordChanged {
		token, err := o.links.make(ctx, kind, who)
		if err != nil {
			return err
		}
		path := map[string]string{mailReset: pathReset, mailVerify: pathVerify}[kind]
		href = o.settings.origin + path + "?token=" + url.QueryEscape(token)
	}
	message, err := compose(textsIn(next.Language), o.settings.Brand, kind, who, href)
	if err != nil {
		return err
	}
	return o.sender.Send(ctx, message)
}

// answerSignup mails the code of a sign-up, or notifies the owner of an address that has an
// account already. A sign-up that is over, and a disabled account's, get nothing.
func (o *outbox) answerSignup(ctx context.Context, next *queued, owner *account) error {
	begun, err := o.signups.due(ctx, *next.SignupID)
	if errors.Is(err, errSignupGone) {
		return nil
	}
	if err != nil {
		return err
	}
	t, brand := textsIn(next.Language), o.settings.Brand
	if owner != nil {
		message, err := compose(t, brand, mailSignup, owner, o.settings.origin+pathSignIn)
		if err != nil {
			return err
		}
		return o.sender.Send(ctx, message)
	}
	exists, err := o.accounts.has(ctx, begun.EmailKey)
	if err != nil || exists {
		return err
	}
	message, err := composeCode(t, brand, begun.Email, o.signups.code(begun))
	if err != nil {
		return err
	}
	return o.sender.Send(ctx, message)
}

func (o *outbox) later(ctx context.Context, next *queued, cause error) error {
	wait := min(mailFirstWait<<min(next.Attempts-1, 10), mailLastWait)
	_, err := o.db.Exec(ctx, `UPDATE outbox SET next_try_at = now() + $2::interval, last_error = $3 WHERE id = $1`,
		next.ID, wait, deliveryFault(cause))
	return err
}

// deliveryFault is what the row keeps of a failure: its class, never the mail
// server's text, which may repeat what we sent.
func deliveryFault(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "timeout"
	}
	return "not accepted"
}
