// Package stripe plays Stripe: the v1 API as far as card payments through
// hosted Checkout need it, the hosted page itself, and signed webhooks.
//
// What holds here as it does at Stripe:
//
//   - A PaymentIntent moves only as its state machine allows; every other call
//     is refused with payment_intent_unexpected_state.
//   - A write with an Idempotency-Key happens once: the first answer, a 500
//     included, is kept for 24 hours of simulated time and replayed. Nothing is
//     kept when authentication, rate limit or parameter checks refused it.
//   - A hold ends seven days after it was made; a checkout page ends at its
//     expires_at. Both follow the simulated clock.
//   - The balance is the sum of the balance transactions.
//   - No card but Stripe's published test cards is accepted, and no card number
//     is stored.
//
// Operations, for faults: create_checkout, read_checkout, list_checkouts,
// expire_checkout, create_payment, read_payment, list_payments, update_payment,
// confirm, capture, cancel, refund, read_refund, list_refunds, update_refund,
// cancel_refund, read_charge, list_charges, read_balance,
// list_balance_transactions, read_balance_transaction, create_customer,
// read_customer, update_customer, list_customers, create_payment_method,
// attach_payment_method, read_payment_method,
// read_event, list_events, read_dispute, list_disputes, update_dispute,
// close_dispute; search for all kinds; and pay for the hosted page. Beside the
// common faults: decline:<code> on create_checkout, pay, confirm, capture and
// refund; 500_stored on any keyed write (a 500 without effect that is replayed);
// refund_failed on refund (accepted, then fails) and refund_waits (in
// requires_action until it is cancelled or completed); lag:N on create_checkout,
// create_payment and refund (reads miss it for N seconds) and on search (misses
// what is younger than N seconds).
//
// Effects, by order id: authorise, capture, cancel, refund.
package stripe
