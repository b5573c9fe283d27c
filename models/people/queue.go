package people

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/store"
)

// QueueFilter narrows a list that people work off by the status of its rows. Empty fields do not narrow.
type QueueFilter[S ~string] struct {
	UserID string
	Status S
	Query  string // a reference, an id or the beginning of one, or its customer
}

// Whose is what staff see beside a row of a queue: its owner, and the decision about it that is being executed.
type Whose struct {
	Email        string
	FirstName    string
	LastName     string
	DecisionID   *string
	DecisionKind *string
	DecisionAt   *time.Time
}

// QueuePage is one page of a table as staff see it, newest first unless the page says otherwise. open joins the
// decision that is being executed, as d.
func QueuePage[T any, S ~string](ctx context.Context, db *store.DB, table, open string, f QueueFilter[S], p store.Page, cursor func(T) store.Cursor) ([]T, *store.Cursor, error) {
	query := db.CustomPlans(ctx).Table(table).
		Select(table + ".*, u.email, u.first_name, u.last_name, d.id AS decision_id, d.kind AS decision_kind, d.created_at AS decision_at").
		Joins("JOIN users u ON u.id = " + table + ".user_id").Joins(open)
	if f.UserID != "" {
		query = query.Where(table+".user_id = ?", f.UserID)
	}
	if f.Status != "" {
		query = query.Where(table+".status = ?", f.Status)
	}
	if f.Query != "" {
		ids, err := FoundIn(ctx, db, table, f.Query)
		if err != nil {
			return nil, nil, err
		}
		query = query.Where(table+".id = ANY(CAST(? AS uuid[]))", ids)
	}
	var rows []T
	if err := p.In(query, table).Scan(&rows).Error; err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", table, err)
	}
	rows, next := store.Cut(rows, p, cursor)
	return rows, next, nil
}

// CountQueue counts a table's rows by status: all of them, or those that a search finds.
func CountQueue[S ~string](ctx context.Context, db *store.DB, table, typed string) (store.Counts[S], error) {
	if typed == "" {
		return store.CountByStatus[S](ctx, db, table, "")
	}
	ids, err := FoundIn(ctx, db, table, typed)
	if err != nil {
		return store.Counts[S]{}, err
	}
	return store.CountFound[S](ctx, db, table, "status", "id", ids)
}

// Queues are searched by reference, id or the beginning of one, or customer. Each key is an index of its own and
// finds few, so that a search costs what it finds, however long the queue is.

// How much a search of a queue finds at most: rows, the newest, of the newest customers who match the same text.
const (
	QueueFindsMost     = 500
	queueFindsOfPeople = 20
)

// FoundIn finds the rows of a table by what staff typed.
func FoundIn(ctx context.Context, db *store.DB, table, typed string) (pq.StringArray, error) {
	typed = strings.TrimSpace(typed)
	first, last := store.IDRange(typed)
	customers, err := CustomersNamed(ctx, db, typed)
	if err != nil {
		return nil, err
	}
	ids := pq.StringArray{}
	err = db.CustomPlans(ctx).Raw(fmt.Sprintf(`SELECT coalesce(array_agg(id), '{}') FROM (SELECT id FROM (
		SELECT id, created_at FROM %[1]s WHERE reference = @upper
		UNION SELECT id, created_at FROM %[1]s WHERE id BETWEEN CAST(@first AS uuid) AND CAST(@last AS uuid)
		UNION SELECT id, created_at FROM %[1]s WHERE user_id = ANY(CAST(@customers AS uuid[]))) f ORDER BY created_at DESC, id DESC LIMIT @most) newest`, table),
		map[string]any{"upper": strings.ToUpper(typed), "first": first, "last": last, "customers": customers, "most": QueueFindsMost}).Row().Scan(&ids)
	if err != nil {
		return nil, fmt.Errorf("search %s: %w", table, err)
	}
	return ids, nil
}

// CustomersNamed are the newest customers whose name or address holds what was
// typed; none for less than is searched for.
func CustomersNamed(ctx context.Context, db *store.DB, typed string) (pq.StringArray, error) {
	ids := pq.StringArray{}
	if len([]rune(typed)) < store.SearchLeast {
		return ids, nil
	}
	query := NamedLike(db.CustomPlans(ctx).Table("users"), typed)
	if err := (store.Page{Limit: queueFindsOfPeople - 1}).In(query, "users").Pluck("users.id", &ids).Error; err != nil {
		return nil, fmt.Errorf("search customers: %w", err)
	}
	return ids, nil
}
