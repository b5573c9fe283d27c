package payout

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// Kinds of bank accounts that we pay out to.
const (
	AccountIBAN = "iban"
	AccountUS   = "us"
)

// PayoutAccount is the bank account of a payout: personal, and stored sealed.
type PayoutAccount struct {
	Kind    string `json:"kind"`
	Holder  string `json:"holder"`
	IBAN    string `json:"iban,omitempty"`
	Routing string `json:"routing,omitempty"`
	Number  string `json:"number,omitempty"`
}

// Country is where the account is kept (ISO 3166-1 alpha-2).
func (a *PayoutAccount) Country() string {
	if a.Kind == AccountIBAN {
		return a.IBAN[:2]
	}
	return "US"
}

// Last4 is what is shown of the account's number.
func (a *PayoutAccount) Last4() string {
	number := a.IBAN + a.Number
	return number[len(number)-4:]
}

// ibanLengths are how long an IBAN of a country is (ISO 13616). A country that
// is not listed has none.
var ibanLengths = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "CH": 21, "CR": 22, "CY": 28, "CZ": 24,
	"DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27,
	"GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20,
	"LU": 20, "LV": 21, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29,
	"PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23, "TN": 24,
	"TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}

var (
	ibanForm    = regexp.MustCompile(`^[A-Z]{2}[0-9]{2}[A-Z0-9]+$`)
	routingForm = regexp.MustCompile(`^[0-9]{9}$`)
	accountForm = regexp.MustCompile(`^[0-9]{4,17}$`)
)

// Check normalises a typed account, and refuses an invalid one.
func (a PayoutAccount) Check() (PayoutAccount, error) {
	out := PayoutAccount{Kind: a.Kind, Holder: strings.Join(strings.Fields(a.Holder), " ")}
	switch n := utf8.RuneCountInString(out.Holder); {
	case n == 0:
		return out, store.Invalid("accountHolder", "required", "Enter the name of the account holder")
	case n > 100 || typed.Unprintable(out.Holder) || !strings.ContainsFunc(out.Holder, unicode.IsLetter):
		return out, store.Invalid("accountHolder", "invalid_name", "Enter the name as your bank has it")
	}
	switch a.Kind {
	case AccountIBAN:
		out.IBAN = typed.Upper(a.IBAN)
		return out, checkIBAN(out.IBAN)
	case AccountUS:
		out.Routing, out.Number = typed.Code(a.Routing), typed.Code(a.Number)
		return out, checkUS(out.Routing, out.Number)
	}
	return out, store.Invalid("accountKind", "unknown_kind", "Choose an IBAN or a US bank account")
}

