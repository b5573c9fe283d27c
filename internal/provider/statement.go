package provider

import (
	"context"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/models/money"
)

// Statements reads what happened on our account at a provider, by us or not: what the
// books are compared with.
type Statements interface {
	// Statement lists what happened from one moment until another, oldest first, all of it
	// or an error. What is not final may be listed again later, under the same id and in
	// another state.
	Statement(ctx context.Context, from, to time.Time) ([]StatementLine, error)
}

// LineKind is what a line of a statement is about, and what its subject names.
type LineKind string

// The kinds of lines.
const (
	LineCharge   LineKind = "charge"   // a captured payment: the payment's id
	LineRefund   LineKind = "refund"   // money back to a card, or that refund failing: the refund's id
	LineDispute  LineKind = "dispute"  // what a dispute moved, with its fee: the dispute's id
	LineFee      LineKind = "fee"      // what the provider charged by itself: the line's own id
	LinePayout   LineKind = "payout"   // money to our bank, or coming back: the payout's id
	LineFill     LineKind = "fill"     // a purchase or sale: the exchange's order id
	LineWithdraw LineKind = "withdraw" // coin or money out of the exchange: its reference there
	LineDeposit  LineKind = "deposit"  // coin or money into the exchange: its reference there
	LineTransfer LineKind = "transfer" // coin out of a wallet, requested by us: our sequence id
	LineByHand   LineKind = "by_hand"  // coin out of a wallet that bears no sequence id: the transaction's id
	LineReceipt  LineKind = "receipt"  // coin into a wallet: the transaction's id
	LineOther    LineKind = "other"    // anything else: the line's own id
)

// StatementLine is one line. Moved is the change of our balances there, in base units by
// currency: nothing for a transfer that never happened.
type StatementLine struct {
	ID      string
	Kind    LineKind
	Subject string
	At      time.Time
	Moved   map[money.Currency]money.Units
	// Rest is what Moved leaves out where the provider counts finer than in base
	// units: exact less rounded, in parts of one.
	Rest map[money.Currency]decimal.Decimal
	// State is the provider's own state; Settled means that it will not change any more.
	State   string
	Settled bool
	// Ours is our identity for it, where the provider reports one.
	Ours string
	// Unread says why the line could not be read, as the provider's own words for what is unknown; empty when it
	// could. Its money is then zero in Moved, it is not settled, and a person has to look at it.
	Unread string
	// Network is a wallet's; TxID its transaction there, and Replaces the one that it
	// replaced.
	Network, TxID, Replaces string
}
