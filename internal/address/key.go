package address

import "strings"

// Key is the address in the form lists are compared in: lower case where the
// network ignores case.
func (r Result) Key() string {
	lower := strings.ToLower(r.Normalised)
	if r.Network == Ethereum || strings.HasPrefix(lower, "bc1") || strings.HasPrefix(lower, "tb1") {
		return lower
	}
	return r.Normalised
}
