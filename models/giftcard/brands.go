package giftcard

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// Types of gift cards. A prepaid card is paid with like a bank card, a regular
// one at its brand with a PIN.
const (
	CardRegular = "regular"
	CardPrepaid = "prepaid"
)

// Brand is an entry of the catalogue: what customers can sell.
type Brand struct {
	Value string `json:"value"` // its slug
	Label string `json:"label"`
	Type  string `json:"type"`
}

//go:embed gift_card_brands.json
var brandFile []byte

// Brands is the catalogue of gift cards: prepaid ones first, then by name.
var Brands = readBrands()

func readBrands() []Brand {
	var brands []Brand
	if err := json.Unmarshal(brandFile, &brands); err != nil {
		panic(fmt.Sprintf("gift_card_brands.json: %v", err)) // compiled in: a test sees it
	}
	return brands
}

// Bought refuses a card where gift cards are not bought.
func Bought(offer money.Offer) error {
	if !offer.Takes(pricing.RailGiftCard) {
		return store.Invalid("brand", "not_offered", "We don't buy gift cards here")
	}
	return nil
}

// BrandsOf is the catalogue of what an installation buys.
func BrandsOf(offer money.Offer) []Brand {
	if Bought(offer) != nil {
		return nil
	}
	return Brands
}

// BrandOf finds a brand by its slug.
func BrandOf(value string) (Brand, bool) {
	for _, b := range Brands {
		if b.Value == value {
			return b, true
		}
	}
	return Brand{}, false
}
