// Package local runs the whole product on one machine: `make run`, and the stack of the
// whole-system tests.
//
// Its parts, each a process of its own: Postgres, Temporal with its web UI, the sandbox
// (simulators of the four providers, mailbox), the identity provider, the API with the web
// app, and the four workers. Invariants:
//
//   - Everything listens on loopback. State is in one data folder, is kept
//     between runs, and two launchers cannot share it.
//   - A process gets the environment variables listed for it and no others, so a secret is
//     present only where it is used.
//   - A part that dies is started again; all parts die with the launcher; a stop ends them
//     in reverse order.
//   - The site opens without Temporal: a first start builds that last, and pages state so
//     until it is up.
//   - An address given in the environment (DATABASE_URL, TEMPORAL_ADDRESS,
//     OIDC_ISSUER, STRIPE_URL, …) replaces that part by an outside one.
package local
