package stripe

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// form is a request's parameters: form-encoded, nested by brackets
// ("payment_intent_data[metadata][order_id]").
type form struct{ url.Values }

// parseForm reads a form-encoded text. Brackets without a number that hold more brackets
// are numbered, as the servers of such clients do it: "a[][b]=1&a[][b]=2" is
// "a[0][b]=1&a[1][b]=2", for an element ends where a name is repeated.
func parseForm(text string) (url.Values, error) {
	values := url.Values{}
	lists := map[string]*element{}
	for pair := range strings.SplitSeq(text, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		key, err := url.QueryUnescape(name)
		if err != nil {
			return nil, err
		}
		if value, err = url.QueryUnescape(value); err != nil {
			return nil, err
		}
		values.Add(numbered(key, lists), value)
	}
	return values, nil
}

// element is the one of a list that is being read, and the names it has so far.
type element struct {
	index int
	names map[string]bool
}

func numbered(key string, lists map[string]*element) string {
	list, rest, nested := strings.Cut(key, "[][")
	if !nested {
		return key
	}
	at := lists[list]
	switch {
	case at == nil:
		at = &element{names: map[string]bool{}}
		lists[list] = at
	case at.names[rest] && !strings.HasSuffix(rest, "[]"):
		at.index, at.names = at.index+1, map[string]bool{}
	}
	at.names[rest] = true
	return numbered(list+"["+strconv.Itoa(at.index)+"]["+rest, lists)
}

// has reports whether the parameter or anything nested in it was sent.
func (f form) has(name string) bool {
	for key := range f.Values {
		if key == name || strings.HasPrefix(key, name+"[") {
			return true
		}
	}
	return false
}

// only refuses parameters that the endpoint does not have.
func (f form) only(names ...string) error {
	for key := range f.Values {
		top, _, _ := strings.Cut(key, "[")
		if top != "expand" && !slices.Contains(names, top) {
			return invalid("parameter_unknown", key, "Received unknown parameter: %s", key)
		}
	}
	return nil
}

// require refuses when one of the parameters is missing or empty.
func (f form) require(names ...string) error {
	for _, name := range names {
		switch {
		case !f.has(name):
			return invalid("parameter_missing", name, "Missing required param: %s.", name)
		case f.Has(name) && f.Get(name) == "":
			return invalid("parameter_invalid_empty", name, "You passed an empty string for '%s'. We assume empty values are an attempt to unset a parameter; however '%s' cannot be unset.", name, name)
		}
	}
	return nil
}

// integer reads a whole number; ok is false when it was not sent.
func (f form) integer(name string) (n int64, ok bool, err error) {
	if !f.Has(name) {
		return 0, false, nil
	}
	n, parseErr := strconv.ParseInt(f.Get(name), 10, 64)
	if parseErr != nil {
		return 0, false, invalid("parameter_invalid_integer", name, "Invalid integer: %s", f.Get(name))
	}
	return n, true, nil
}

// shipping reads where goods go to; nil when it was not sent.
func (f form) shipping() map[string]any {
	if !f.has("shipping") {
		return nil
	}
	address := map[string]any{}
	for _, name := range []string{"city", "country", "line1", "line2", "postal_code", "state"} {
		address[name] = optional(f.Get("shipping[address][" + name + "]"))
	}
	place := map[string]any{"address": address}
	for _, name := range []string{"carrier", "name", "phone", "tracking_number"} {
		place[name] = optional(f.Get("shipping[" + name + "]"))
	}
	return place
}

// boolean reads true or false; one that was not sent is false.
func (f form) boolean(name string) (bool, error) {
	switch f.Get(name) {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	}
	return false, invalid("", name, "Invalid boolean: %s", f.Get(name))
}

// overwrite sets what was sent; what was sent empty becomes null.
func (f form) overwrite(fields map[string]**string) {
	for name, field := range fields {
		if f.Has(name) {
			*field = optional(f.Get(name))
		}
	}
}

// choice reads one of the values; the first is the default.
func (f form) choice(name string, words ...string) (string, error) {
	value := f.Get(name)
	if value == "" {
		return words[0], nil
	}
	if !slices.Contains(words, value) {
		return "", invalid("", name, "Invalid %s: must be one of %s", name, strings.Join(words, ", "))
	}
	return value, nil
}

