package rest

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tradepost/tradepost/internal/i18n"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/store"
)

// Exports streams CSV files.
type Exports struct {
	DB  *store.DB
	Log *slog.Logger
}

// Export streams a CSV file of the books to a member of staff, having recorded the export
// and its filters. No cell is executable as a formula.
func (e *Exports) Export(ctx context.Context, name string, filter any, header []string, each func(ctx context.Context, write func(cells ...any) error) error) (*huma.StreamResponse, error) {
	who := Viewer(ctx)
	filters, err := set(filter)
	if err != nil {
		return nil, err
	}
	err = audit.Audit(ctx, e.DB, audit.AuditEntry{ActorID: who.ActorID, ActorRole: who.ActorRole, Action: name + ".exported", ObjectKind: "export", ObjectID: name, After: filters, RequestID: who.RequestID})
	if err != nil {
		return nil, err
	}
	return e.CSV(ctx, name, header, func(ctx context.Context, write func(cells []string) error) error {
		return each(ctx, func(cells ...any) error { return write(written(cells)) })
	})
}

// set are the filters that narrow, by their names.
func set(filter any) (map[string]any, error) {
	text, err := json.Marshal(filter)
	if err != nil {
		return nil, fmt.Errorf("note filters: %w", err)
	}
	all := map[string]any{}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("note filters: %w", err)
	}
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == "" || value == "all" })
	return all, nil
}

// byteOrderMark begins a file for people: spreadsheets read it as UTF-8 then.
const byteOrderMark = "\ufeff"

// forMachines are the exports that programs read, which take a byte order mark for a part of the first heading. Postings
// are imported by accounting programs; every other file is opened in a spreadsheet.
var forMachines = map[string]bool{"postings": true}

// csvRows calls write with each row of a file.
type csvRows func(ctx context.Context, write func(cells []string) error) error

// CSV streams a CSV file of today's name as it is read: no answer holds all of it.
func (e *Exports) CSV(ctx context.Context, name string, header []string, each csvRows) (*huma.StreamResponse, error) {
	now, err := e.DB.Now(ctx)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", "text/csv; charset=utf-8")
		hc.SetHeader("Content-Disposition", fmt.Sprintf(`attachment; filename="%s-%s.csv"`, name, now.UTC().Format(time.DateOnly)))
		if !forMachines[name] {
			_, _ = io.WriteString(hc.BodyWriter(), byteOrderMark) // a broken connection fails below, too
		}
		out := csv.NewWriter(hc.BodyWriter())
		_ = out.Write(header)
		err := each(hc.Context(), out.Write)
		out.Flush()
		if err != nil { // the answer has begun: abort it, so that the file is not mistaken for a complete one
			e.Log.WarnContext(hc.Context(), "export broken off", "export", name, "error", err)
			panic(http.ErrAbortHandler)
		}
	}}, nil
}

// Columns are the headings of a customer's file, in the language of the call. Staff's
// exports are English, their working language.
func Columns(ctx context.Context, names ...string) []string {
	said := make([]string, len(names))
	for i, name := range names {
		said[i] = i18n.In(RequestOf(ctx).Language, name)
	}
	return said
}

// Figure is a number of the product, which may be negative: the one kind of cell that
// begins with a sign and runs nothing.
type Figure string

// written are cells in their form in a file.
func written(cells []any) []string {
	out := make([]string, len(cells))
	for i, cell := range cells {
		switch c := cell.(type) {
		case Figure:
			out[i] = string(c)
		case time.Time:
			out[i] = c.UTC().Format(time.RFC3339Nano)
		case *string:
			out[i] = Inert(OrEmpty(c))[0]
		default:
			out[i] = Inert(fmt.Sprint(c))[0]
		}
	}
	return out
}

// OrEmpty is a text that may be missing, as a cell.
func OrEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// running are the characters that begin a formula in a spreadsheet; it skips white space,
// and some accept the full-width forms.
const running = "=+-@\t\r\n＝＋－＠"

// Inert makes cells that a spreadsheet would run plain text (rules §6), by a mark in front
// of a formula. It also does so within a cell: a spreadsheet that separates cells by
// semicolons ignores quotes in the middle of a cell.
func Inert(cells ...string) []string {
	plain := make([]string, 0, len(cells))
	for _, cell := range cells {
		var out strings.Builder
		begins := true
		for at, r := range cell {
			if begins && runs(cell[at:]) {
				out.WriteByte('\'')
			}
			out.WriteRune(r)
			begins = r == ';' || r == '\t' || r == '\n' || r == '\r'
		}
		plain = append(plain, out.String())
	}
	return plain
}

// runs reports whether a spreadsheet would execute a cell that begins so.
func runs(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " \u00a0"))
	return first != utf8.RuneError && strings.ContainsRune(running, first)
}
