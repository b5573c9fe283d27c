// Package reconciliation compares the statements of providers with the ledger, and keeps every difference until it is
// resolved.
package reconciliation
