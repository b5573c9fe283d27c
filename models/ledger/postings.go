package ledger

import (
	"github.com/tradepost/tradepost/models/money"
)

// NettedPostings pay what a customer owes us out of the account of one of their credits.
func NettedPostings(userID, from string, amount money.Units) []Posting {
	return []Posting{{From: CustomerReceivable(userID), To: from, Currency: money.USD, Amount: amount}}
}

// ClawedBackPostings return a credit to the account that bore it: what the balance holds from there, and the rest as
// a debt of the customer.
func ClawedBackPostings(userID, to string, there, owed money.Units) []Posting {
	return []Posting{
		{From: to, To: CustomerBalance(userID), Currency: money.USD, Amount: there},
		{From: to, To: CustomerReceivable(userID), Currency: money.USD, Amount: owed},
	}
}
