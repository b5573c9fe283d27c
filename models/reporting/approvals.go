package reporting

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
)

// The inbox of approvals: every decision of every kind that waits for a second person, with all that this person is
// shown, and who may be that person. Each owner lists its rows (casework.ListApproval); here they are only read.

// The rules that bar a member of staff from an approval.
const (
	BarRole     = "role"         // no role of theirs decides this kind
	BarFrozen   = "frozen"       // a frozen account decides nothing
	BarOwn      = "own_account"  // it is about their own account
	BarProposal = "own_proposal" // they began it
	BarReceipt  = "own_receipt"  // they confirmed the payment of this order
)

// Bars lists the rules, for the contract.
var Bars = []string{BarRole, BarFrozen, BarOwn, BarProposal, BarReceipt}

// Bar is the rule that bars a member of staff from an approval.
type Bar struct{ UserID, Name, Rule string }

// Text is the rule as a sentence about them.
func (b *Bar) Text() string {
	switch b.Rule {
	case BarFrozen:
		return b.Name + "'s account is frozen"
	case BarOwn:
		return "This is about " + b.Name + "'s own account"
	case BarProposal:
		return b.Name + " began this"
	case BarReceipt:
		return b.Name + " confirmed this payment"
	}
	return b.Name + " has no role that decides this"
}

// ApprovalRow is an approval as a member of staff sees it.
type ApprovalRow struct {
	casework.Approval
	CustomerName, CustomerEmail string
	// Proposers are the names of those who began it; empty where the system did.
	Proposers []string
	// Barred is the rule that bars the reader; nil when they may decide.
	Barred *Bar
	// Eligible is how many members of staff may decide. When none may, Bars has the rule of each who has the role.
	Eligible int
	Bars     []Bar
}

// ApprovalFilter narrows the inbox.
type ApprovalFilter struct {
	Kinds  []casework.ApprovalKind // those that the reader may list
	About  string                  // the id of one row, or of the thing that it is about
	Reader string                  // an account of staff
	Mine   bool                    // only what the reader may decide
}

// reviewer is a member of staff who may be the second person.
type reviewer struct {
	ID                         string
	Email, FirstName, LastName string
	Frozen                     bool
	Roles                      pq.StringArray `gorm:"type:text[]"`
}

func (r *reviewer) name() string { return store.PersonName(r.FirstName, r.LastName, r.Email) }

// reviewersOf are all members of staff with an open account.
func reviewersOf(ctx context.Context, db *store.DB) ([]reviewer, error) {
	var staff []reviewer
	err := db.ORM(ctx).Raw(`SELECT u.id, u.email, u.first_name, u.last_name, u.frozen_at IS NOT NULL AS frozen, array_agg(r.role ORDER BY r.role) AS roles
		FROM user_roles r JOIN users u ON u.id = r.user_id WHERE u.disabled_at IS NULL AND u.closed_at IS NULL GROUP BY u.id ORDER BY u.id`).Scan(&staff).Error
	if err != nil {
		return nil, fmt.Errorf("read who may approve: %w", err)
	}
	return staff, nil
}

// person is an account that an approval names.
type person struct{ ID, Email, FirstName, LastName string }

// peopleIn are the accounts that approvals name, by id.
func peopleIn(ctx context.Context, db *store.DB, rows []casework.Approval) (map[string]person, error) {
	var ids []string
	for i := range rows {
		ids = append(ids, slices.Concat(rows[i].Makers, rows[i].Subjects, rows[i].ReceiptPeople)...)
	}
	var people []person
	err := db.ORM(ctx).Raw("SELECT id, email, first_name, last_name FROM users WHERE id = ANY(CAST(? AS uuid[]))", pq.StringArray(ids)).Scan(&people).Error
	if err != nil {
		return nil, fmt.Errorf("read whom approvals name: %w", err)
	}
	byID := map[string]person{}
	for _, p := range people {
		byID[p.ID] = p
	}
	return byID, nil
}

// bars returns the rule that bars a member of staff from an approval, or "". Two accounts whose addresses reach one
// mailbox are one person, as audit.SamePerson has it.
func bars(a *casework.Approval, staff *reviewer, people map[string]person) string {
	is := func(ids []string) bool {
		return slices.ContainsFunc(ids, func(id string) bool { return id == staff.ID || audit.SameMailbox(staff.Email, people[id].Email) })
	}
	rules := a.Kind.Rules()
	switch {
	case !slices.ContainsFunc(rules.Roles, func(role string) bool { return slices.Contains(staff.Roles, role) }):
		return BarRole
	case staff.Frozen:
		return BarFrozen
	case is(a.Subjects):
		return BarOwn
	case is(a.Makers):
		return BarProposal
	case slices.Contains(rules.Coin, a.Act) && is(a.ReceiptPeople):
		return BarReceipt
	}
	return ""
}

// Approvals is one page of the inbox, what has waited longest first.
func Approvals(ctx context.Context, db *store.DB, f ApprovalFilter, p store.Page) ([]ApprovalRow, *store.Cursor, error) {
	p.OldestFirst = true
	staff, err := reviewersOf(ctx, db)
	if err != nil {
		return nil, nil, err
	}
	var found []ApprovalRow
	for after := p.After; ; {
		rows, next, err := waitingApprovals(ctx, db, f, store.Page{After: after, Limit: p.Limit, OldestFirst: true})
		if err != nil {
			return nil, nil, err
		}
		judged, err := judge(ctx, db, rows, staff, f.Reader)
		if err != nil {
			return nil, nil, err
		}
		for i := range judged {
			if !f.Mine || judged[i].Barred == nil {
				found = append(found, judged[i])
			}
		}
		if after = next; next == nil || len(found) > p.Limit {
			break
		}
	}
	found, next := store.Cut(found, p, func(r ApprovalRow) store.Cursor { return store.Cursor{At: r.Since, ID: r.ID} })
	return found, next, nil
}

