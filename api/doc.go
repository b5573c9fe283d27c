// Package api is the HTTP interface: it authenticates the caller, checks permission and
// input, and makes one call into models or workflows.
//
// Invariants:
//
//   - Every route is declared in router.go with the permission it needs; a route without
//     one does not register. Which role holds which permission is defined in
//     policy/policy.csv alone.
//   - Ownership of an object is checked in the query: the id of another user's object is
//     404, like an id that does not exist.
//   - A request body is read strictly: an unknown, doubled or differently cased
//     key is 422 before any handler runs.
//   - Customers and staff get different types for the same row. Provider texts
//     and ids exist only in the staff's.
//   - The row is committed before a workflow is signalled, and a request does not fail
//     because Temporal is down.
//   - Amounts are strings in JSON and money.Units in Go.
package api
