package api

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/models/store"
)

// extremes are what a parameter, or a number, date or list in a body, may be besides
// tricks: what Go reads and Postgres does not hold, and the other way round.
var extremes = []string{"300000-01-01", "-4713-01-01", "0000-00-00", "0001-01-01", "9999-12-31", "2026-02-30", "9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z",
	"0001-01-01T00:00:00-23:59", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e400", "00000000-0000-0000-0000-000000000000", "{00000000000000000000000000000000}",
	"urn:uuid:00000000-0000-0000-0000-000000000000", "00000000000000000000000000000000", strings.Repeat("9", 90), "a,b,,c", "[]", "{}", "true", "%", "_", `\`, "'", ":*", "!&|", "\ud7ff\U0010ffff"}

// cursors are forged places in a list.
func cursors() (forged []string) {
	const nobody = " 00000000-0000-0000-0000-000000000000"
	for _, inside := range append([]string{"", "0", "0 x", nobody, "99999999999999999" + nobody, "-99999999999999999" + nobody, "-210866803200000001" + nobody,
		"9223372036854775807" + nobody, "-9223372036854775808" + nobody, "1 urn:uuid:00000000-0000-0000-0000-000000000000", "1 {00000000-0000-0000-0000-000000000000}",
		"1 00000000000000000000000000000000", "1 2 3", "9223372036854775807", "-1", "2026-01-01T00:00:00Z\x00"}, extremes...) {
		for _, coding := range []*base64.Encoding{base64.RawURLEncoding, base64.StdEncoding} {
			forged = append(forged, coding.EncodeToString([]byte(inside)))
		}
	}
	return forged
}

// parametered is a call with its parameters, out of the contract.
type parametered struct {
	operation
	parameters []parameter
}

func parameters(t *testing.T) (list []parametered) {
	t.Helper()
	text, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	var document struct {
		Paths map[string]map[string]struct{ Parameters []parameter }
	}
	require.NoError(t, json.Unmarshal(text, &document))
	for _, op := range operations(t) {
		list = append(list, parametered{op, document.Paths[op.path][strings.ToLower(op.method)].Parameters})
	}
	return list
}

// Whatever stands in any parameter of any call, once or several times, is answered by
// a result or a refusal, and never by a fault of ours.
func TestBar23NothingInAnyParameterBreaksACall(t *testing.T) {
	h := open(t, unscaled)
	c := h.callers()
	forged, broken := cursors(), []string{}
	for _, op := range parameters(t) {
		if op.id == "streamEvents" || strings.HasPrefix(op.id, "login") {
			continue
		}
		for _, p := range op.parameters {
			if p.In != "query" && p.In != "path" {
				continue
			}
			values := slices.Concat(tricks, extremes, p.Schema.Enum)
			if p.Name == "cursor" {
				values = append(values, forged...)
			}
			for i, value := range values {
				path := strings.NewReplacer("{id}", c.id, "{key}", "none").Replace(op.path)
				if p.In == "path" {
					path = strings.ReplaceAll(op.path, "{"+p.Name+"}", url.PathEscape(value))
				} else {
					path += "?" + p.Name + "=" + url.QueryEscape(value)
				}
				addresses := []string{path}
				if p.In == "query" && i == len(values)-1 { // the last one twice, too
					addresses = append(addresses, path+"&"+p.Name+"="+url.QueryEscape(value))
				}
				for _, address := range addresses {
					var a *answer
					if op.method == http.MethodGet {
						a = c.staff.get(address)
					} else {
						a = c.staff.unsafe(op.method, address, "{}", "Idempotency-Key", store.NewID())
					}
					if a.status >= http.StatusInternalServerError {
						broken = append(broken, fmt.Sprintf("%s: %s is %q", op.id, p.Name, value))
					}
				}
			}
		}
	}
	require.Empty(t, broken)
	require.NotContains(t, h.log.String(), "panic")
}

// Nor does a number, a date, a list or a key that is beyond all bounds.
func TestBar23NothingBeyondBoundsInAnyBodyBreaksACall(t *testing.T) {
	h := open(t, unscaled)
	c, broken := h.callers(), []string{}
	values := []any{-1, 0, 1 << 31, 1 << 53, -1 << 63, json.Number("9223372036854775808"), json.Number("1e400"), json.Number("1E-400"), json.Number("-0"), 0.5, nil, true,
		[]any{}, []any{nil}, []any{"\x00"}, []any{strings.Repeat("x", 5000)}, slices.Repeat([]any{"order"}, 2000), map[string]any{}, map[string]any{"a": map[string]any{}}}
	for _, value := range extremes {
		values = append(values, value)
	}
	for _, op := range bodies(t) {
		body := op.sample()
		for name := range op.body.Properties {
			for _, value := range values {
				a := c.call(op.operation, with(body, name, value))
				if a.status >= http.StatusInternalServerError {
					broken = append(broken, fmt.Sprintf("%s: %s is %.100v: %s", op.id, name, value, a.body))
				}
			}
		}
	}
	require.Empty(t, broken, asvs.Claim(t, "1.4.2"))
	for _, key := range []string{strings.Repeat("k", 100), strings.Repeat("é", 100), "key\twith\ttabs", `key'"\;--`, strings.Repeat("k", 20_000)} {
		a := c.owner.post("/api/support/tickets", newTicket, "Idempotency-Key", key)
		require.Less(t, a.status, http.StatusInternalServerError, "%q: %s", key, a.body)
	}
	require.NotContains(t, h.log.String(), "panic")
}
