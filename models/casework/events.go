package casework

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/tradepost/tradepost/models/store"
)

// Notice is the signal that an order, a gift card or a case has a new event; its receivers read that again.
type Notice struct {
	Kind       string // "order", "gift-card", the case's name, or NoticeSession
	ID, UserID string
}

// NoticeSession is the kind of a notice that a session of a person ended, or that what it may show changed.
const NoticeSession = "session"

// noticed are the channels on which Postgres announces new events.
var noticed = map[string]string{"order_changed": "order", "gift_card_changed": "gift-card", "session_changed": NoticeSession}

// Listen calls fn for each subject that gets an event, until the connection or ctx ends,
// and ready once it listens. Events before that are not announced: start by reading.
func Listen(ctx context.Context, db *store.DB, ready func(), fn func(Notice)) error {
	pooled, err := db.Pool().Acquire(ctx)
	if err != nil {
		return fmt.Errorf("connect to listen: %w", err)
	}
	conn := pooled.Hijack() // a listening connection is not shared
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "LISTEN order_changed; LISTEN gift_card_changed; LISTEN matter_changed; LISTEN session_changed"); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	ready()
	for {
		notice, err := conn.WaitForNotification(ctx)
		if err != nil {
			return fmt.Errorf("listen: %w", err)
		}
		if id, rest, ok := strings.Cut(notice.Payload, " "); ok {
			userID, caseKind, _ := strings.Cut(rest, " ")
			fn(Notice{Kind: cmp.Or(caseKind, noticed[notice.Channel]), ID: id, UserID: userID})
		}
	}
}
