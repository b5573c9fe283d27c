// Package casework is what all records that a workflow carries share: kinds of cases, timelines, people's decisions,
// notes, and the mails that events cause.
package casework
