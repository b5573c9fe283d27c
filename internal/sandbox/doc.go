// Package sandbox is the frame on which the provider simulators stand: Stripe,
// Kraken, BitGo, Sumsub and a mailbox, all served from one loopback origin.
//
// The simulators speak the providers' real protocols, so the production
// adapters run against them unchanged; only base URLs and keys differ. The
// frame gives them what they share:
//
//   - Store: one bbolt file, one JSON document a key. A write transaction is
//     atomic and survives SIGKILL of the process; it does not claim to survive
//     a power cut.
//   - Clock: the wall clock plus an offset that only grows and is persisted, so that a
//     month can pass in minutes.
//   - Faults: armed over the control API, scoped to provider, operation and a marker found
//     in the request, so that parallel tests do not disturb each other. Armed faults
//     survive a restart; the record of those that struck begins at the start.
//   - Guard: applies the faults that are the same for every provider (dropped
//     connections, slow answers, 5xx, 429, holds) around one operation.
//   - Effects: counts what really happened (authorisations, captures, fills, sends) per
//     order, in the transaction that caused it.
//   - Hooks: webhooks queued in the store with the change they report, signed anew at each
//     attempt, delivered at least once and unordered.
//
// Invariants: a change, its effect count and its webhooks commit together; no
// fault can split them. Nothing here holds real money, cards or documents, and
// the server refuses to start in production mode.
package sandbox
