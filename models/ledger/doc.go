// Package ledger is the double-entry ledger: accounts, postings, balances and books.
//
// Invariants:
//
//   - Postings are only ever added, and each group of them balances.
//   - A group has a name made from business ids; the same group cannot be posted twice.
//   - Every credit of a customer's balance passes one function, which queues it for staff where the account is closed.
package ledger
