// Package stripe accepts cards through Stripe Checkout: a page Stripe hosts, authorising
// first and capturing when an admin approves. No card number ever reaches us.
//
// Invariants:
//
//   - The SDK's own retries are off and its log is silent; one method is one request (a
//     list may have several pages).
//   - Every write has the idempotency key it was given, so that a resend within 24 hours
//     gives the first answer again. What Stripe answered is stored under the key, failures
//     included: a deliberate new attempt needs a new generation, and so a new key.
//   - Each object we make has the order id and its generation or sequence in its metadata:
//     that is what FindCheckout and FindRefund match, and never the search API, which lags.
//   - Amounts are US cents; an object in another currency is an error.
package stripe
