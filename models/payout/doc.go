// Package payout is money that customers take out of their balance: accounts, requests, approvals and returns.
package payout
