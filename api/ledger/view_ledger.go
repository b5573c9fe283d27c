package ledger

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/ledger"
)

// LedgerPosting is an amount that moved from one account to another.
type LedgerPosting struct {
	ID       int64     `json:"id"`
	At       time.Time `json:"at"`
	Event    string    `json:"event"`
	From     string    `json:"from"`
	To       string    `json:"to"`
	Amount   string    `json:"amount"`
	Currency string    `json:"currency"`
}

// ShownPostings are the postings of an object as the caller may see them: none without the permission to read the
// ledger. Every view of staff outside of the ledger's own shows postings through it.
func ShownPostings(ctx context.Context, p *policy.Policy, rows []ledger.StoredPosting) []LedgerPosting {
	if !p.Allows(rest.RolesOf(rest.PrincipalOf(ctx)), policy.ReadLedger) {
		return []LedgerPosting{}
	}
	return rest.Mapped(rows, shownPosting)
}

// shownPosting is a posting as staff see it.
func shownPosting(p *ledger.StoredPosting) LedgerPosting {
	return LedgerPosting{ID: p.ID, At: p.At, Event: p.Event, From: p.FromAccount, To: p.ToAccount, Amount: p.Currency.Format(p.Amount), Currency: string(p.Currency)}
}

// LedgerBalance is what one account holds in one currency.
type LedgerBalance struct {
	Account  string `json:"account" doc:"customers:… is all customers' accounts of that kind"`
	Kind     string `json:"kind" enum:"asset,liability,income,expense,equity,conversion"`
	Currency string `json:"currency"`
	Balance  string `json:"balance" doc:"what came in less what went out: assets and expenses are positive, liabilities, income and equity negative"`
	Wrong    bool   `json:"wrong" doc:"it is on a side on which it must never be"`
}

// LedgerSum is the sum of all accounts of a currency: zero.
type LedgerSum struct {
	Currency string `json:"currency"`
	Debit    string `json:"debit" doc:"the sum of all positive balances"`
	Credit   string `json:"credit" doc:"the sum of all negative ones, without the sign"`
	Sum      string `json:"sum" doc:"of all balances"`
}

// LedgerStatement is the trial balance at a moment.
type LedgerStatement struct {
	At       time.Time       `json:"at" doc:"everything booked until then is in it"`
	Balanced bool            `json:"balanced" doc:"every currency sums to zero, and no account is on its wrong side"`
	Sums     []LedgerSum     `json:"sums"`
	Balances []LedgerBalance `json:"balances"`
}

// BookedPosting is an amount that moved from one account to another, with what
// it was for.
type BookedPosting struct {
	LedgerPosting
	Group      string  `json:"group" doc:"the postings of one effect have the same"`
	ObjectKind *string `json:"objectKind" doc:"order, gift_card or a matter: payout, voucher, referral …"`
	ObjectID   *string `json:"objectId" format:"uuid"`

	BankReference *string `json:"bankReference" doc:"of a line on the bank's account"`
	ValueDate     *string `json:"valueDate" format:"date" doc:"of that line, by the bank's day"`
}

// LedgerAccount is one account over a period, in one currency.
type LedgerAccount struct {
	Account    string     `json:"account"`
	Kind       string     `json:"kind" enum:"asset,liability,income,expense,equity,conversion"`
	CustomerID *string    `json:"customerId" format:"uuid" doc:"whose it is"`
	Currency   string     `json:"currency"`
	From       *time.Time `json:"from"`
	To         time.Time  `json:"to"`
	Opening    string     `json:"opening" doc:"the balance before from; zero when there is no from"`
	Closing    string     `json:"closing" doc:"the balance at to"`
}

// LedgerWords are what postings can be filtered by.
type LedgerWords struct {
	Events []string `json:"events" doc:"there are postings of"`
}
