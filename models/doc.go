// Package models is Tradepost's data, one package a domain: the rows, the states they may be in, the ledger, and
// every query. These packages alone access the database, and each imports those below it alone (domains_test.go).
//
// One transaction spans domains: *store.DB is the pool or the running transaction, passed as a parameter. Amounts are
// money.Units; nothing here is a float.
package models
