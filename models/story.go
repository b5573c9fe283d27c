package models

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/lib/pq"
)

// addition is an event to be added to a story, with the mails that it causes.
type addition struct {
	into   string // the event's table, with the columns that row fills
	row    []any
	kind   string
	userID string // whose it is about

	// What a mail is about, beside the event: one of them, or neither. event is the
	// column of mails that names the event.
	orderID, cardID *string
	event           string

	mailings []Mailing
	// dedupe makes two mails one; where it is nil, or gives nothing, each event has
	// its own.
	dedupe func(m Mailing) *string
}

// addEvent adds an event to a story and writes the mails that it causes, in the
// transaction of what happened. One that was told before stays as it is, with all
// that came of it. The mail to the customer, which many steps cause, is written in
// the event's statement; the others in one of their own.
func (db *DB) addEvent(ctx context.Context, a addition) error {
	caused := a.caused()
	if db.holdsBack() && !slices.ContainsFunc(caused, func(m Mailing) bool { return m.Roles != nil || m.Replaces != "" }) {
		return db.eventLater(ctx, a.eventRow())
	}
	var s statement
	s.addEvents([]eventRow{a.eventRow()})
	var id int64
	if err := db.row(ctx, s.query("id FROM w1"), s.args...).Scan(&id); isMissing(err) {
		return nil // told before
	} else if err != nil {
		return fmt.Errorf("write event %s: %w", a.kind, err)
	}
	for _, m := range caused {
		if err := db.causeMail(ctx, a, id, m); err != nil {
			return fmt.Errorf("queue mail %s: %w", m.Kind, err)
		}
	}
	return nil
}

// eventRow is what is written of it in one statement.
func (a addition) eventRow() eventRow {
	r := eventRow{into: a.into, kind: a.kind, row: a.row}
	if caused := a.caused(); slices.ContainsFunc(caused, toCustomer) {
		r.mail = func(added string) (string, []any) { return a.mail(added, caused[slices.IndexFunc(caused, toCustomer)]) }
	}
	return r
}

func toCustomer(m Mailing) bool { return m.Roles == nil }

// caused are the mails that the event causes.
func (a addition) caused() []Mailing {
	return slices.DeleteFunc(slices.Clone(a.mailings), func(m Mailing) bool { return m.Event != a.kind })
}

// mail is the statement that writes the customer's mail, beside the one that adds the
// event and gives its id and kind: there is a mail if the event was not told before,
// and they have not said that they want none of its topic.
func (a addition) mail(events string, m Mailing) (query string, args []any) {
	take := func(value any, kind string) string {
		args = append(args, value)
		return fmt.Sprintf("CAST($%d AS %s)", len(args), kind)
	}
	kind, user := take(m.Kind, "text"), take(a.userID, "uuid")
	return `INSERT INTO mails (order_id, gift_card_id, ` + a.event + `, kind, user_id, staff, dedupe, next_try_at)
		SELECT ` + take(a.orderID, "uuid") + `, ` + take(a.cardID, "uuid") + `, id, ` + kind + `, ` + user + `, false,
		       coalesce(` + take(a.once(m), "text") + `, ` + kind + ` || ':event:' || id), clock_now() + ` + take(seconds(m.After), "interval") + `
		  FROM ` + events + ` WHERE kind = ` + take(a.kind, "text") + `
		   AND NOT EXISTS (SELECT FROM preferences WHERE user_id = ` + user + ` AND ` + take(topicOf[m.Kind], "text") + ` = ANY(muted))
		ON CONFLICT DO NOTHING`, args
}

// once is what makes two mails of a kind one; nothing where each event has its own.
func (a addition) once(m Mailing) *string {
	if a.dedupe == nil {
		return nil
	}
	return a.dedupe(m)
}

// takeMailBack gives up an order's mails of a kind that were not tried yet.
func (db *DB) takeMailBack(ctx context.Context, orderID, kind string) error {
	return db.later(ctx, write{table: "mails", query: `UPDATE mails SET given_up_at = clock_now(), last_error = $3
		WHERE order_id = $1 AND kind = $2 AND attempts = 0 AND sent_at IS NULL AND given_up_at IS NULL`, args: []any{orderID, kind, MailReplaced}})
}

// causeMail does what is left to do for a mail once the event's statement has
// written the customer's: it takes back the one that it replaces, and writes one to
// each of the staff that it goes to.
func (db *DB) causeMail(ctx context.Context, a addition, event int64, m Mailing) error {
	orm := db.orm(ctx)
	if m.Replaces != "" {
		if err := db.takeMailBack(ctx, *a.orderID, m.Replaces); err != nil {
			return err
		}
	}
	if m.Roles == nil {
		return nil
	}
	// Nobody decides on what is their own, so nobody is asked to.
	return orm.Exec(`INSERT INTO mails (order_id, gift_card_id, `+a.event+`, kind, user_id, staff, dedupe)
		SELECT DISTINCT CAST(? AS uuid), CAST(? AS uuid), CAST(? AS bigint), ?, u.id, true, coalesce(CAST(? AS text), ? || ':event:' || ?)
		  FROM user_roles r JOIN users u ON u.id = r.user_id
		 WHERE r.role = ANY(?) AND u.disabled_at IS NULL AND u.id <> ? ORDER BY u.id ON CONFLICT DO NOTHING`,
		a.orderID, a.cardID, event, m.Kind, a.once(m), m.Kind, strconv.FormatInt(event, 10), pq.StringArray(m.Roles), a.userID).Error
}
