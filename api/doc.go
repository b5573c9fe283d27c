// Package api is what comes in over HTTP: who is asking, whether they may, what
// they asked for, and one call into models or workflows.
//
// Invariants:
//
//   - Every route stands in router.go with the permission it needs; a route
//     without one does not register. Which role holds which permission stands in
//     policy/policy.csv and nowhere else.
//   - Whose object it is, is decided in the query: somebody else's id is 404,
//     the same as an id that never was.
//   - A request body is read strictly: an unknown, doubled or differently cased
//     key is 422 before any handler runs.
//   - Customers and staff get different types for the same row. Provider texts
//     and ids exist only in the staff's.
//   - The row is committed before a workflow hears of it, and a request does not
//     fail because Temporal is away.
//   - Amounts are strings in JSON and money.Units in Go.
package api
