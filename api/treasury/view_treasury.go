package treasury

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/treasury"
)

// Treasury compares the balances that the providers report with the books, with the state
// of our wallets.
type Treasury struct {
	Accounts []TreasuryAccount `json:"accounts"`
	Wallets  []TreasuryWallet  `json:"wallets"`
	Every    int               `json:"every" doc:"seconds between two readings"`
	Propose  bool              `json:"propose" doc:"whether the signed-in person can propose a move"`
}

// TreasuryAccount is one account of ours at a provider, in one currency.
type TreasuryAccount struct {
	Holder     string     `json:"holder" enum:"stripe,kraken,bitgo"`
	Account    string     `json:"account" doc:"as the ledger calls it; of a wallet with what is reserved"`
	Currency   string     `json:"currency"`
	Held       *string    `json:"held" doc:"what the provider says; null before the first reading"`
	Free       *string    `json:"free" doc:"what of it can be used at once"`
	Expected   *string    `json:"expected" doc:"what the books said at the moment of the reading"`
	Difference *string    `json:"difference" doc:"held less expected"`
	Less       *string    `json:"less" doc:"what was under way out of it, and not booked yet"`
	More       *string    `json:"more" doc:"what was under way into it, and not booked yet"`
	State      string     `json:"state" enum:"unread,agrees,under_way,differs" doc:"under_way: what is not booked yet can explain the difference"`
	ReadAt     *time.Time `json:"readAt"`
	Stale      bool       `json:"stale" doc:"it should have been read again by now"`
}

// TreasuryHistory is the history of our accounts at the providers. Of each step it has the
// last reading.
type TreasuryHistory struct {
	Accounts []TreasuryPast `json:"accounts"`
}

// TreasuryPast is one account's history, oldest first.
type TreasuryPast struct {
	Holder   string         `json:"holder" enum:"stripe,kraken,bitgo"`
	Account  string         `json:"account" doc:"as the ledger calls it"`
	Currency string         `json:"currency"`
	Points   []TreasuryThen `json:"points"`
}

// TreasuryThen is what an account held at a moment.
type TreasuryThen struct {
	At         time.Time `json:"at"`
	Held       string    `json:"held" doc:"what the provider said"`
	Expected   string    `json:"expected" doc:"what the books said then"`
	Difference string    `json:"difference" doc:"held less expected, whatever was under way then"`
}

// TreasuryWallet is one wallet against what is promised out of it. Amounts are
// coins, as the books have them now.
type TreasuryWallet struct {
	Asset     string  `json:"asset"`
	Network   string  `json:"network"`
	Needed    string  `json:"needed" doc:"of orders that are paid and vouchers that are redeemed, and not set aside yet"`
	Waiting   int     `json:"waiting" doc:"how many orders and vouchers that is"`
	Reserved  string  `json:"reserved" doc:"set aside for what is being sent"`
	Free      string  `json:"free" doc:"in the wallet beside that"`
	InTransit string  `json:"inTransit" doc:"on its way from the exchange"`
	Exchange  string  `json:"exchange" doc:"of this coin at the exchange, for whichever wallet"`
	Short     string  `json:"short" doc:"needed, and nowhere of ours"`
	Low       *string `json:"low" doc:"below which the wallet is low; null: it is not filled from the exchange"`
	Target    *string `json:"target" doc:"up to which it is filled"`
	IsLow     bool    `json:"isLow"`
	Suggested *string `json:"suggested" doc:"of a move, while the wallet is low and none is under way"`
	OpenMove  *string `json:"openMove" format:"uuid" doc:"the move that is under way"`
}

// MoveEventKind is what an event of a move's timeline reports.
type MoveEventKind string

// Schema implements huma.SchemaProvider.
func (MoveEventKind) Schema(huma.Registry) *huma.Schema { return rest.Listed(treasury.MoveEvents) }

// TreasuryMove is a transfer of coin from the exchange to one of our wallets.
type TreasuryMove struct {
	ID          string     `json:"id" format:"uuid"`
	Reference   string     `json:"reference"`
	Asset       string     `json:"asset"`
	Network     string     `json:"network"`
	Amount      string     `json:"amount" doc:"coins that leave the exchange; its fee comes out of them"`
	Status      string     `json:"status" enum:"proposed,approved,sending,unknown,sent,differs,arrived,rejected,withdrawn,failed"`
	Reason      string     `json:"reason"`
	Proposer    *string    `json:"proposer" doc:"who proposed it; null: the wallet ran low"`
	Decider     *string    `json:"decider"`
	Answer      string     `json:"answer" doc:"why it was rejected or withdrawn"`
	Problem     *string    `json:"problem" doc:"a code: what holds it up, or why it failed"`
	Withdrawal  *string    `json:"withdrawal" doc:"the exchange's reference"`
	Fee         *string    `json:"fee" doc:"the exchange's, in the coin"`
	Arrived     *string    `json:"arrived" doc:"coins that arrived in the wallet"`
	Differing   *string    `json:"differing" doc:"coins that left or arrived and were not expected: a person decides"`
	TxID        *string    `json:"txid"`
	TxURL       *string    `json:"txUrl"`
	Actions     []string   `json:"actions" doc:"what the signed-in person can do: approve, reject, withdraw, adopt, resend, give_up, accept, recheck"`
	WorkflowURL *string    `json:"workflowUrl"`
	SentAt      *time.Time `json:"sentAt" doc:"when it was first asked for"`
	ArrivedAt   *time.Time `json:"arrivedAt"`
	CreatedAt   time.Time  `json:"createdAt"`
	UpdatedAt   time.Time  `json:"updatedAt"`
}

// TreasuryMoveEvent is one step of a move's timeline.
type TreasuryMoveEvent struct {
	ID        int64         `json:"id"`
	At        time.Time     `json:"at"`
	Kind      MoveEventKind `json:"kind"`
	Actor     string        `json:"actor" doc:"the e-mail address of who did it; empty: the system"`
	Code      string        `json:"code,omitempty"`
	Reason    string        `json:"reason,omitempty"`
	Reference string        `json:"reference,omitempty" doc:"of a withdrawal"`
	Amount    string        `json:"amount,omitempty" doc:"coins"`
}

// TreasuryMoveDetail is a move with all its records.
type TreasuryMoveDetail struct {
	TreasuryMove
	Events   []TreasuryMoveEvent       `json:"events"`
	Postings []ledgerapi.LedgerPosting `json:"postings"`
}

// NewTreasuryMove proposes a move.
type NewTreasuryMove struct {
	Asset   rest.Coin    `json:"asset"`
	Network rest.Network `json:"network"`
	Amount  string       `json:"amount" maxLength:"40" doc:"coins"`
	Reason  string       `json:"reason" maxLength:"500"`
}

// TreasuryMoveReason is why a move is rejected or withdrawn.
type TreasuryMoveReason struct {
	Reason string `json:"reason" maxLength:"500"`
}

// TreasuryMoveResolution is the outcome of a withdrawal that was not found, or how one
// whose amount differs from the request is resolved.
type TreasuryMoveResolution struct {
	Outcome   string `json:"outcome" enum:"adopt,resend,give_up,accept,recheck" doc:"accept: the amount is as it is; recheck: look at both places again; adopt: it is the withdrawal of this reference; resend: it did not happen, send it again; give_up: it did not happen, and is not wanted any more"`
	Reference string `json:"reference,omitempty" maxLength:"100" doc:"the exchange's, to adopt"`
	Reason    string `json:"reason" maxLength:"500"`
}
