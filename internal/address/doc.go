// Package address recognises where coin is to be sent: which network an address
// belongs to, and whether coin sent there can arrive.
//
// Invariants:
//
//   - An address is accepted only with its full checksum, on the main networks or on the
//     test ones, as the caller requests, for an asset that exists there. The one exception
//     is an Ethereum address without any checksum (all lower or all upper case), which
//     comes with a warning.
//   - Addresses that swallow coin (zero addresses, the tokens' own contracts) and
//     our own are refused.
//   - What is accepted is returned in one normal form; comparing two normal forms
//     compares the addresses.
//   - It makes no calls: the answer is the same in the browser's check, at the order and at
//     the moment of sending.
package address
