// Package payout is withdrawals of customers' balances: accounts, requests, approvals and returns.
package payout
