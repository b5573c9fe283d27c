package address

import "strings"

// Key is the address in the form lists are compared in: lower case where the
// network ignores case.
func (r Result) Key() string {
	if r.Network == Ethereum || strings.HasPrefix(strings.ToLower(r.Normalised), "bc1") {
		return strings.ToLower(r.Normalised)
	}
	return r.Normalised
}
