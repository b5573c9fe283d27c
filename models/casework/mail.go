package casework

import (
	"time"
)

// Mailing is a mail that an event of an order, gift card or case causes. Kind names its template
// (internal/mailtemplate).
type Mailing struct {
	Event string
	// Reason narrows it to events whose data names this reason.
	Reason string
	Kind   string
	// Roles are the staff it goes to: those who can act on it. None: it goes to
	// the customer.
	Roles []string
	// Once is a mail that an order causes at most once, however often the event
	// happens to it.
	Once bool
	// Replaces is a mail of the same order that needs not be sent any more.
	Replaces string
	// After is how long it waits to be replaced.
	After time.Duration
	// Page is where it leads to, instead of the page of what it is about.
	Page string
}

// MailReplaced is why a mail was given up that need not be sent any more.
const MailReplaced = "replaced"

// OrderMail is a mail about an order, as staff see it: what, to whom, and
// whether it went out.
type OrderMail struct {
	ID        string
	Kind      string
	Staff     bool
	To        string
	CreatedAt time.Time
	Attempts  int
	LastError *string
	SentAt    *time.Time
	GivenUpAt *time.Time
}
