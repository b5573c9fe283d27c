// Package secret keeps what must not be read: it seals values for the database,
// makes blind indexes to find them again, and holds configured secrets so that
// they cannot be printed. It is a leaf: it imports nothing of ours.
//
// Invariants:
//
//   - Everything is derived from master keys of 32 bytes, each purpose with a key of its
//     own. The first master key writes; earlier ones only read, so that a rotation can
//     proceed while the product runs.
//   - A sealed value is bound to its place, table, column and row: moved
//     elsewhere it does not open.
//   - A blind index discloses to a holder of the key that two values are equal, and nothing
//     else.
//   - A token is readable and cannot be made or changed without the key; one of
//     another purpose is refused.
package secret
