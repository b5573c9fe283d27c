// Package models is what Tradepost keeps, one package a domain: the rows, the states they may be in, the ledger, and
// every query. These packages alone know the database, and each imports those below it alone (domains_test.go).
//
// One transaction goes across domains: *store.DB is the pool or the running transaction, and is handed on.
// Amounts are money.Units; nothing here is a float.
package models
