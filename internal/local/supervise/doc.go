// Package supervise keeps processes running.
//
// A unit is one process with a name, a command and a way to ask whether it is ready. A unit
// that ends unasked is started again, at once the first time and more slowly each time
// after; one that runs for a while starts afresh. A unit that never became ready is not
// started again: its first failure is an error with its last output. A unit's output goes
// line by line to a log file and to the common stream, under its name.
package supervise
