// Package casework is what all records owned by a workflow share: kinds of cases, timelines, people's decisions,
// notes, and the mails that events cause.
package casework
