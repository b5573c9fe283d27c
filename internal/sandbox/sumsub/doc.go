// Package sumsub plays Sumsub: the signed REST API as far as verifying a
// customer needs it, the page the browser widget frames, and signed webhooks.
//
// What holds here as it does at Sumsub:
//
//   - Every API request is signed over its second, method, target and raw body,
//     and its second lies within a minute of the simulated clock.
//   - A customer is known by our own id (externalUserId): there is one applicant
//     an id, made by the API or by the widget's first launch.
//   - A result can be overturned later, and each change is sent by a webhook.
//   - There are two levels. A widget that opens with a token for the other one
//     moves the customer to it, unless they are being checked.
//   - A profile can be reset, deactivated and deleted, not while it is checked.
//   - The widget page speaks the postMessage protocol of @sumsub/websdk 2.9.0; its messages
//     to the browser prove nothing.
//
// No document is ever stored: uploads and selfies are simulated.
//
// Operations, for faults: token, create_applicant, read_applicant, status,
// reset, move_to_level, presence, change_applicant, request_check, health,
// test_completed, and widget for the calls of
// the framed page; the subject is the customer's id. Beside the common faults,
// decline:status:name refuses any of them but widget, and lag:N on
// create_applicant makes reads miss the applicant for N seconds.
//
// Effects, by customer id: applicant, submit, review, reset.
package sumsub
