package address

import (
	"strings"

	"github.com/tradepost/tradepost/models/money"
)

// Key is the address in the form lists are compared in: lower case where the
// network ignores case.
func (r Result) Key() string {
	lower := strings.ToLower(r.Normalised)
	if money.NetworkOf(r.Network).Folds || strings.HasPrefix(lower, "bc1") || strings.HasPrefix(lower, "tb1") {
		return lower
	}
	return r.Normalised
}