// checkIBAN checks form, length and check digits (ISO 7064, modulo 97).
func checkIBAN(iban string) error {
	if iban == "" {
		return store.Invalid("iban", "required", "Enter the IBAN")
	}
	if !ibanForm.MatchString(iban) || len(iban) != ibanLengths[iban[:2]] {
		return store.Invalid("iban", "invalid_iban", "Check the length and country code of the IBAN")
	}
	rest := 0
	for _, r := range iban[4:] + iban[:4] {
		if r >= 'A' {
			rest = (rest*100 + int(r-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(r-'0')) % 97
		}
	}
	if rest != 1 {
		return store.Invalid("iban", "bad_checksum", "Check the IBAN for a typo")
	}
	return nil
}

// checkUS checks a routing number by its check digit, and an account number by
// its form: that has none.
func checkUS(routing, number string) error {
	if !routingForm.MatchString(routing) {
		return store.Invalid("routingNumber", "invalid_routing", "Enter all 9 digits of the routing number")
	}
	sum := 0
	for i, weight := range []int{3, 7, 1, 3, 7, 1, 3, 7, 1} {
		sum += weight * int(routing[i]-'0')
	}
	if sum == 0 || sum%10 != 0 {
		return store.Invalid("routingNumber", "bad_checksum", "Check the routing number for a typo")
	}
	if !accountForm.MatchString(number) {
		return store.Invalid("accountNumber", "invalid_account", "Enter an account number with 4 to 17 digits")
	}
	return nil
}

// place is where a payout's account is stored.
func (p *Payout) place() secret.Place {
	return secret.Place{Table: "payouts", Column: "account", ID: p.ID}
}

func (p *Payout) seal(keys *secret.Keys, account PayoutAccount) error {
	plain, err := json.Marshal(account)
	if err != nil {
		return fmt.Errorf("write bank account: %w", err)
	}
	p.SealedAccount, err = keys.Seal(p.place(), plain)
	return err
}

func (p *Payout) open(keys *secret.Keys) (account PayoutAccount, err error) {
	plain, err := keys.Open(p.place(), p.SealedAccount)
	if err != nil {
		return account, fmt.Errorf("open the account of payout %s: %w", p.ID, err)
	}
	if err := json.Unmarshal(plain, &account); err != nil {
		return account, fmt.Errorf("read the account of payout %s: %w", p.ID, err)
	}
	return account, nil
}

// RevealPayout returns a payout's account holder and number to the person who makes the transfer, and records the
// reveal, in one transaction: no record, no reveal. It is the last check before the transfer, so it returns an error
// while the customer must not be paid. statement is what the bank's statement shows of a payout of a restored backup.
func RevealPayout(ctx context.Context, db *store.DB, keys *secret.Keys, id, statement string,
	who store.Actor) (account PayoutAccount, err error) {
	err = ChangePayout(ctx, db, id, func(c *PayoutChange) error {
		own := store.Forbidden("own_payout", "You can't decide on your own case")
		if err := people.Another(ctx, c.tx, who.ActorID, own, c.Payout.UserID); err != nil {
			return err
		}
		if c.Payout.AccountDestroyedAt != nil {
			return store.Conflict("account_destroyed", "The bank details of this payout were deleted")
		}
		if err := c.checkTransfer(statement, who); err != nil {
			return err
		}
		if account, err = c.Payout.open(keys); err != nil {
			return err
		}
		if err := c.event(casework.Event{Kind: "revealed", Actor: casework.ByStaff, Internal: true}); err != nil {
			return err
		}
		return audit.Audit(ctx, c.tx, audit.AuditEntry{ActorID: who.ActorID, ActorRole: who.ActorRole, Action: "payout.reveal", ObjectKind: string(KindPayout), ObjectID: id, RequestID: who.RequestID})
	})
	if err != nil {
		return PayoutAccount{}, err
	}
	return account, nil
}

// checkTransfer returns an error unless the payout may be transferred now. One that was paid, or that its customer has
// not confirmed, is not transferred, whatever is known of its customer.
func (c *PayoutChange) checkTransfer(statement string, who store.Actor) error {
	if c.Payout.Status.Waits() {
		if err := c.checkPayable(); err != nil {
			return err
		}
	}
	return c.readStatement(who, statement)
}

// ResealPayouts seals with the current key what an earlier one sealed. It
// returns how many payouts it changed.
func ResealPayouts(ctx context.Context, db *store.DB, keys *secret.Keys) (changed int, err error) {
	after := "00000000-0000-0000-0000-000000000000"
	for {
		var ids []string
		err := db.ORM(ctx).Model(&Payout{}).Where("sealed_account IS NOT NULL AND id > ?", after).Order("id").Limit(store.ResealBatch).Pluck("id", &ids).Error
		if err != nil {
			return changed, fmt.Errorf("find sealed payouts: %w", err)
		}
		for _, id := range ids {
			after = id
			err := ChangePayout(ctx, db, id, func(c *PayoutChange) error {
				if c.Payout.SealedAccount == nil || !keys.Stale(c.Payout.SealedAccount) {
					return nil
				}
				account, err := c.Payout.open(keys)
				if err != nil {
					return err
				}
				changed++
				return c.Payout.seal(keys, account)
			})
			if err != nil {
				return changed, err
			}
		}
		if len(ids) < store.ResealBatch {
			return changed, nil
		}
	}
}
