// Package typed understands what people type and paste: codes, card numbers, dates, addresses, names, passwords and
// e-mail addresses. Every program cleans with these functions, so that one value has one form.
//
// Invariants:
//
//   - Cleaning is idempotent: a cleaned value cleans to itself.
//   - Nothing is cut. What a value contains too much of is for the caller to refuse, by the length of the cleaned value.
//   - A character that is visible and no separator is never removed, so that what is wrong is refused and not guessed.
package typed
