package api

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"github.com/tradepost/tradepost/models/store"
)

// page makes the query of a list of what came in.
func (p Paging) page() (store.Page, error) {
	cursor, err := store.ParseCursor(p.Cursor)
	if err != nil {
		return store.Page{}, err
	}
	return store.Page{After: cursor, Limit: p.Limit}, nil
}

// linkTo is the Link header of the next page: the same address with another
// cursor, or nothing at the end.
func linkTo(ctx context.Context, next *store.Cursor, limit int) string {
	if next == nil {
		return ""
	}
	return linkToCursor(ctx, next.String(), limit)
}

func linkToCursor(ctx context.Context, cursor string, limit int) string {
	in := requestOf(ctx).in
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

// mapped turns each row into its view; the result is never null in JSON.
func mapped[From, To any](rows []From, view func(*From) To) []To {
	out := make([]To, 0, len(rows))
	for i := range rows {
		out = append(out, view(&rows[i]))
	}
	return out
}

// unlessAll is a filter's value; "all" does not narrow.
func unlessAll(value string) string {
	if value == "all" {
		return ""
	}
	return value
}
