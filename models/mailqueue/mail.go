package mailqueue

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
)

// PreferencesPage is where a customer chooses which mails they get, from the site's root.
const PreferencesPage = "/settings/notifications"

// DueMail is a mail to be sent now, with all that it is written from.
type DueMail struct {
	order.Order `gorm:"embedded"`
	MailID      string
	Kind        string
	Staff       bool
	Attempts    int
	To          string
	FirstName   string
	Language    string          // that its reader chose; empty when none
	Said        json.RawMessage // the event's data
	HappenedAt  time.Time
	QueuedFor   float64 // seconds since the event

	// CardID and CardReference are set for a mail about a gift card; the order
	// is empty then.
	CardID        *string
	CardReference *string

	// Matter and what follows are set for a mail about a case.
	Matter          *casework.Kind
	MatterID        *string
	MatterReference *string

	// Alert is set for a mail about an alert.
	Alert *reporting.Alert `gorm:"-"`

	AlertID      *string
	AlertKind    reporting.AlertKind
	AlertSubject string
	AlertCount   int
	AlertSince   time.Time
}

// Rules are those of the case that the mail is about, or nil.
func (m *DueMail) Rules() *casework.CaseRules {
	if m.Matter == nil {
		return nil
	}
	return m.Matter.Rules()
}

// Page is where the mail leads to, from the site's root: for a mail about a
// case.
func (m *DueMail) Page() string {
	rules := m.Rules()
	page := rules.Page
	if m.Staff {
		page = rules.StaffPage
	}
	for _, mailing := range rules.Mailings {
		if mailing.Kind == m.Kind && mailing.Page != "" {
			page = mailing.Page
		}
	}
	return strings.NewReplacer("{id}", *m.MatterID, "{reference}", store.Text(m.MatterReference)).Replace(page)
}

// ClaimMail claims the mail that has been due the longest, for as long as lease, or nil when none is. A mail that a
// mail server accepted before, if given, is recorded as sent in the same statement.
func ClaimMail(ctx context.Context, db *store.DB, lease time.Duration, sent string) (*DueMail, error) {
	var mail DueMail
	result := db.ORM(ctx).Raw(`
		WITH noted AS (`+casework.MailOutbox.Noting("CAST(@sent AS uuid)")+`),
		claimed AS (`+casework.MailOutbox.Claim("AND id IS DISTINCT FROM CAST(@sent AS uuid)")+`)
		SELECT o.*, m.id AS mail_id, m.kind, m.staff, m.attempts, coalesce(m.to_address, u.email) AS "to", u.first_name, coalesce(pr.language, '') AS language,
		       coalesce(e.data, ge.data, me.data, '{}') AS said, coalesce(e.at, ge.at, me.at, m.created_at) AS happened_at, g.id AS card_id, g.reference AS card_reference,
		       me.matter, me.matter_id, me.reference AS matter_reference,
		       al.id AS alert_id, al.kind AS alert_kind, al.subject AS alert_subject, al.count AS alert_count, al.since AS alert_since,
		       extract(epoch FROM clock_now() - m.created_at) AS queued_for
		  FROM claimed m JOIN users u ON u.id = m.user_id LEFT JOIN preferences pr ON pr.user_id = m.user_id
		  LEFT JOIN orders o ON o.id = m.order_id LEFT JOIN order_events e ON e.id = m.event_id
		  LEFT JOIN gift_cards g ON g.id = m.gift_card_id LEFT JOIN gift_card_events ge ON ge.id = m.gift_card_event_id
		  LEFT JOIN matter_events me ON me.id = m.matter_event_id
		  LEFT JOIN alerts al ON al.id = m.alert_id`,
		map[string]any{"lease": store.Seconds(lease), "sent": store.SomeID(sent)}).Scan(&mail)
	if result.Error != nil {
		return nil, fmt.Errorf("claim a mail: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return nil, nil
	}
	if mail.AlertID != nil {
		mail.Alert = &reporting.Alert{ID: *mail.AlertID, Kind: mail.AlertKind, Subject: mail.AlertSubject, Count: mail.AlertCount, Since: mail.AlertSince}
	}
	return &mail, nil
}

// MailSent records that a mail server accepted a mail.
func MailSent(ctx context.Context, db *store.DB, id string) error {
	return casework.MailOutbox.Sent(ctx, db, id)
}

// MailFailed records why a mail could not be sent, as a code, and when it is tried again; a wait of zero gives it up.
func MailFailed(ctx context.Context, db *store.DB, id, code string, wait time.Duration) error {
	return casework.MailOutbox.Failed(ctx, db, id, code, wait)
}
