// Package kraken buys coin on Kraken's spot market over its signed REST API.
//
// Invariants:
//
//   - One method sends each thing once. Buy does not look up first: a client
//     order id is unique among open orders only, and ours close at once, so the
//     caller looks up (FindOrder) before every send.
//   - One key signs under one lock, from making the nonce until the answer is
//     there: Kraken refuses a nonce that is not greater than the last it saw.
//     Config.Lock extends that lock over all processes that share the key.
//   - A request ends well before the order's deadline, so that after a timeout
//     and the deadline nothing of it can still happen.
//   - Numbers are read as text into decimals; there is no float.
//   - Kraken answers errors with HTTP 200: the error list decides, by the table
//     in errors.go.
package kraken
