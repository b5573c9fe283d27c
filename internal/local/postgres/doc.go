// Package postgres runs a private Postgres server for one data folder.
//
// Invariants:
//
//   - It listens on the loopback interface only, has no unix socket, and requires a
//     password of every connection (SCRAM).
//   - A data folder exists completely or not at all: initdb works in a side
//     folder that is renamed when it is done.
//   - It works for an ordinary user and for root. Postgres refuses to run as
//     root, so for root the server runs as the account postgres or nobody; when
//     that account cannot reach the folders (a home with mode 0700), the server
//     runs in a user namespace in which root's own files belong to nobody.
//   - The server dies with the program that started it.
//
// Binaries are searched for in POSTGRES_BIN, then in the npm packages that this folder's
// package.json pins, then on the machine.
package postgres
