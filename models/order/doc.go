// Package order is a purchase from its quote to its coin: the order, its payment, refunds, disputes, choices and
// proposals.
//
// Invariants:
//
//   - An order changes only through ChangeOrder: its row is locked, the move is checked against the one transition
//     table, and the status, its postings, its event and the rows it concerns commit together or not at all.
//   - Order events are only ever added.
package order
