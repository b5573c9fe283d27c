// Package reconciliation compares the statements of providers with the ledger, and keeps every difference until
// somebody ends it.
package reconciliation
