// Package treasury is our own funds: what the wallets and the exchange hold, and moves between them.
package treasury
