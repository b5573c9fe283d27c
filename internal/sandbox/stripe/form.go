package stripe

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// form is a request's parameters: form-encoded, nested by brackets
// ("payment_intent_data[metadata][order_id]").
type form struct{ url.Values }

// has says whether the parameter or anything nested in it was sent.
func (f form) has(name string) bool {
	for key := range f.Values {
		if key == name || strings.HasPrefix(key, name+"[") {
			return true
		}
	}
	return false
}

// only refuses parameters that the endpoint does not know.
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

// choice reads one of the words; the first is the default.
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
