package casework

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// Timeline is a table of the events of orders, of gift cards or of cases.
type Timeline struct {
	Table   string
	Subject string // its columns that name an event's subject
	Columns string // those that an event's subject fills: Addition.Subject
	Mail    string // the column of mails that names one of its events
}

// StoredEvent is an event of a timeline.
type StoredEvent struct {
	ID       int64
	At       time.Time
	Kind     string
	Actor    Actor
	Status   string
	Internal bool
	Data     json.RawMessage `gorm:"type:jsonb"`
}

// Fields are the event's data: an object, by the column's default and every writer.
func (e *StoredEvent) Fields() map[string]any {
	data := map[string]any{}
	_ = json.Unmarshal(e.Data, &data)
	return data
}

// Events reads a subject's timeline from its beginning.
func (t *Timeline) Events(ctx context.Context, db *store.DB, subject ...any) ([]StoredEvent, error) {
	var events []StoredEvent
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(subject)), ", ")
	err := db.ORM(ctx).Table(t.Table).Where("("+t.Subject+") = ("+marks+")", subject...).Order("id").Find(&events).Error
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", t.Table, err)
	}
	return events, nil
}

// Addition is an event to be added to a timeline, with the mails that it causes.
type Addition struct {
	Event
	Subject []any
	Status  string // the subject's now
	UserID  string // the subject's customer

	// What a mail is about, beside the event: one of them, or neither.
	OrderID, CardID *string

	Mailings []Mailing
	// MailOnce makes two mails one; where it is nil, or gives nothing, each event has
	// its own.
	MailOnce func(m Mailing) *string

	data json.RawMessage
}

// Add adds an event of one of the kinds and writes the mails that it causes, in the
// transaction of what happened; two of one subject with the same Dedupe are one. The
// customer's mail is written in the event's statement, the others in one of their own.
func (t *Timeline) Add(ctx context.Context, db *store.DB, kinds []string, a Addition) (err error) {
	if a.data, err = a.prepare(kinds); err != nil {
		return err
	}
	caused := a.caused()
	if db.HoldsBack() && !slices.ContainsFunc(caused, func(m Mailing) bool { return m.Roles != nil || m.Replaces != "" }) {
		return db.EventLater(ctx, t.eventRow(a))
	}
	var s store.Statement
	s.AddEvents([]store.EventRow{t.eventRow(a)})
	var id int64
	if err := db.Row(ctx, s.Query("id FROM w1"), s.Args...).Scan(&id); store.IsMissing(err) {
		return nil // appended before
	} else if err != nil {
		return fmt.Errorf("write event %s: %w", a.Kind, err)
	}
	for _, m := range caused {
		if err := t.causeMail(ctx, db, a, id, m); err != nil {
			return fmt.Errorf("queue mail %s: %w", m.Kind, err)
		}
	}
	return nil
}

// eventRow is what is written of an event in one statement.
func (t *Timeline) eventRow(a Addition) store.EventRow {
	r := store.EventRow{Into: t.Table + " (" + t.Columns + ", kind, actor, status, internal, data, dedupe)", Kind: a.Kind,
		Row: append(slices.Clone(a.Subject), a.Kind, a.Actor, a.Status, a.Internal, string(a.data), a.once())}
	if caused := a.caused(); slices.ContainsFunc(caused, toCustomer) {
		r.Mail = func(added string) (string, []any) {
			return t.mail(a, added, caused[slices.IndexFunc(caused, toCustomer)])
		}
	}
	return r
}

func toCustomer(m Mailing) bool { return m.Roles == nil }

// caused are the mails that the event causes.
func (a Addition) caused() []Mailing {
	return slices.DeleteFunc(slices.Clone(a.Mailings), func(m Mailing) bool { return m.Event != a.Kind })
}

