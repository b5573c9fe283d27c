package rest

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// Uncounted is one page of a list that is not counted: it is walked.
type Uncounted[T any] struct {
	Link string `header:"Link" doc:"the next page, rel=\"next\""`
	Body []T
}

// Walked is one page of a list that is walked by number.
func Walked[Row, View any](ctx context.Context, p Paging, read func(after *store.NumberCursor) ([]Row, *store.NumberCursor, error), view func(*Row) View) (*Uncounted[View], error) {
	after, err := store.ParseNumberCursor(p.Cursor)
	if err != nil {
		return nil, err
	}
	rows, next, err := read(after)
	if err != nil {
		return nil, err
	}
	out := &Uncounted[View]{Body: Mapped(rows, view)}
	if next != nil {
		out.Link = LinkToCursor(ctx, next.String(), p.Limit)
	}
	return out, nil
}

// Page makes a list's query from its parameters.
func (p Paging) Page() (store.Page, error) {
	cursor, err := store.ParseCursor(p.Cursor)
	if err != nil {
		return store.Page{}, err
	}
	return store.Page{After: cursor, Limit: p.Limit}, nil
}

// LinkTo is the Link header of the next page: the same address with another
// cursor, or nothing at the end.
func LinkTo(ctx context.Context, next *store.Cursor, limit int) string {
	if next == nil {
		return ""
	}
	return LinkToCursor(ctx, next.String(), limit)
}

// LinkToCursor is the Link header of the page that begins at a cursor.
func LinkToCursor(ctx context.Context, cursor string, limit int) string {
	in := RequestOf(ctx).In
	if in == nil {
		return ""
	}
	query := url.Values{}
	for name, values := range in.URL.Query() {
		query[name] = values
	}
	query.Set("cursor", cursor)
	query.Set("limit", strconv.Itoa(limit))
	return fmt.Sprintf("<%s?%s>; rel=\"next\"", in.URL.EscapedPath(), query.Encode())
}

// Mapped turns each row into its view; the result is never null in JSON.
func Mapped[From, To any](rows []From, view func(*From) To) []To {
	out := make([]To, 0, len(rows))
	for i := range rows {
		out = append(out, view(&rows[i]))
	}
	return out
}

// UnlessAll is a filter's value; "all" does not narrow.
func UnlessAll[T ~string](value T) T {
	if value == all {
		return ""
	}
	return value
}

// Listed is a text that is one of the listed values.
func Listed[T ~string](words []T) *huma.Schema {
	schema := &huma.Schema{Type: huma.TypeString}
	for _, word := range words {
		schema.Enum = append(schema.Enum, string(word))
	}
	return schema
}

// OrAll is a filter's value: one of the listed values, or all.
func OrAll[T ~string](words []T) *huma.Schema { return Listed(append([]T{all}, words...)) }

// Word reads an optional text.
func Word[T ~string](text *T) string {
	if text == nil {
		return ""
	}
	return string(*text)
}

// Dollars writes cents, or nil for no amount.
func Dollars(cents *money.Units) *string {
	if cents == nil {
		return nil
	}
	text := money.USD.Format(*cents)
	return &text
}

// Optional is nil for an empty text.
func Optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
