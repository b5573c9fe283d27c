package models

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Mailing is a mail that an event of an order, gift card or matter causes. Kind names its template
// (internal/letter).
type Mailing struct {
	Event string
	// Reason narrows it to events whose data names this reason.
	Reason string
	Kind   string
	// Roles are the staff it goes to: those who can act on it. None: it goes to
	// the customer.
	Roles []string
	// Once is a mail that an order causes at most once, however often the event
	// happens to it.
	Once bool
	// Replaces is a mail of the same order that needs not be sent any more.
	Replaces string
	// After is how long it waits to be replaced.
	After time.Duration
	// Page is where it leads to, instead of the page of what it is about.
	Page string
}

// MailReplaced is why a mail was given up that need not be sent any more.
const MailReplaced = "replaced"

// cashiers are those who decide on payments (DECISIONS §7).
var cashiers = []string{"finance", "admin"}

// Mailings is the one table of events and the mails they cause.
var Mailings = []Mailing{
	{Event: "created", Kind: "order_created"},
	{Event: "captured", Kind: "payment_approved", Once: true},
	{Event: "receipt_confirmed", Kind: "payment_approved", Once: true},
	{Event: "paid_from_balance", Kind: "payment_approved", Once: true},
	{Event: "declined", Kind: "payment_declined"},
	{Event: "expired", Kind: "order_expired"},
	{Event: "address_held", Kind: MailAddressHeld},
	{Event: "address_unconfirmed", Kind: "address_unconfirmed"},
	{Event: "address_amended", Kind: "address_amended"},
	{Event: "sent", Kind: "order_sent"},
	{Event: "failed", Kind: "order_failed", Once: true, After: time.Minute},
	{Event: "price_waiting", Kind: "price_waiting", Replaces: "order_failed"},
	{Event: "choice_offered", Kind: "choice_offered", Replaces: "order_failed"},
	{Event: "money_short", Kind: "money_short"},
	{Event: "money_over", Kind: "money_over"},
	{Event: "money_late", Kind: "money_late", Replaces: "order_expired"},
	{Event: "money_credited", Kind: "money_credited"},
	{Event: "receipt_reversed", Kind: "receipt_reversed"},
	{Event: "money_returned", Kind: "money_returned"},
	{Event: "return_reinstated", Kind: "return_reinstated"},
	{Event: "attention", Reason: AttentionAddress, Kind: "address_refused"},
	{Event: "attention", Reason: AttentionDisputed, Kind: "payment_disputed", Once: true},
	{Event: "attention", Reason: AttentionRefundFailed, Kind: "refund_bounced"},
	{Event: "attention", Reason: AttentionCustomer, Kind: "order_frozen", Once: true},
	{Event: "held", Kind: "order_held"},
	{Event: "refunded", Kind: "refunded"},
	{Event: "refunded_in_part", Kind: "refunded_in_part"},
	{Event: "authorisation_expiring", Kind: "authorisation_expiring", Roles: cashiers},
	{Event: "dispute_opened", Kind: "dispute_opened", Roles: cashiers},
	{Event: "dispute_won", Kind: "dispute_won", Roles: cashiers},
	{Event: "dispute_lost", Kind: "dispute_lost", Roles: cashiers},
	{Event: "refunded_at_provider", Kind: "refunded_at_provider", Roles: cashiers},
}

// paying are the events after which nobody is asked to pay an order any more.
var paying = []string{"payment_submitted", "authorised", "captured", "receipt_confirmed", "paid_from_balance", "money_received", "money_short", "money_over",
	"declined", "cancelled", "expired"}

// mailingsOf are the mails that an event of an order causes.
func mailingsOf(e Event) []Mailing {
	caused := slices.DeleteFunc(slices.Clone(Mailings), func(m Mailing) bool {
		return m.Event != e.Kind || m.Reason != "" && m.Reason != e.Data["reason"]
	})
	for i := range caused {
		caused[i].After = max(caused[i].After, e.MailAfter)
	}
	return caused
}

// orderMailOnce makes a mail that an order causes at most once, or once for each
// event that is told twice, one mail; of others each event causes its own.
func orderMailOnce(m Mailing, e Event) *string {
	dedupe := m.Kind
	switch {
	case m.Once:
	case e.Dedupe != "":
		dedupe += ":" + e.Dedupe
	default:
		return nil
	}
	return &dedupe
}

// OrderMail is a mail about an order, as staff see it: what, to whom, and
// whether it went out.
type OrderMail struct {
	ID        string
	Kind      string
	Staff     bool
	To        string
	CreatedAt time.Time
	Attempts  int
	LastError *string
	SentAt    *time.Time
	GivenUpAt *time.Time
}

// DueMail is a mail to be sent now, with all that it is written from.
type DueMail struct {
	Order      `gorm:"embedded"`
	MailID     string
	Kind       string
	Staff      bool
	Attempts   int
	To         string
	FirstName  string
	Language   string          // that its reader chose; empty when none
	Said       json.RawMessage // the event's data
	HappenedAt time.Time
	QueuedFor  float64 // seconds since the event

	// CardID and CardReference are set for a mail about a gift card; the order
	// is empty then.
	CardID        *string
	CardReference *string

	// Matter and what follows are set for a mail about a matter.
	Matter          *Matter
	MatterID        *string
	MatterReference *string

	// Alert is set for a mail about an alert.
	Alert *Alert `gorm:"-"`

	AlertID      *string
	AlertKind    AlertKind
	AlertSubject string
	AlertCount   int
	AlertSince   time.Time
}

// Rules are those of the matter that the mail is about, or nil.
func (m *DueMail) Rules() *MatterRules {
	if m.Matter == nil {
		return nil
	}
	return m.Matter.Rules()
}

// Page is where the mail leads to, from the site's root: for a mail about a
// matter.
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
	return strings.ReplaceAll(page, "{id}", *m.MatterID)
}

// ClaimMail takes the mail that has been due the longest, for as long as lease, or
// nil when none is. The one that a mail server took before it, if there is one, is
// noted as sent in the same statement.
func (db *DB) ClaimMail(ctx context.Context, lease time.Duration, sent string) (*DueMail, error) {
	var mail DueMail
	result := db.orm(ctx).Raw(`
		WITH noted AS (UPDATE mails SET sent_at = clock_now(), last_error = NULL WHERE id = CAST(@sent AS uuid) AND sent_at IS NULL),
		claimed AS (`+mailOutbox.claim("AND id IS DISTINCT FROM CAST(@sent AS uuid)")+`)
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
		map[string]any{"lease": seconds(lease), "sent": someID(sent)}).Scan(&mail)
	if result.Error != nil {
		return nil, fmt.Errorf("claim a mail: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return nil, nil
	}
	if mail.AlertID != nil {
		mail.Alert = &Alert{ID: *mail.AlertID, Kind: mail.AlertKind, Subject: mail.AlertSubject, Count: mail.AlertCount, Since: mail.AlertSince}
	}
	return &mail, nil
}

// MailSent notes that a mail server took a mail.
func (db *DB) MailSent(ctx context.Context, id string) error {
	return mailOutbox.sent(ctx, db, id)
}

// MailFailed notes why a mail could not be sent, as a code, and when it is
// tried again; a wait of zero gives it up.
func (db *DB) MailFailed(ctx context.Context, id, code string, wait time.Duration) error {
	return mailOutbox.failed(ctx, db, id, code, wait)
}
