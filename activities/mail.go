package activities

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/tradepost/tradepost/internal/mail"
	"github.com/tradepost/tradepost/internal/mailtemplate"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/chore"
	"github.com/tradepost/tradepost/models/mailqueue"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/privacy"
	"github.com/tradepost/tradepost/models/store"
)

// Mails are retried at once, then with growing pauses. A server that is down is tried again
// soon, for two weeks; one that refused a mail ever more rarely, and after three days no more.
const (
	mailTurn      = 5 * time.Minute // how long one attempt of the step runs
	mailPoll      = time.Second
	mailRest      = 5 * time.Second // after the server could not be reached
	mailLease     = time.Minute     // longer than one mail can need
	mailFirstWait = 10 * time.Second
	mailLastWait  = 15 * time.Minute
	mailRefused   = 6 * time.Hour
	mailKept      = 72 * time.Hour
	mailAwayKept  = 14 * 24 * time.Hour
	mailNote      = 10 * time.Second // between two records that mails are sent, while none are due
)

// Mails sends the mails that events have caused. A mail is sent and then marked as sent, so
// a process that dies in between sends it twice: both times with the same Message-ID, by
// which a mailbox recognises the duplicate.
type Mails struct {
	DB        *store.DB
	Sender    *mail.Sender
	Brand     string
	Company   string // who customers deal with, below what they are sent
	PublicURL string
	Log       *slog.Logger
	// Caller calls the webhook of alerts; nil without one.
	Caller *Caller
	// Poll is the interval between reads of due mails; a second unless set.
	Poll time.Duration
	// Languages are those offered, the first for who has chosen none of them; none
	// means all.
	Languages []string

	away  atomic.Bool  // the server could not be reached when it was last tried
	noted atomic.Int64 // when it was last recorded that mails are sent
}

// language is what a customer who has chosen one, or none, is written to in.
func (a *Mails) language(chosen string) string {
	if len(a.Languages) == 0 || slices.Contains(a.Languages, chosen) {
		return chosen
	}
	return a.Languages[0]
}

// SendDue sends due mails and alert calls for a while; then the workflow runs the step
// again. It returns how many mails were sent, and fails on errors of the database alone: a
// mail that cannot be sent waits by itself.
func (a *Mails) SendDue(ctx context.Context) (int, error) {
	over, cancel := context.WithTimeout(ctx, mailTurn)
	defer cancel()
	ticker := time.NewTicker(cmp.Or(a.Poll, mailPoll))
	defer ticker.Stop()
	sent := 0
	for {
		n, err := a.pass(over)
		sent += n
		if err == nil {
			err = a.note(over, n)
		}
		if err != nil && over.Err() == nil {
			return sent, err
		}
		select {
		case <-over.Done():
			return sent, ctx.Err()
		case <-activity.GetWorkerStopChannel(ctx):
			return sent, nil
		case <-ticker.C:
		}
	}
}

// pass sends all that is due now, and makes the calls.
func (a *Mails) pass(ctx context.Context) (sent int, err error) {
	sent, reached, err := a.sendAll(ctx)
	if a.Caller != nil {
		err = errors.Join(err, a.Caller.callAll(ctx))
	}
	if sent > 0 || !reached { // where none was tried it stays as it was
		a.away.Store(sent == 0)
	}
	return sent, err
}

// note records, at intervals, that mails are sent, unless their server cannot be reached.
func (a *Mails) note(ctx context.Context, sent int) error {
	now := time.Now().UnixNano()
	if a.away.Load() || now-a.noted.Load() < int64(mailNote) {
		return nil
	}
	a.noted.Store(now)
	return chore.EndChore(context.WithoutCancel(ctx), a.DB, chore.ChoreMails, int64(sent), nil)
}

// sendAll sends all that is due now, over one connection. That a mail was sent is recorded
// as the next one is claimed, in one statement.
func (a *Mails) sendAll(ctx context.Context) (sent int, reached bool, err error) {
	reached = true
	var line *mail.Line
	defer func() {
		if line != nil {
			line.Close()
		}
	}()
	unrecorded := "" // the mail that was sent and is not recorded yet
	for ctx.Err() == nil && !stopping(ctx) {
		due, err := mailqueue.ClaimMail(context.WithoutCancel(ctx), a.DB, mailLease, unrecorded)
		if err != nil || due == nil {
			return sent, reached, err
		}
		if line, err = a.deliver(ctx, line, due); err == nil {
			sent, unrecorded = sent+1, due.MailID
			continue
		}
		unrecorded, reached = "", reached && !unreachable(err)
		if err := a.later(ctx, due, err); err != nil {
			return sent, reached, err
		}
	}
	if unrecorded != "" {
		return sent, reached, mailqueue.MailSent(context.WithoutCancel(ctx), a.DB, unrecorded)
	}
	return sent, reached, ctx.Err()
}

// unreachable reports whether a mail failed because of the server, not of itself.
func unreachable(err error) bool {
	code := mail.CodeOf(err)
	return code == "unreachable" || code == "timeout"
}

// stopping reports whether this process is shutting down: what is under way ends, nothing
// new begins.
func stopping(ctx context.Context) bool {
	if !activity.IsActivity(ctx) {
		return ctx.Err() != nil
	}
	select {
	case <-activity.GetWorkerStopChannel(ctx):
		return true
	default:
		return false
	}
}

