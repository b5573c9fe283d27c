// Package testbed gives tests a real Postgres and a real Temporal server.
//
// DB hands each test a database of its own, cloned in milliseconds from a
// template that holds all migrations. Under `make test` all packages share one
// server, named by the environment; a package tested by hand starts its own on
// first use, which dies with the test process.
//
// The package applies the migrations from the checkout's folder, so that the
// tests of models can use it too.
package testbed
