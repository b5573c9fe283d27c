// Package bitgo simulates BitGo's REST API and, on the same origin, its Express
// proxy: hot multisignature wallets that send coin, look-ups, approvals, fees,
// address checks and webhooks, as docs/providers describes them.
//
// Invariants:
//
//   - A send, what it debits from the wallet, its index entries, its effect count ("bitgo",
//     "send", sequenceId) and its webhooks commit together.
//   - A wallet's confirmed balance is its opening balance plus confirmed
//     receipts less confirmed sends and their fees; what is under way is counted
//     beside it, never lost in between.
//   - One sequenceId of a wallet makes at most one transfer, for ever. A repeat
//     is an error, not the first answer again.
//   - Amounts are whole base units as decimals, written as strings.
//
// Network fees: a Bitcoin or Ether send pays its fee in its own coin. An ERC-20 send pays
// gas in wei from the wallet of eth, and feeString says how much. A TRC-20 send is free:
// its wallet has frozen TRX for energy, which is not simulated. A transfer that fails gives
// everything back, fee included.
//
// Faults the package applies itself, beside those of sandbox.Guard and the
// webhook ones; operations are sendcoins, sendmany, transfer, transfers, wallet,
// wallets, maximumSpendable, addresses, fee, verifyaddress, pendingapprovals, webhooks and
// ping:
//
//	decline       arg is "status:name" or a name (status 400); nothing done
//	insufficient  400 InsufficientBalance, nothing done
//	approval      the send waits for an approval, whatever the policy
//	failed        the transfer fails instead of confirming
//	replaced      the transaction is fee-bumped: follow replacedBy
//	removed       a re-org removes the transaction, which comes back; with arg
//	              "final" it never does and the wallet has its coin again, with
//	              "failed" it fails in the end
//	unmined       no block takes the transaction for arg seconds
//	lag           arg is for how many seconds look-ups answer 404
//
// Their subjects are sequenceId, recipients' addresses and amounts, and the ids
// in the path.
package bitgo
