package kraken

import (
	"errors"
	"strings"

	"github.com/shopspring/decimal"
)

// number is a decimal as Kraken writes it: text, in places a JSON number.
type number struct{ decimal.Decimal }

// Bounds on what a number may be, so that none costs more than a few bytes.
const (
	maxNumberLength = 64
	maxExponent     = 40
)

var errNumber = errors.New("kraken: not a number")

// UnmarshalJSON reads the text of a number without a float in between.
func (n *number) UnmarshalJSON(raw []byte) error {
	text := strings.Trim(string(raw), `"`)
	if len(text) > maxNumberLength {
		return errNumber
	}
	d, err := decimal.NewFromString(text)
	if err != nil || d.Exponent() > maxExponent || d.Exponent() < -maxExponent {
		return errNumber
	}
	n.Decimal = d
	return nil
}