// deliver writes and sends one mail, over the connection if there is one. A connection that
// failed is not used again.
func (a *Mails) deliver(ctx context.Context, line *mail.Line, due *mailqueue.DueMail) (*mail.Line, error) {
	message, err := a.write(ctx, due)
	if err != nil {
		return line, err
	}
	if line == nil {
		if line, err = a.Sender.Open(ctx); err != nil {
			return nil, err
		}
	}
	if err := line.Send(message); err != nil {
		line.Close()
		return nil, err
	}
	return line, nil
}

// later plans the next try, or gives up.
func (a *Mails) later(ctx context.Context, due *mailqueue.DueMail, cause error) error {
	if errors.Is(cause, errNothingToConfirm) {
		return mailqueue.MailFailed(ctx, a.DB, due.MailID, casework.MailReplaced, 0)
	}
	code, most, kept := mail.CodeOf(cause), mailLastWait, mailKept
	if unreachable(cause) { // no mail is at fault for that
		kept = mailAwayKept
	}
	if strings.HasPrefix(code, "answer_5") || code == "not_an_address" {
		most = mailRefused
	}
	wait := nextTry(due.Attempts, due.QueuedFor, most, kept)
	a.Log.WarnContext(ctx, "mail not sent", "mail", due.MailID, "kind", due.Kind, "attempt", due.Attempts, "code", code, "again_in", wait)
	if err := mailqueue.MailFailed(ctx, a.DB, due.MailID, code, wait); err != nil {
		return err
	}
	if unreachable(cause) {
		select { // the next one would fare no better
		case <-time.After(min(mailRest, 5*cmp.Or(a.Poll, mailPoll))):
		case <-ctx.Done():
		}
	}
	return nil
}

// nextTry is how long the next try waits, longer each time; zero when it was
// tried for long enough.
func nextTry(attempts int, queuedFor float64, most, kept time.Duration) time.Duration {
	wait := min(mailFirstWait<<min(attempts-1, 20), most)
	if queuedFor+wait.Seconds() > kept.Seconds() {
		return 0
	}
	return wait
}

// write makes the mail. Its Message-ID is the row's id, however often it is
// sent.
func (a *Mails) write(ctx context.Context, due *mailqueue.DueMail) (mail.Message, error) {
	facts := mailtemplate.Facts{Brand: a.Brand, Name: due.FirstName, Reference: due.Reference, Coin: due.Asset.Format(due.Amount) + " " + string(due.Asset),
		Network: due.Network, Total: money.USD.Format(due.Total), Method: due.PaymentMethod, Due: due.PaymentDueAt, Said: map[string]string{}}
	page := "/orders/" + due.ID
	if due.Staff {
		page = "/admin/orders?q=" + due.ID
	}
	if due.CardID != nil {
		facts.About, facts.Reference, page = "gift card", *due.CardReference, "/gift-cards/"+*due.CardID
		if due.Staff {
			page = "/admin/gift-cards/" + *due.CardID
		}
	}
	if rules := due.Rules(); rules != nil {
		facts.About, facts.Reference, page = rules.Label, *due.MatterReference, due.Page()
	}
	if due.Alert != nil {
		facts.About, facts.Reference, page = "alert", due.Alert.ID, due.Alert.Page()
		facts.Said["text"] = due.Alert.Text()
	}
	if !due.Staff {
		facts.Company, facts.Preferences, facts.Language = a.Company, a.opens(mailqueue.PreferencesPage), a.language(due.Language)
	}
	fragment, err := a.linkOf(ctx, due)
	if err != nil {
		return mail.Message{}, err
	}
	facts.Link = a.opens(page) + fragment
	var said map[string]any
	if err := json.Unmarshal(due.Said, &said); err != nil {
		return mail.Message{}, fmt.Errorf("read the event of mail %s: %w", due.MailID, err)
	}
	for name, value := range said {
		facts.Said[name] = fmt.Sprint(value)
	}
	message, err := mailtemplate.Write(due.Kind, facts)
	message.ID, message.To = due.MailID, due.To
	return message, err
}

// opens is the address that leads to a page of the site, by way of the sign-in for who has no session.
func (a *Mails) opens(page string) string {
	return a.PublicURL + "/open?to=" + strings.ReplaceAll(url.QueryEscape(page), "%2F", "/")
}

// errNothingToConfirm is the error of a mail whose link confirms nothing any more.
var errNothingToConfirm = errors.New("nothing waits for this link")

// linkOf returns the end of the address that a mail leads to, where that confirms something: a fragment, which reaches
// no server and no log.
func (a *Mails) linkOf(ctx context.Context, due *mailqueue.DueMail) (fragment string, err error) {
	ctx = context.WithoutCancel(ctx)
	var token string
	switch due.Kind {
	case order.MailAddressHeld:
		fragment = "#address="
		token, err = order.AddressToken(ctx, a.DB, due.ID)
	case order.MailConfirmOrder:
		fragment = "#confirm="
		token, err = casework.LinkToken(ctx, a.DB, due.ID)
	case payout.MailConfirmPayout, privacy.MailConfirmExport:
		fragment = "#confirm="
		token, err = casework.LinkToken(ctx, a.DB, *due.MatterID)
	default:
		return "", nil
	}
	if err == nil && token == "" {
		err = errNothingToConfirm
	}
	return fragment + token, err
}
