// Package kraken simulates the spot REST API of the Kraken exchange as
// docs/providers describes it: the same paths, envelopes, signatures, nonces,
// counters and error strings, over a book that is one ask and one bid a pair.
//
// Invariants:
//
//   - An order, its fills, the balances they move, the ledger entries and the
//     effect count ("kraken", "fill", cl_ord_id) commit in one transaction.
//   - For every asset, the opening balance plus all ledger entries is the
//     balance; a hold never exceeds it.
//   - Coin that arrives at an address of an account (the one of DepositAddresses) is its
//     balance at once, in the transaction that sends it.
//   - The nonce of a key only grows, also across restarts.
//   - cl_ord_id is unique among the open orders of an account and free again
//     when the order has closed: it is not an idempotency key.
//   - Amounts are decimals from request to store; nothing is a float but the
//     times, which Kraken sends as JSON numbers.
//
// Faults the package applies itself, beside those of sandbox.Guard, with the
// method's name as operation ("AddOrder"):
//
//	decline        arg is the error string answered, nothing done
//	decline_after  arg is the error string answered after the order was done
//	insufficient   EOrder:Insufficient funds
//	part_fill      arg is the fraction filled, such as 0.4
//	worse_fill     arg is how many per cent worse the fill is, within the limit
//	price_jump     arg is how many per cent the price moves before matching
//	lag            arg is for how many seconds look-ups miss the order or withdrawal
//	withdrawal_failed  Withdraw: the payout ends in Failure and the money comes back
//	withdrawal_held    Withdraw: the payout stays Pending, on hold, until cancelled
//
// Their subjects are cl_ord_id, userref, txid, pair, volume, amount and key.
package kraken
