// Package bitgo sends coin from our wallets through BitGo Express, the signing
// proxy that runs beside the custody worker; user keys never leave it.
//
// Invariants:
//
//   - A send is known by its sequence id. BitGo confirms at most one send per id and
//     answers a repetition with an error, whose form is not documented: whatever is not
//     plainly a refusal is Unknown, and the caller looks the id up (FindTransfer).
//   - What happened is decided by what an answer contains, a transfer or a
//     pending approval, never by a status word alone.
//   - A transfer counts as broadcast only when its transaction id is known.
//   - Amounts are base units as text, in both directions.
//   - The wallet passphrase and the token go to Express and nowhere else: they are redacted
//     in every error text.
package bitgo