// list reads an array parameter: name[0], name[1], … or name[] repeated.
func (f form) list(name string) []string {
	keys := []string{}
	for key := range f.Values {
		if strings.HasPrefix(key, name+"[") {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	values := []string{}
	for _, key := range keys {
		values = append(values, f.Values[key]...)
	}
	return values
}

// metadata reads name[key]=value within Stripe's limits.
func (f form) metadata(name string) (map[string]string, error) {
	data := map[string]string{}
	for key := range f.Values {
		inner, found := strings.CutPrefix(key, name+"[")
		if !found {
			continue
		}
		inner = strings.TrimSuffix(inner, "]")
		value := f.Get(key)
		switch {
		case len(inner) > 40:
			return nil, invalid("", name, "Invalid metadata key '%s': keys are at most 40 characters", inner)
		case len([]rune(value)) > 500:
			return nil, invalid("", name+"["+inner+"]", "Metadata values can have up to 500 characters, but you passed in a value that is %d characters.", len([]rune(value)))
		case value != "":
			data[inner] = value
		}
	}
	if len(data) > 50 {
		return nil, invalid("", name, "You can have up to 50 metadata keys")
	}
	return data, nil
}

// mergeMetadata brings an object's metadata up to date: a name that is sent empty is
// removed, and an empty metadata removes all of them.
func (f form) mergeMetadata(old map[string]string) (map[string]string, error) {
	sent, err := f.metadata("metadata")
	if err != nil {
		return nil, err
	}
	if f.Has("metadata") && f.Get("metadata") == "" {
		return map[string]string{}, nil
	}
	data := maps.Clone(old)
	if data == nil {
		data = map[string]string{}
	}
	for key := range f.Values {
		if inner, found := strings.CutPrefix(key, "metadata["); found && f.Get(key) == "" {
			delete(data, strings.TrimSuffix(inner, "]"))
		}
	}
	maps.Copy(data, sent)
	if len(data) > 50 {
		return nil, invalid("", "metadata", "You can have up to 50 metadata keys")
	}
	return data, nil
}

// window reads created[gte], [gt], [lte], [lt] or created itself as a test of
// a time.
func (f form) window() (func(created int64) bool, error) {
	tests := []func(int64) bool{}
	for name, holds := range map[string]func(a, b int64) bool{
		"created":      func(a, b int64) bool { return a == b },
		"created[gte]": func(a, b int64) bool { return a >= b },
		"created[gt]":  func(a, b int64) bool { return a > b },
		"created[lte]": func(a, b int64) bool { return a <= b },
		"created[lt]":  func(a, b int64) bool { return a < b },
	} {
		bound, ok, err := f.integer(name)
		if err != nil {
			return nil, err
		}
		if ok {
			tests = append(tests, func(created int64) bool { return holds(created, bound) })
		}
	}
	return func(created int64) bool {
		return !slices.ContainsFunc(tests, func(test func(int64) bool) bool { return !test(created) })
	}, nil
}

var currencyCode = regexp.MustCompile(`^[a-z]{3}$`)

// amount reads a positive amount in the smallest unit, within Stripe's limits.
func (f form) amount(name string) (int64, error) {
	n, ok, err := f.integer(name)
	switch {
	case err != nil:
		return 0, err
	case !ok:
		return 0, invalid("parameter_missing", name, "Missing required param: %s.", name)
	case n < 1:
		return 0, invalid("parameter_invalid_integer", name, "This value must be greater than or equal to 1.")
	}
	return n, payable(n, name)
}

// payable refuses amounts below fifty cents and above 999,999.99.
func payable(n int64, param string) error {
	if n < 50 {
		return invalid("amount_too_small", param, "Amount must be at least $0.50 usd")
	}
	if n > 99_999_999 {
		return invalid("amount_too_large", param, "Amount must be no more than $999,999.99")
	}
	return nil
}

func (f form) currency(name string) (string, error) {
	code := strings.ToLower(f.Get(name))
	if !currencyCode.MatchString(code) {
		return "", invalid("parameter_invalid_string_empty", name, "Invalid currency: %s.", f.Get(name))
	}
	return code, nil
}
