// Package mailqueue hands out the mails that are due, with all that they are written from.
package mailqueue
