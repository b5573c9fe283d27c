package models

import (
	"strings"
)

// customerFacets are one row of the customers' tally, taken apart.
type customerFacets struct{ KYCStatus, VolumeTier string }

func customerFacet(facet string) customerFacets {
	kyc, tier, _ := strings.Cut(facet, "/")
	return customerFacets{kyc, tier}
}
