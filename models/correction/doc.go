// Package correction is what two people do to the books: receipts reversed or moved, returns by banks, unplaced
// money, journals, and money of closed accounts; and what a restored backup lost.
package correction
