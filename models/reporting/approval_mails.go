package reporting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
)

// KindApprovals is the mail to a member of staff that something waits for them; its id is theirs. No workflow runs
// for it.
const KindApprovals casework.Kind = "approvals"

var _ = casework.ListCases(&casework.CaseRules{Matter: KindApprovals, Label: "approvals", Page: "/admin/approvals", StaffPage: "/admin/approvals",
	Events:   []string{"waiting"},
	Mailings: []casework.Mailing{{Event: "waiting", Kind: "approvals_waiting"}}})

// approvalMailsApart is how long a member of staff gets no second mail about approvals.
const approvalMailsApart = time.Hour

// mailedApprovals is the data of the last mail to a member of staff: which rows it was about. It names no amount and
// no person.
type mailedApprovals struct {
	Waiting []string `json:"waiting"`
}

// MailApprovals mails each member of staff whom something new waits for, once an hour at most. What waits is read from
// the rows that wait, so that nothing that began to wait is missed, whenever it began; a mail and the note of what it
// was about are one transaction.
func MailApprovals(ctx context.Context, db *store.DB) error {
	rows, err := allApprovals(ctx, db)
	if err != nil || len(rows) == 0 {
		return err
	}
	staff, err := reviewersOf(ctx, db)
	if err != nil {
		return err
	}
	var plain []casework.Approval
	for i := range rows {
		plain = append(plain, rows[i].Approval)
	}
	known, err := readNamed(ctx, db, plain)
	if err != nil {
		return err
	}
	var failed error
	for s := range staff {
		var waiting []string
		for i := range plain {
			if known.bar(i, &staff[s]) == "" {
				waiting = append(waiting, string(plain[i].Kind)+":"+plain[i].ID)
			}
		}
		if len(waiting) > 0 {
			failed = errors.Join(failed, mailApprovals(ctx, db, staff[s].ID, waiting))
		}
	}
	return failed
}

// mailApprovals mails one member of staff unless the last mail was about all of it, or is not an hour old.
func mailApprovals(ctx context.Context, db *store.DB, userID string, waiting []string) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		if err := tx.LockKey(ctx, "approval mails:"+userID); err != nil {
			return fmt.Errorf("lock approval mails: %w", err)
		}
		now, err := tx.Now(ctx)
		if err != nil {
			return err
		}
		var last []casework.StoredEvent
		err = tx.ORM(ctx).Raw("SELECT * FROM matter_events WHERE matter_id = ? AND matter = ? ORDER BY id DESC LIMIT 1", userID, KindApprovals).Scan(&last).Error
		if err != nil {
			return fmt.Errorf("read the last mail about approvals: %w", err)
		}
		if len(last) > 0 {
			var known mailedApprovals
			_ = json.Unmarshal(last[0].Data, &known) // written below
			added := slices.ContainsFunc(waiting, func(row string) bool { return !slices.Contains(known.Waiting, row) })
			if !added || now.Sub(last[0].At) < approvalMailsApart {
				return nil
			}
		}
		return casework.Append(ctx, tx, casework.About{Matter: KindApprovals, ID: userID, UserID: userID, Status: "waiting"},
			casework.Event{Kind: "waiting", Actor: casework.BySystem, Internal: true, Dedupe: "waiting:" + now.UTC().Format(time.RFC3339Nano), Data: map[string]any{"waiting": waiting}})
	})
}