// mail is the statement that writes the customer's mail, beside the one that adds the
// event and gives its id and kind: there is a mail if the event is new, and its topic
// is not muted.
func (t *Timeline) mail(a Addition, events string, m Mailing) (query string, args []any) {
	take := func(value any, kind string) string {
		args = append(args, value)
		return fmt.Sprintf("CAST($%d AS %s)", len(args), kind)
	}
	kind, user := take(m.Kind, "text"), take(a.UserID, "uuid")
	return `INSERT INTO mails (order_id, gift_card_id, ` + t.Mail + `, kind, user_id, staff, dedupe, next_try_at)
		SELECT ` + take(a.OrderID, "uuid") + `, ` + take(a.CardID, "uuid") + `, id, ` + kind + `, ` + user + `, false,
		       coalesce(` + take(a.mailOnce(m), "text") + `, ` + kind + ` || ':event:' || id), clock_now() + ` + take(store.Seconds(m.After), "interval") + `
		  FROM ` + events + ` WHERE kind = ` + take(a.Kind, "text") + `
		   AND NOT EXISTS (SELECT FROM preferences WHERE user_id = ` + user + ` AND ` + take(TopicOf[m.Kind], "text") + ` = ANY(muted))
		ON CONFLICT DO NOTHING`, args
}

// mailOnce is what makes two mails of a kind one; nothing where each event has its own.
func (a Addition) mailOnce(m Mailing) *string {
	if a.MailOnce == nil {
		return nil
	}
	return a.MailOnce(m)
}

// TakeMailBack gives up an order's mails of a kind that were not tried yet.
func TakeMailBack(ctx context.Context, db *store.DB, orderID, kind string) error {
	return db.Later(ctx, store.Write{Table: "mails", Query: `UPDATE mails SET given_up_at = clock_now(), last_error = $3
		WHERE order_id = $1 AND kind = $2 AND attempts = 0 AND sent_at IS NULL AND given_up_at IS NULL`, Args: []any{orderID, kind, MailReplaced}})
}

// AddressMail sends a person's mails of a kind that are not sent yet to another address
// than that of their account.
func AddressMail(ctx context.Context, db *store.DB, userID, kind, address string) error {
	err := db.ORM(ctx).Exec("UPDATE mails SET to_address = ? WHERE user_id = ? AND kind = ? AND to_address IS NULL AND sent_at IS NULL", address, userID, kind).Error
	if err != nil {
		return fmt.Errorf("address a mail: %w", err)
	}
	return nil
}

// MailAlert writes a mail about an alert to each of the staff with one of the roles.
func MailAlert(ctx context.Context, db *store.DB, alertID, kind string, roles []string) error {
	return db.ORM(ctx).Exec(`INSERT INTO mails (alert_id, kind, user_id, staff, dedupe)
		SELECT DISTINCT CAST(? AS uuid), ?, u.id, true, ? FROM `+people.EffectiveRoles+` r JOIN users u ON u.id = r.user_id
		 WHERE r.role = ANY(?)`, alertID, kind, kind, pq.StringArray(roles)).Error
}

// causeMail does what remains for a mail once the event's statement has inserted the customer's: it withdraws the
// mail that it replaces, and inserts one for each member of staff who receives it.
func (t *Timeline) causeMail(ctx context.Context, db *store.DB, a Addition, event int64, m Mailing) error {
	orm := db.ORM(ctx)
	if m.Replaces != "" {
		if err := TakeMailBack(ctx, db, *a.OrderID, m.Replaces); err != nil {
			return err
		}
	}
	if m.Roles == nil {
		return nil
	}
	// No one decides on their own case, so its customer is left out.
	return orm.Exec(`INSERT INTO mails (order_id, gift_card_id, `+t.Mail+`, kind, user_id, staff, dedupe)
		SELECT DISTINCT CAST(? AS uuid), CAST(? AS uuid), CAST(? AS bigint), ?, u.id, true, coalesce(CAST(? AS text), ? || ':event:' || ?)
		  FROM `+people.EffectiveRoles+` r JOIN users u ON u.id = r.user_id
		 WHERE r.role = ANY(?) AND u.id <> ? ORDER BY u.id ON CONFLICT DO NOTHING`,
		a.OrderID, a.CardID, event, m.Kind, a.mailOnce(m), m.Kind, strconv.FormatInt(event, 10), pq.StringArray(m.Roles), a.UserID).Error
}
