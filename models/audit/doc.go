// Package audit is the log of who decided what: lines that are only ever added, their seals, and whether two
// accounts are one person.
package audit
