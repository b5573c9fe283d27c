// Command campaign is `make campaign SEED=n ORDERS=n`: hundreds of concurrent orders of every rail and asset, through
// the site as browsers use it, while everything that can go wrong does: faults at every provider, webhooks lost,
// doubled, late and forged, processes killed, prices and clocks moved, customers and staff who click twice, change
// their minds or do not answer. At the end every order is brought to its end and reconciled: the simulators' effects,
// the orders, the ledger, the timelines, the decisions, the audit log, webhooks and mails.
//
// `make demo` (month.go) simulates an ordinary month with the same actors instead, on the local stack, and leaves it
// there.
//
// Invariants:
//
//   - What is tried follows from the seed alone: each order's plan comes from a generator of its own (seed, number), so
//     that one can be printed (-plan) and run again. What happens then depends on the clock of the machine too.
//   - The checks read rows and the simulators' own records and compute by themselves what should be there (facts.go,
//     check*.go). None of them calls the product's code but its arithmetic.
//   - The campaign has a stack of its own on free ports, and stops it whatever happens. Every wait has an end.
//   - A month writes nothing into the database but the clock: all else is done through the site. Its progress is noted
//     after each quarter of a day.
package main
