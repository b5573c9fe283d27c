package reporting

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/people"
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
	BarCredit   = "own_credit"   // they credited the balance that it is paid from, alone
	BarIdentity = "own_identity" // they approved the customer's identity, alone
)

// Bars lists the rules, for the contract.
var Bars = []string{BarRole, BarFrozen, BarOwn, BarProposal, BarReceipt, BarCredit, BarIdentity}

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
	case BarCredit:
		return b.Name + " credited this customer's balance alone"
	case BarIdentity:
		return b.Name + " approved this customer's identity alone"
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

func (r *reviewer) name() string { return people.PersonName(r.FirstName, r.LastName, r.Email) }

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

// named are approvals with the accounts that they name, and whom their attestations bar.
type named struct {
	rows   []casework.Approval
	people map[string]person
	barred map[int][]dualcontrol.BarredPerson // by the row's index
}

// readNamed reads the accounts that a page of approvals names, and the people that attestations bar from them, in a
// fixed number of queries.
func readNamed(ctx context.Context, db *store.DB, rows []casework.Approval) (*named, error) {
	n := &named{rows: rows, people: map[string]person{}, barred: map[int][]dualcontrol.BarredPerson{}}
	var ids []string
	var releases []dualcontrol.Release
	var of []int // the row of each release
	for i := range rows {
		ids = append(ids, slices.Concat(rows[i].Makers, rows[i].Subjects)...)
		if r, is := rows[i].Release(); is {
			releases, of = append(releases, r), append(of, i)
		}
	}
	if len(releases) > 0 {
		barred, err := dualcontrol.BarredFrom(ctx, db, releases)
		if err != nil {
			return nil, err
		}
		for _, b := range barred {
			n.barred[of[b.Release]] = append(n.barred[of[b.Release]], b)
			ids = append(ids, b.Person)
		}
	}
	var found []person
	err := db.ORM(ctx).Raw("SELECT id, email, first_name, last_name FROM users WHERE id = ANY(CAST(? AS uuid[]))", pq.StringArray(ids)).Scan(&found).Error
	if err != nil {
		return nil, fmt.Errorf("read whom approvals name: %w", err)
	}
	for _, p := range found {
		n.people[p.ID] = p
	}
	return n, nil
}

// is reports whether a member of staff is, under whatever account, one of several people: two accounts whose addresses
// reach one mailbox are one person.
func (n *named) is(staff *reviewer, ids ...string) bool {
	return slices.ContainsFunc(ids, func(id string) bool { return id == staff.ID || people.SameMailbox(staff.Email, n.people[id].Email) })
}

// bar returns the rule that bars a member of staff from a row, or "".
func (n *named) bar(row int, staff *reviewer) string {
	a := &n.rows[row]
	switch {
	case !slices.ContainsFunc(a.Kind.Rules().Roles, func(role string) bool { return slices.Contains(staff.Roles, role) }):
		return BarRole
	case staff.Frozen:
		return BarFrozen
	case n.is(staff, a.Subjects...):
		return BarOwn
	case n.is(staff, a.Makers...):
		return BarProposal
	}
	for _, b := range n.barred[row] {
		if n.is(staff, b.Person) {
			return b.Reason
		}
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
	if f.About != "" { // one index each, which an OR would not use
		conditions = []string{"id = CAST(@about AS uuid)", "object_id = CAST(@about AS uuid) AND id <> CAST(@about AS uuid)"}
	}
	after := ""
	if p.After != nil {
		after = " AND (since, id) > (@at, CAST(@id AS uuid))"
		with["at"], with["id"] = p.After.At, p.After.ID
	}
	for _, rules := range casework.ApprovalKinds() {
		if !slices.Contains(f.Kinds, rules.Kind) {
			continue
		}
		for _, condition := range conditions {
			walks = append(walks, "(SELECT * FROM ("+rules.SQL()+") w WHERE "+condition+after+" ORDER BY since, id LIMIT @limit)")
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
	known, err := readNamed(ctx, db, rows)
	if err != nil {
		return nil, err
	}
	nameOf := func(id string) string {
		p := known.people[id]
		return people.PersonName(p.FirstName, p.LastName, p.Email)
	}
	out := make([]ApprovalRow, 0, len(rows))
	for i := range rows {
		a := &rows[i]
		row := ApprovalRow{Approval: *a, Barred: &Bar{UserID: reader, Rule: BarRole}}
		for _, maker := range a.Makers {
			row.Proposers = append(row.Proposers, nameOf(maker))
		}
		if a.CustomerID != nil {
			row.CustomerName, row.CustomerEmail = nameOf(*a.CustomerID), known.people[*a.CustomerID].Email
		}
		for s := range staff {
			rule := known.bar(i, &staff[s])
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
