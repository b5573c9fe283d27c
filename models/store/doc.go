// Package store is the kernel of what Tradepost keeps: the database or a transaction on it, rows, pages, searches,
// tallies, ids and refusals. Every domain imports it; it imports none.
//
// Invariants:
//
//   - Time is the database's: clock_now(), never the process's own clock.
//   - An id has one spelling; any other is not found.
//   - The role the application connects as owns no table: it cannot change what is only ever added.
package store
