package store

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"
)

// Page requests Limit rows after a cursor, newest first.
type Page struct {
	After *Cursor
	Limit int
	// OldestFirst turns the list round, for what waits its turn.
	OldestFirst bool
}

// Cursor is a place in a list that is sorted by time and id. It stays right
// while rows are added.
type Cursor struct {
	At time.Time
	ID string
}

// String is the cursor as it is in a URL.
func (c Cursor) String() string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %s", c.At.UnixMicro(), c.ID))
}

// lastYear is the last year of dates with four digits; Postgres accepts later ones, and fewer than Go does.
const lastYear = 9999

// ParseCursor reads what String wrote; an empty text is the beginning.
func ParseCursor(text string) (*Cursor, error) {
	if text == "" {
		return nil, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	micros, id, ok := strings.Cut(string(raw), " ")
	unix, bad := strconv.ParseInt(micros, 10, 64)
	at := time.UnixMicro(unix).UTC()
	if err != nil || !ok || bad != nil || !IsID(id) || at.Year() < 1 || at.Year() > lastYear {
		return nil, Invalid("cursor", "bad_cursor", "This page address is not valid")
	}
	return &Cursor{At: at, ID: id}, nil
}

// In narrows a query over table to the page. It reads one row more than the page holds, so that the caller can detect
// a next page.
func (p Page) In(query *gorm.DB, table string) *gorm.DB { return p.By(query, table, "created_at") }

// By is in for a list that is sorted by another time than when its rows were made.
func (p Page) By(query *gorm.DB, table, at string) *gorm.DB {
	return p.Over(query, table+"."+at, table+".id")
}

// Over is by for a list whose time and id are any two columns.
func (p Page) Over(query *gorm.DB, at, id string) *gorm.DB {
	beyond, way := "<", " DESC"
	if p.OldestFirst {
		beyond, way = ">", ""
	}
	if p.After != nil {
		query = query.Where("("+at+", "+id+") "+beyond+" (?, ?)", p.After.At, p.After.ID)
	}
	return query.Order(at + way + ", " + id + way).Limit(p.Limit + 1)
}

// Cut drops the extra row and says where the next page begins.
func Cut[T any](rows []T, p Page, cursor func(T) Cursor) ([]T, *Cursor) {
	if len(rows) <= p.Limit {
		return rows, nil
	}
	rows = rows[:p.Limit]
	next := cursor(rows[len(rows)-1])
	return rows, &next
}

// ExportPage is how many rows an export reads at a time: it does not hold them all.
const ExportPage = 500

// EachPage calls fn with every row of a list that is read a page at a time.
func EachPage[T, C any](read func(after *C) ([]T, *C, error), fn func(*T) error) error {
	var after *C
	for {
		rows, next, err := read(after)
		if err != nil {
			return err
		}
		for i := range rows {
			if err := fn(&rows[i]); err != nil {
				return err
			}
		}
		if next == nil {
			return nil
		}
		after = next
	}
}

// Containing makes a LIKE pattern of what a person typed.
func Containing(typed string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(strings.ToLower(strings.TrimSpace(typed))) + "%"
}

// HoldsTyped is the condition that a searched text contains what was typed; asTyped fills it. The trigram index is
// searched for the typed text's ending alone, as one index read per trigram suffices and endings discriminate better
// than beginnings, which many addresses share; the rest is filtered by the whole.
const HoldsTyped = "text LIKE @ending AND (CAST(@whole AS text) IS NULL OR text || '' LIKE @whole)"

// endingTyped is how many characters of what was typed the index is searched for.
const endingTyped = 6

// AsTyped are the patterns of what was typed: how a name ends, and what holds all of it.
func AsTyped(typed string) map[string]any {
	letters := []rune(strings.TrimSpace(typed))
	if len(letters) <= endingTyped {
		return map[string]any{"ending": Containing(typed), "whole": (*string)(nil)}
	}
	whole := Containing(typed)
	return map[string]any{"ending": Containing(string(letters[len(letters)-endingTyped:])), "whole": &whole}
}

// Whole reports whether a page is all there is of its list.
func (p Page) Whole(next *Cursor) bool { return p.After == nil && next == nil }

// NumberCursor is a place in a list that is only added to, by its numbers, newest
// first.
type NumberCursor int64

// String is the cursor as it is in a URL.
func (c NumberCursor) String() string {
	return base64.RawURLEncoding.EncodeToString(strconv.AppendInt(nil, int64(c), 10))
}

// ParseNumberCursor reads what String wrote; an empty text is the beginning.
func ParseNumberCursor(text string) (*NumberCursor, error) {
	if text == "" {
		return nil, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	id, bad := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || bad != nil || id < 1 {
		return nil, Invalid("cursor", "bad_cursor", "This page address is not valid")
	}
	cursor := NumberCursor(id)
	return &cursor, nil
}
