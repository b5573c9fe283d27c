package giftcard

import (
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// CardSecrets are what is printed on a gift card. They are sealed as soon as
// they were checked, and never leave but by an audited reveal.
type CardSecrets struct {
	Code         string
	PIN          string // regular cards
	Expiry       string // prepaid ones, MM/YY
	SecurityCode string // prepaid ones
}

// CardForm is what a customer enters, as they entered it. Every limit is of what is left without blanks, dashes and
// invisible characters.
type CardForm struct {
	Brand, Value, Type string
	CardSecrets
}

// CardOffer is a form that was found in order: what is sold, and what it pays.
type CardOffer struct {
	Brand         Brand
	Value, Payout money.Units
	Secrets       CardSecrets // without blanks and dashes
}

// Limits of what is typed (specification §5); regular codes are as long as brands make
// them.
const (
	maxPrepaidCode = 19
	minRegularCode = 8
	maxRegularCode = 32
)

var (
	regularCode  = regexp.MustCompile(`^[0-9A-Za-z]+$`)
	regularPIN   = regexp.MustCompile(`^[0-9A-Za-z]{1,16}$`)
	cardDigits   = regexp.MustCompile(`^[0-9]{15,16}$`)
	cardExpiry   = regexp.MustCompile(`^(0[1-9]|1[0-2])/([0-9]{2})$`)
	securityCode = regexp.MustCompile(`^[0-9]{3,4}$`)
)

// Check validates a form: everything that can be checked of a card automatically. now is the database's time, which
// its expiry is compared with.
func (f CardForm) Check(now time.Time) (CardOffer, error) {
	f.Brand, f.Value = typed.Line(f.Brand), typed.Line(f.Value)
	f.Code, f.PIN, f.SecurityCode, f.Expiry = typed.Code(f.Code), typed.Code(f.PIN), typed.Code(f.SecurityCode), typed.Expiry(f.Expiry)
	if err := f.missing(); err != nil {
		return CardOffer{}, err
	}
	brand, known := BrandOf(f.Brand)
	if !known {
		return CardOffer{}, store.Invalid("brand", "unknown_brand", "Choose a brand from the list")
	}
	if f.Type != brand.Type {
		return CardOffer{}, store.Invalid("cardType", "wrong_type", brand.Label+" cards are "+brand.Type)
	}
	value, err := money.USD.Parse(f.Value)
	if err != nil {
		return CardOffer{}, store.Invalid("value", "invalid_amount", "Enter the value of the card in dollars and cents")
	}
	payout, err := pricing.CardPayout(value)
	if err != nil {
		return CardOffer{}, err
	}
	secrets, err := f.secrets(brand, now)
	return CardOffer{Brand: brand, Value: value, Payout: payout, Secrets: secrets}, err
}

// missing names every field that must be filled in and is not (specification §5).
func (f CardForm) missing() error {
	needed := []struct{ field, label, value string }{{"brand", "Brand", f.Brand}, {"value", "Value", f.Value}, {"cardCode", "Card Number", f.Code}}
	if brand, _ := BrandOf(f.Brand); brand.Type == CardPrepaid || f.Type == CardPrepaid {
		needed = append(needed, struct{ field, label, value string }{"expirationDate", "Expiration Date", f.Expiry},
			struct{ field, label, value string }{"securityCode", "Security Code", f.SecurityCode})
	} else {
		needed = append(needed, struct{ field, label, value string }{"pin", "PIN", f.PIN})
	}
	var fields, labels []string
	for _, n := range needed {
		if strings.TrimSpace(n.value) == "" {
			fields, labels = append(fields, n.field), append(labels, n.label)
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return store.Incomplete(fields, "Please fill in all required fields: "+strings.Join(labels, ", "))
}

// secrets checks what is printed on the card, and keeps of it what a card of
// this type has.
func (f CardForm) secrets(brand Brand, now time.Time) (CardSecrets, error) {
	code := f.Code
	if brand.Type == CardRegular {
		pin := f.PIN
		switch {
		case utf8.RuneCountInString(code) > maxRegularCode:
			return CardSecrets{}, store.Invalid("cardCode", "too_long", "This card number is too long")
		case len(code) < minRegularCode || !regularCode.MatchString(code):
			return CardSecrets{}, store.Invalid("cardCode", "malformed", "Enter the card number as printed, with at least 8 letters and digits")
		case !regularPIN.MatchString(pin):
			return CardSecrets{}, store.Invalid("pin", "malformed", "Enter the PIN as printed, with at most 16 letters and digits")
		}
		return CardSecrets{Code: code, PIN: pin}, nil
	}
	switch {
	case utf8.RuneCountInString(code) > maxPrepaidCode:
		return CardSecrets{}, store.Invalid("cardCode", "too_long", "A card number has at most 19 characters")
	case !cardDigits.MatchString(code) || !luhn(code):
		return CardSecrets{}, store.Invalid("cardCode", "malformed", "Check the card number for a typo.")
	case !ofScheme(brand.Value, code):
		return CardSecrets{}, store.Invalid("cardCode", "wrong_brand", "This is not the number of a "+brand.Label+" card")
	}
	if err := checkExpiry(f.Expiry, now); err != nil {
		return CardSecrets{}, err
	}
	if !securityCode.MatchString(f.SecurityCode) || len(f.SecurityCode) != securityDigits(code) {
		return CardSecrets{}, store.Invalid("securityCode", "malformed", "Enter the security code: 3 digits, or 4 on American Express")
	}
	return CardSecrets{Code: code, Expiry: f.Expiry, SecurityCode: f.SecurityCode}, nil
}

// checkExpiry refuses an invalid date, a past one, and one further ahead than cards are issued for. A card is good
// until the end of its month.
func checkExpiry(text string, now time.Time) error {
	part := cardExpiry.FindStringSubmatch(text)
	if part == nil {
		return store.Invalid("expirationDate", "malformed", "Enter the expiration date as MM/YY")
	}
	month, err := time.Parse("01/06", part[0])
	if err != nil {
		return store.Invalid("expirationDate", "malformed", "Enter the expiration date as MM/YY")
	}
	switch end := month.AddDate(0, 1, 0); {
	case !end.After(now.UTC()):
		return store.Invalid("expirationDate", "card_expired", "This card has expired")
	case month.After(now.AddDate(20, 0, 0)):
		return store.Invalid("expirationDate", "malformed", "Check the expiration date")
	}
	return nil
}

// luhn is the check digit of bank cards.
func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

func isAmex(code string) bool {
	return len(code) == 15 && (strings.HasPrefix(code, "34") || strings.HasPrefix(code, "37"))
}

// ofScheme reports whether a number can be of a prepaid brand. OneVanilla is
// issued as Visa and as Mastercard.
func ofScheme(brand, code string) bool {
	visa := len(code) == 16 && code[0] == '4'
	mastercard := len(code) == 16 && (code[:2] >= "51" && code[:2] <= "55" || code[:4] >= "2221" && code[:4] <= "2720")
	switch brand {
	case "american-express":
		return isAmex(code)
	case "mastercard":
		return mastercard
	case "onevanilla":
		return visa || mastercard
	}
	return visa
}

func securityDigits(code string) int {
	if isAmex(code) {
		return 4
	}
	return 3
}
