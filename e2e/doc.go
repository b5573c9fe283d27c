// Package e2e holds the tests of the whole system: every process of the
// product, started by the launcher on free ports, driven over HTTP as a browser
// would drive it.
//
// The tests look at nothing but what people and providers see: the API, the
// simulators' counts of effects and their balances, and the ledger. A crash is
// SIGKILL to a process. They run one after another on one stack, so a count
// that moved, moved because of the test at hand; after each of them the books
// are compared with the simulators to the smallest unit.
package e2e
