package stripe

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// searchable are the fields each kind can be searched by, metadata beside them.
var searchable = map[string][]string{
	intents:   {"amount", "created", "currency", "customer", "status"},
	charges:   {"amount", "created", "currency", "customer", "disputed", "refunded", "status", "payment_method_details.card.brand", "payment_method_details.card.last4", "payment_method_details.card.exp_month", "payment_method_details.card.exp_year", "payment_method_details.card.fingerprint"},
	customers: {"created", "email", "name", "phone"},
}

// clause is one condition of a search: the field, how it compares, and with what.
type clause struct {
	not         bool
	field, sign string
	value       string
}

// clauseForm is -field:"value", with single or double quotes or a number; a
// field of metadata is metadata["key"].
var clauseForm = regexp.MustCompile(`^\s*(-?)([a-z_.0-9]+(?:\[(?:"[^"]+"|'[^']+')\])?)\s*(:|~|>=|<=|>|<)\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|null|-?\d+)\s*`)

var joinForm = regexp.MustCompile(`(?i)^(AND|OR)\b\s*`)

// searchPage is a page of what was found.
type searchPage struct {
	Object   string  `json:"object"`
	Data     []any   `json:"data"`
	HasMore  bool    `json:"has_more"`
	NextPage *string `json:"next_page"`
	URL      string  `json:"url"`
}

// parseSearch reads clauses joined by AND or by OR, never both, as Stripe has it.
func parseSearch(query string, fields []string) (clauses []clause, anyOf bool, err error) {
	wrong := invalid("", "query", "We were unable to parse your search query. Try using the format `metadata[\"key\"]:\"value\"` to query for metadata or key:\"value\" to query for other fields.")
	joins := map[string]bool{}
	for rest := query; ; {
		found := clauseForm.FindStringSubmatch(rest)
		if found == nil {
			return nil, false, wrong
		}
		rest = rest[len(found[0]):]
		one := clause{not: found[1] == "-", field: found[2], sign: found[3], value: unquoted(found[4])}
		top, _, _ := strings.Cut(one.field, "[")
		if top != "metadata" && !slices.Contains(fields, one.field) {
			return nil, false, invalid("", "query", "Field `%s` is an unsupported search field for resource.", one.field)
		}
		clauses = append(clauses, one)
		if rest == "" {
			break
		}
		join := joinForm.FindStringSubmatch(rest)
		if join == nil {
			join = []string{"", "and"} // a space alone means AND
		}
		joins[strings.ToUpper(join[1])] = true
		rest = rest[len(join[0]):]
	}
	if len(joins) > 1 {
		return nil, false, invalid("", "query", "A query cannot combine AND and OR.")
	}
	return clauses, joins["OR"], nil
}

func unquoted(text string) string {
	if text[0] != '"' && text[0] != '\'' {
		return text
	}
	return strings.NewReplacer(`\"`, `"`, `\'`, `'`, `\\`, `\`).Replace(text[1 : len(text)-1])
}

// lookup reads the field of an object as text; ok is false when it has none.
func lookup(object map[string]any, field string) (text string, ok bool) {
	name, key, nested := strings.Cut(field, "[")
	path := strings.Split(name, ".")
	if nested {
		path = append(path, strings.Trim(key, `"']`))
	}
	var value any = object
	for _, part := range path {
		inner, isObject := value.(map[string]any)
		if !isObject {
			return "", false
		}
		value = inner[part]
	}
	switch v := value.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// fits reports whether the object meets the condition. Text is compared without regard to
// case.
func (c clause) fits(object map[string]any) bool {
	text, present := lookup(object, c.field)
	return c.holds(text, present) != c.not
}

func (c clause) holds(text string, present bool) bool {
	if c.value == "null" {
		return !present
	}
	if !present {
		return false
	}
	switch c.sign {
	case ":":
		return strings.EqualFold(text, c.value)
	case "~":
		return strings.Contains(strings.ToLower(text), strings.ToLower(c.value))
	}
	a, errA := strconv.ParseInt(text, 10, 64)
	b, errB := strconv.ParseInt(c.value, 10, 64)
	if errA != nil || errB != nil {
		return false
	}
	order := cmp.Compare(a, b)
	return c.sign == ">" && order > 0 || c.sign == "<" && order < 0 || c.sign == ">=" && order >= 0 || c.sign == "<=" && order <= 0
}

// search answers GET …/search for a kind of object, newest first. At Stripe it
// lags behind the truth; here it does when a lag fault is armed.
func search[T any](bucket, url string) func(*call) (any, error) {
	return func(c *call) (any, error) {
		if err := c.form.require("query"); err != nil {
			return nil, err
		}
		clauses, anyOf, err := parseSearch(c.form.Get("query"), searchable[bucket])
		if err != nil {
			return nil, err
		}
		limit, _, _, err := c.paging()
		if err != nil {
			return nil, err
		}
		skip, err := c.searchOffset()
		if err != nil {
			return nil, err
		}
		var until time.Time
		if fault, armed := c.sim.world.Faults.TakeCode("stripe", "search", []string{"lag"}, c.form.Get("query")); armed {
			until = c.now.Add(-time.Duration(fault.Seconds()) * time.Second)
		}
		found, err := found[T](c, bucket, func(object map[string]any) bool {
			fits := func(one clause) bool { return one.fits(object) }
			created, _ := lookup(object, "created")
			at, _ := strconv.ParseInt(created, 10, 64)
			switch {
			case !until.IsZero() && at >= until.Unix():
				return false
			case anyOf:
				return slices.ContainsFunc(clauses, fits)
			}
			return !slices.ContainsFunc(clauses, func(one clause) bool { return !fits(one) })
		})
		if err != nil {
			return nil, err
		}
		return pageOf(found, skip, limit, url), nil
	}
}

// found are the objects that fit and that reads can see, as Stripe shows them.
func found[T any](c *call, bucket string, fits func(map[string]any) bool) (list []any, err error) {
	failure := newest(c.tx, bucket, func(id string, doc *T) bool {
		var lagging bool
		if lagging, err = isHidden(c.tx, id, c.now); lagging || err != nil {
			return err == nil
		}
		var object map[string]any
		if object, err = shown(doc); err == nil && fits(object) {
			list = append(list, object)
		}
		return err == nil
	})
	return list, cmp.Or(err, failure)
}

// searchOffset reads the page token of an earlier answer.
func (c *call) searchOffset() (int, error) {
	token := c.form.Get("page")
	if token == "" {
		return 0, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		var n int
		if n, err = strconv.Atoi(string(raw)); err == nil && n >= 0 {
			return n, nil
		}
	}
	return 0, invalid("", "page", "Invalid page token.")
}

func pageOf(list []any, skip, limit int, url string) searchPage {
	list = list[min(skip, len(list)):]
	out := searchPage{Object: "search_result", Data: list[:min(limit, len(list))], HasMore: len(list) > limit, URL: url}
	if out.Data == nil {
		out.Data = []any{}
	}
	if out.HasMore {
		out.NextPage = optional(base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(skip + limit))))
	}
	return out
}
