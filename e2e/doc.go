// Package e2e holds the tests of the whole system: every process of the product, started by the launcher on free ports,
// driven over HTTP as a browser would drive it.
//
// The tests check what customers, staff and providers see: the API, the simulators' counts of effects and their
// balances, the ledger. A crash is SIGKILL to a process. Those that stop parts of the platform run first, one after
// another; the others run side by side, each with customers, amounts and addresses of its own, by which faults and
// effects are distinguished. Each checks its own orders' books; when all are over, the whole ledger is compared with the
// simulators to the smallest unit.
package e2e