// waitingApprovals reads a page: one index walk per kind, merged by time.
func waitingApprovals(ctx context.Context, db *store.DB, f ApprovalFilter, p store.Page) ([]casework.Approval, *store.Cursor, error) {
	var walks []string
	with := map[string]any{"limit": p.Limit + 1, "about": store.SomeID(f.About)}
	conditions := []string{"true"}
	if f.About != "" {
		conditions = append(conditions, "(id = CAST(@about AS uuid) OR object_id = CAST(@about AS uuid))")
	}
	if p.After != nil {
		conditions = append(conditions, "(since, id) > (@at, CAST(@id AS uuid))")
		with["at"], with["id"] = p.After.At, p.After.ID
	}
	for _, rules := range casework.ApprovalKinds() {
		if slices.Contains(f.Kinds, rules.Kind) {
			walks = append(walks, "(SELECT * FROM ("+rules.SQL()+") w WHERE "+strings.Join(conditions, " AND ")+" ORDER BY since, id LIMIT @limit)")
		}
	}
	if len(walks) == 0 {
		return nil, nil, nil
	}
	var rows []casework.Approval
	err := db.ORM(ctx).Raw("SELECT * FROM ("+strings.Join(walks, " UNION ALL ")+") all_kinds ORDER BY since, id LIMIT @limit", with).Scan(&rows).Error
	if err != nil {
		return nil, nil, fmt.Errorf("read what waits for approval: %w", err)
	}
	rows, next := store.Cut(rows, p, func(a casework.Approval) store.Cursor { return store.Cursor{At: a.Since, ID: a.ID} })
	return rows, next, casework.CompleteAll(rows)
}

// judge adds the names, and who may decide.
func judge(ctx context.Context, db *store.DB, rows []casework.Approval, staff []reviewer, reader string) ([]ApprovalRow, error) {
	people, err := peopleIn(ctx, db, rows)
	if err != nil {
		return nil, err
	}
	nameOf := func(id string) string {
		return store.PersonName(people[id].FirstName, people[id].LastName, people[id].Email)
	}
	out := make([]ApprovalRow, 0, len(rows))
	for i := range rows {
		a := &rows[i]
		row := ApprovalRow{Approval: *a, Barred: &Bar{UserID: reader, Rule: BarRole}}
		for _, maker := range a.Makers {
			row.Proposers = append(row.Proposers, nameOf(maker))
		}
		if a.CustomerID != nil {
			row.CustomerName, row.CustomerEmail = nameOf(*a.CustomerID), people[*a.CustomerID].Email
		}
		for s := range staff {
			rule := bars(a, &staff[s], people)
			bar := Bar{UserID: staff[s].ID, Name: staff[s].name(), Rule: rule}
			switch {
			case rule == "":
				row.Eligible++
			case rule != BarRole:
				row.Bars = append(row.Bars, bar)
			}
			if staff[s].ID == reader {
				if row.Barred = nil; rule != "" {
					row.Barred = &bar
				}
			}
		}
		if row.Eligible > 0 {
			row.Bars = nil
		}
		out = append(out, row)
	}
	return out, nil
}

// countedApprovals bounds how many are counted.
const countedApprovals = 500

// CountApprovals counts the inbox of a filter, up to a bound, and says since when the first waits.
func CountApprovals(ctx context.Context, db *store.DB, f ApprovalFilter) (n int, oldest *time.Time, err error) {
	rows, _, err := Approvals(ctx, db, f, store.Page{Limit: countedApprovals})
	if err != nil || len(rows) == 0 {
		return 0, nil, err
	}
	return len(rows), &rows[0].Since, nil
}

// allApprovals reads what waits of every kind, up to a bound.
func allApprovals(ctx context.Context, db *store.DB) ([]ApprovalRow, error) {
	var kinds []casework.ApprovalKind
	for _, rules := range casework.ApprovalKinds() {
		kinds = append(kinds, rules.Kind)
	}
	rows, _, err := Approvals(ctx, db, ApprovalFilter{Kinds: kinds}, store.Page{Limit: countedApprovals})
	return rows, err
}

// unapprovable are the kinds of which something has waited since before then that no member of staff may approve.
func unapprovable(ctx context.Context, db *store.DB, then time.Time) ([]Alert, error) {
	rows, err := allApprovals(ctx, db)
	if err != nil {
		return nil, err
	}
	byKind := map[string]*Alert{}
	for i := range rows {
		if rows[i].Eligible > 0 || rows[i].Since.After(then) {
			continue
		}
		kind := string(rows[i].Kind)
		if byKind[kind] == nil { // the one that has waited longest comes first
			byKind[kind] = &Alert{Kind: AlertApprovers, Subject: kind, Since: rows[i].Since}
		}
		byKind[kind].Count++
	}
	var found []Alert
	for _, alert := range byKind {
		found = append(found, *alert)
	}
	slices.SortFunc(found, func(a, b Alert) int { return cmp.Compare(a.Subject, b.Subject) })
	return found, nil
}
