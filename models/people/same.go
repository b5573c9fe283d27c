package people

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/store"
)

// Same reports whether an account is one of the others, or belongs to the
// same person: their addresses reach one mailbox, however they are spelled.
func Same(ctx context.Context, db *store.DB, id string, others ...string) (bool, error) {
	others = slices.DeleteFunc(slices.Clone(others), func(other string) bool { return other == "" })
	if len(others) == 0 || slices.Contains(others, id) {
		return len(others) > 0, nil
	}
	var emails []string
	err := db.ORM(ctx).Raw("SELECT email FROM users WHERE id = ? UNION ALL SELECT email FROM users WHERE id IN ?", id, others).Scan(&emails).Error
	if err != nil {
		return false, fmt.Errorf("read who they are: %w", err)
	}
	return len(emails) > 1 && slices.ContainsFunc(emails[1:], func(other string) bool { return SameMailbox(emails[0], other) }), nil
}

// Another refuses an actor who is, under whatever account, the first of two people.
func Another(ctx context.Context, db *store.DB, actorID string, refusal error, first ...string) error {
	same, err := Same(ctx, db, actorID, first...)
	if err != nil || !same {
		return err
	}
	return refusal
}

// AccountsOf are the accounts of staff that belong to the same person as one: two
// accounts may no more together than one.
func AccountsOf(ctx context.Context, db *store.DB, actorID string) ([]string, error) {
	var staff []struct{ ID, Email string }
	err := db.ORM(ctx).Raw("SELECT id, email FROM users WHERE id = ? OR id IN (SELECT user_id FROM user_roles)", actorID).Scan(&staff).Error
	if err != nil {
		return nil, fmt.Errorf("read who is staff: %w", err)
	}
	mine := []string{actorID}
	for _, me := range staff {
		for _, other := range staff {
			if me.ID == actorID && other.ID != actorID && SameMailbox(me.Email, other.Email) {
				mine = append(mine, other.ID)
			}
		}
	}
	return mine, nil
}

// SameMailbox reports whether two addresses reach one person: a suffix after a plus, dots before the @ at some
// providers, letter case and the spelling of the domain are ignored.
func SameMailbox(a, b string) bool { return a != "" && mailbox(a) == mailbox(b) }

func mailbox(address string) string {
	name, host, _ := strings.Cut(typed.EmailKey(address), "@")
	name, _, _ = strings.Cut(name, "+")
	if host == "googlemail.com" {
		host = "gmail.com"
	}
	if host == "gmail.com" {
		name = strings.ReplaceAll(name, ".", "")
	}
	return name + "@" + host
}
