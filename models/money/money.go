// Package money holds amounts and currencies. It is a leaf: it imports nothing
// of ours.
//
// Invariants:
//
//   - An amount is a whole number of base units (cents, satoshi, wei, …) in a
//     Units value; it never passes through a float, in any direction.
//   - Outside (JSON, pages, exports) an amount is a decimal string made by
//     Currency.Format; it comes back in only through Currency.Parse, which
//     accepts plain digits with at most one point and nothing else.
//   - Prices and percentages are shopspring decimals; turning one into Units
//     names its rounding.
package money

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/shopspring/decimal"
)

// Currency is a fiat currency or a coin.
type Currency string

// USD is the fiat currency there is; the coins are in registry.go.
const USD Currency = "USD"

// Decimals is the number of decimal places of one whole unit.
func (c Currency) Decimals() int32 {
	if c == USD {
		return 2
	}
	for _, one := range coins {
		if one.code == c {
			return one.decimals
		}
	}
	return 0
}

// leastOfName is how many letters of a coin's name are its beginning.
const leastOfName = 4

// CoinNamed is the coin that a text names, in any case: by a code, a name or a name's beginning; "" without one.
func CoinNamed(text string) Currency {
	typed := strings.ToLower(strings.TrimSpace(text))
	if code := Currency(strings.ToUpper(typed)); code.IsAsset() {
		return code
	}
	for name, coin := range coinNames {
		if len(typed) >= leastOfName && strings.HasPrefix(name, typed) {
			return coin
		}
	}
	return ""
}

// IsAsset reports whether c is a coin a customer can buy.
func (c Currency) IsAsset() bool { return slices.Contains(Assets, c) }

// Errors of Currency.Parse; the caller turns them into a message that names
// the field.
var (
	ErrSyntax    = errors.New("not a plain decimal number")
	ErrPrecision = errors.New("more decimal places than the currency has")
	ErrTooLarge  = errors.New("number too large")
)

// maxDigits bounds what Parse accepts before the point: NUMERIC(38,0) holds
// any such amount of any currency.
const maxDigits = 15

// Parse reads a plain decimal string such as "12.5" as base units. Signs,
// exponents, separators and blanks are refused.
func (c Currency) Parse(s string) (Units, error) {
	whole, frac, hasPoint := strings.Cut(s, ".")
	if whole == "" || (hasPoint && frac == "") || !digits(whole) || !digits(frac) {
		return Units{}, ErrSyntax
	}
	whole = strings.TrimLeft(whole, "0")
	if len(whole) > maxDigits {
		return Units{}, ErrTooLarge
	}
	frac = strings.TrimRight(frac, "0")
	places := int(c.Decimals())
	if len(frac) > places {
		return Units{}, ErrPrecision
	}
	n, ok := new(big.Int).SetString("0"+whole+frac+strings.Repeat("0", places-len(frac)), 10)
	if !ok {
		return Units{}, ErrSyntax
	}
	return Units{n}, nil
}

func digits(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return true
}

// Format writes base units as a decimal string: USD with two places, coins
// without trailing zeros.
func (c Currency) Format(u Units) string {
	d := decimal.NewFromBigInt(u.big(), -c.Decimals())
	if c == USD {
		return d.StringFixed(2)
	}
	return d.String()
}

// Dollars writes cents as people read them: "$1,234.50".
func Dollars(u Units) string {
	text, sign := USD.Format(u.Abs()), ""
	if u.Sign() < 0 {
		sign = "-"
	}
	for at := strings.IndexByte(text, '.') - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return sign + "$" + text
}

// Decimal gives the amount in whole units.
func (c Currency) Decimal(u Units) decimal.Decimal {
	return decimal.NewFromBigInt(u.big(), -c.Decimals())
}

// Round says which way a decimal becomes whole base units.
type Round int

// The directions.
const (
	Up     Round = iota // away from zero: what we charge
	Down                // towards zero: what we promise
	HalfUp              // to the nearest, halves away from zero
)

// FromDecimal turns an amount in whole units into base units.
func (c Currency) FromDecimal(d decimal.Decimal, r Round) Units {
	shifted := d.Shift(c.Decimals())
	switch r {
	case Up:
		shifted = shifted.RoundUp(0)
	case Down:
		shifted = shifted.RoundDown(0)
	default:
		shifted = shifted.Round(0)
	}
	return Units{shifted.BigInt()}
}

// Units is an immutable whole number of base units of some currency. The zero
// value is zero. In Postgres it is NUMERIC(38,0).
type Units struct{ n *big.Int }

// FromInt makes Units of a plain integer.
func FromInt(n int64) Units { return Units{big.NewInt(n)} }

func (u Units) big() *big.Int {
	if u.n == nil {
		return new(big.Int)
	}
	return u.n
}

// Add gives u + v.
func (u Units) Add(v Units) Units { return Units{new(big.Int).Add(u.big(), v.big())} }

// Sub gives u − v.
func (u Units) Sub(v Units) Units { return Units{new(big.Int).Sub(u.big(), v.big())} }

// Neg gives −u.
func (u Units) Neg() Units { return Units{new(big.Int).Neg(u.big())} }

// Abs gives |u|.
func (u Units) Abs() Units { return Units{new(big.Int).Abs(u.big())} }

// Cmp compares as big.Int does: −1, 0, +1.
func (u Units) Cmp(v Units) int { return u.big().Cmp(v.big()) }

// Sign is −1, 0 or +1.
func (u Units) Sign() int { return u.big().Sign() }

// Half is half of u, rounded down.
func (u Units) Half() Units { return Units{new(big.Int).Rsh(u.big(), 1)} }

// IsZero reports whether u is zero.
func (u Units) IsZero() bool { return u.Sign() == 0 }

// Min gives the smaller of u and v.
func (u Units) Min(v Units) Units {
	if u.Cmp(v) < 0 {
		return u
	}
	return v
}

// Int64 gives the amount for APIs with an integer parameter; ok is false when it does not fit.
func (u Units) Int64() (n int64, ok bool) { return u.big().Int64(), u.big().IsInt64() }

// String is the plain integer, for providers that expect base units as text.
func (u Units) String() string { return u.big().String() }

// ParseUnits reads a plain integer of base units, such as a provider sends.
func ParseUnits(s string) (Units, error) {
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		return Units{}, ErrSyntax
	}
	return Units{n}, nil
}

// Value implements driver.Valuer.
func (u Units) Value() (driver.Value, error) { return u.String(), nil }

// Scan implements sql.Scanner.
func (u *Units) Scan(src any) error {
	var text string
	switch v := src.(type) {
	case nil:
		*u = Units{}
		return nil
	case int64:
		*u = FromInt(v)
		return nil
	case string:
		text = v
	case []byte:
		text = string(v)
	default:
		return fmt.Errorf("money: cannot read %T as units", src)
	}
	parsed, err := ParseUnits(text)
	if err != nil {
		return fmt.Errorf("money: cannot read %q as units", text)
	}
	*u = parsed
	return nil
}

// MarshalText writes the plain integer, so that activity inputs and stored
// JSON hold exact amounts.
func (u Units) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (u *Units) UnmarshalText(b []byte) error {
	parsed, err := ParseUnits(string(b))
	if err != nil {
		return err
	}
	*u = parsed
	return nil
}

// GormDataType is the column type for GORM.
func (Units) GormDataType() string { return "numeric(38,0)" }
