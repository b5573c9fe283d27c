package account

import (
	"time"
)

// Profile is what a person sees and changes of themselves.
type Profile struct {
	Email      string   `json:"email"`
	FirstName  string   `json:"firstName"`
	LastName   string   `json:"lastName"`
	Country    string   `json:"country"`
	NameLocked bool     `json:"nameLocked" doc:"an identity check has confirmed it, or is looking at it: it is put right on a ticket"`
	Language   string   `json:"language" enum:"en,es" doc:"the one they have chosen, else that of this browser"`
	Languages  []string `json:"languages" doc:"those to choose from"`
	Topics     []Topic  `json:"topics" doc:"what there are mails about"`
	News       bool     `json:"news" doc:"whether they want to hear of what is new"`
}

// Topic is a subject of mails. Mails about money that moved, choices with a deadline and
// the security of an account have none: they are always sent.
type Topic struct {
	Topic  string `json:"topic" enum:"orders,gift_cards,support,referrals,approvals"`
	Wanted bool   `json:"wanted"`
}

// NameCorrection puts a name right.
type NameCorrection struct {
	FirstName string `json:"firstName" maxLength:"300"`
	LastName  string `json:"lastName" maxLength:"300"`
}

// NewPreferences are a person's choices.
type NewPreferences struct {
	Language string   `json:"language" maxLength:"10"`
	Muted    []string `json:"muted" maxItems:"20" doc:"topics they want no mails about"`
	News     bool     `json:"news"`
}

// AccountRights is the state of a person's requests about their data.
type AccountRights struct {
	Restricted bool            `json:"restricted" doc:"no new orders are made"`
	Export     *DataExport     `json:"export" doc:"the copy they asked for last"`
	Closure    *AccountClosure `json:"closure" doc:"their last wish to close the account"`
	CloseAfter int             `json:"closeAfterDays" doc:"how long a wish to close waits"`
}

// DataExport is a copy of a person's data.
type DataExport struct {
	ID        string     `json:"id" format:"uuid"`
	Reference string     `json:"reference"`
	Status    string     `json:"status" enum:"unconfirmed,requested,ready,expired"`
	Size      *int       `json:"size" doc:"bytes"`
	CreatedAt time.Time  `json:"createdAt"`
	ReadyAt   *time.Time `json:"readyAt"`
	ExpiresAt *time.Time `json:"expiresAt" doc:"until when it can be downloaded, or confirmed by its mailed link"`
}

// AccountClosure is a wish to close an account.
type AccountClosure struct {
	ID        string     `json:"id" format:"uuid"`
	Reference string     `json:"reference"`
	Status    string     `json:"status" enum:"waiting,cancelled,refused,closed"`
	DueAt     time.Time  `json:"dueAt" doc:"when the account is closed"`
	Because   *string    `json:"because" doc:"what was still open when it came due"`
	CreatedAt time.Time  `json:"createdAt"`
	ClosedAt  *time.Time `json:"closedAt"`
}

// Restriction restricts an account, or lifts that.
type Restriction struct {
	Restricted bool `json:"restricted"`
}
