package pricing

import (
	"maps"
	"slices"
	"sync"

	"golang.org/x/text/language"
)

// countries are the codes of ISO 3166-1.
var countries = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string([]rune{a, b})
			region, err := language.ParseRegion(code)
			if err == nil && region.IsCountry() && region.Canonicalize() == region && region.String() == code {
				all[code] = true
			}
		}
	}
	return all
})

// isCountry reports whether a code is a country's.
func isCountry(code string) bool { return countries()[code] }

// countryCodes are the codes of all countries, sorted.
func countryCodes() []string { return slices.Sorted(maps.Keys(countries())) }
