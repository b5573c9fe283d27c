// Package iterator has the end of a list.
package iterator

import "errors"

// Done says that a list is at its end.
var Done = errors.New("no more items in iterator")
