// Package sumsub verifies customers' identities with Sumsub: it makes tokens for the widget
// and reads reviews, over Sumsub's signed REST API.
//
// Invariants:
//
//   - A customer is known there by our own user id (externalUserId), so every
//     call can be repeated; nothing moves money.
//   - What is granted follows from the status read back, never from a webhook or from the
//     browser.
//   - The client comment, which is meant for us alone, is never read. The
//     moderation comment may be shown to the customer.
//   - Times in signatures come from Config.Now: the database's clock.
package sumsub
