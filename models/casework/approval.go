package casework

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/store"
)

// An approval is a decision that one person began and another completes: a proposal, or a first of two approvals.
// Each owner of such rows lists the query of its waiting rows once. The inbox of staff and the check of the approved
// version read that query, so that an approver approves what the inbox shows.

// ApprovalKind is a kind of decision that waits for a second person.
type ApprovalKind string

// ApprovalRules are the rules of one kind of approval.
type ApprovalRules struct {
	Kind ApprovalKind
	// Label is what several of them are called: "payouts".
	Label string
	// Titles are the acts of the kind, with the title of each for staff.
	Titles map[string]string
	// Roles are the roles that decide it.
	Roles []string
	// Begins reports whether one operation gives both the first and the second approval. An empty version then means a
	// first approval.
	Begins bool
	// Releases are the acts that release value, with the action that they are to models/dualcontrol.
	Releases map[string]dualcontrol.Action
	// Rows is the query of what waits.
	Rows ApprovalRows
	// Complete sets what the query cannot compute; nil where it computes all.
	Complete func(a *Approval) error
}

// ApprovalRows is a query of waiting rows: one SQL expression per column of Approval, over From. An empty expression
// is no value. It begins with an index walk by Since and ID.
type ApprovalRows struct {
	ID, Act, Since   string
	Makers           string // text[]
	Amount, Currency string
	Coins, Asset     string
	Customer         string
	Subjects         string // text[]; the customer alone where it is empty
	ObjectKind       string
	ObjectID         string
	Reference        string
	BankReference    string
	BankDate         string
	BankSender       string
	Reason           string
	Document         string
	Details          string // jsonb object
	// Of an act that releases value: the kind of its subject and its id, and since when the balance was spent on it;
	// empty where it does not leave through the balance.
	SubjectKind, SubjectID, Spent string
	From                          string
}

// Approval is one decision that waits for a second person, with all that this person is shown.
type Approval struct {
	Kind  ApprovalKind
	ID    string // what the approving operation names
	Act   string
	Since time.Time
	// Makers are the accounts that began it; none where the system did.
	Makers pq.StringArray `gorm:"type:text[]"`
	// Amount is in base units of Currency; Coins and Asset are the crypto it is about.
	Amount   *money.Units
	Currency *money.Currency
	Coins    *money.Units
	Asset    *money.Currency
	// CustomerID is whose it is; Subjects are all accounts that it concerns.
	CustomerID *string
	Subjects   pq.StringArray `gorm:"type:text[]"`
	// ObjectKind, ObjectID and Reference name what it is about.
	ObjectKind string
	ObjectID   *string
	Reference  string
	// The bank line that it rests on. BankDate is the value date.
	BankReference, BankDate, BankSender string
	Reason                              string
	DocumentID                          *string
	Details                             json.RawMessage `gorm:"type:jsonb"`
	// What dualcontrol is asked about an act that releases value.
	SubjectKind, SubjectID string
	Spent                  *time.Time
}

var approvals []*ApprovalRules

// ListApproval adds a kind of approval. It is called once for each, as the program starts.
func ListApproval(rules *ApprovalRules) *ApprovalRules {
	approvals = append(approvals, rules)
	return rules
}

// ApprovalKinds are all kinds of approvals, by name.
func ApprovalKinds() []*ApprovalRules {
	return slices.SortedFunc(slices.Values(approvals), func(a, b *ApprovalRules) int { return strings.Compare(string(a.Kind), string(b.Kind)) })
}

// Rules are the rules of an approval. An unlisted kind is a programming error and panics.
func (k ApprovalKind) Rules() *ApprovalRules {
	i := slices.IndexFunc(approvals, func(r *ApprovalRules) bool { return r.Kind == k })
	if i < 0 {
		panic(fmt.Sprintf("%q is no kind of approval: list it", k))
	}
	return approvals[i]
}

// SQL is the query of what waits, with the columns of Approval.
func (r *ApprovalRules) SQL() string {
	q := r.Rows
	text := func(expression string) string {
		return "coalesce(CAST(" + cmp.Or(expression, "NULL") + " AS text), '')"
	}
	as := func(expression, kind string) string {
		return "CAST(" + cmp.Or(expression, "NULL") + " AS " + kind + ")"
	}
	list := func(expression string) string {
		return "coalesce(CAST(" + cmp.Or(expression, "NULL") + " AS text[]), '{}')"
	}
	subjects := cmp.Or(q.Subjects, "array_remove(ARRAY["+as(q.Customer, "text")+"], NULL)")
	return strings.Join([]string{
		"SELECT CAST('" + string(r.Kind) + "' AS text) AS kind, " + q.ID + " AS id", text(q.Act) + " AS act", q.Since + " AS since",
		"array_remove(" + list(q.Makers) + ", NULL) AS makers", as(q.Amount, "numeric") + " AS amount", as(q.Currency, "text") + " AS currency",
		as(q.Coins, "numeric") + " AS coins", as(q.Asset, "text") + " AS asset", as(q.Customer, "uuid") + " AS customer_id", list(subjects) + " AS subjects",
		text(q.ObjectKind) + " AS object_kind", as(q.ObjectID, "uuid") + " AS object_id", text(q.Reference) + " AS reference",
		text(q.BankReference) + " AS bank_reference", text(q.BankDate) + " AS bank_date", text(q.BankSender) + " AS bank_sender",
		text(q.Reason) + " AS reason", as(q.Document, "uuid") + " AS document_id", "coalesce(" + as(q.Details, "jsonb") + ", '{}') AS details",
		text(q.SubjectKind) + " AS subject_kind", text(q.SubjectID) + " AS subject_id", as(q.Spent, "timestamptz") + " AS spent",
	}, ", ") + " FROM " + q.From
}

// Release is the release of value that the approval completes; ok is false where it releases none.
func (a *Approval) Release() (r dualcontrol.Release, ok bool) {
	action, ok := a.Kind.Rules().Releases[a.Act]
	r = dualcontrol.Release{Action: action, Customer: store.Text(a.CustomerID), Subject: dualcontrol.Ref{Kind: a.SubjectKind, ID: a.SubjectID}, Balance: a.Spent != nil}
	if a.Spent != nil {
		r.Spent = *a.Spent
	}
	return r, ok
}

// Title names the act for staff.
func (a *Approval) Title() string { return a.Kind.Rules().Titles[a.Act] }

// WaitingApproval reads what waits of a kind under an id, or nil. Inside a transaction that holds the row's lock it is
// what an approval completes.
func WaitingApproval(ctx context.Context, db *store.DB, kind ApprovalKind, id string) (*Approval, error) {
	var rows []Approval
	rules := kind.Rules()
	if err := db.ORM(ctx).Raw("SELECT * FROM ("+rules.SQL()+") w WHERE id = ?", id).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("read what waits for approval: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], rules.complete(&rows[0])
}

func (r *ApprovalRules) complete(a *Approval) error {
	if r.Complete == nil {
		return nil
	}
	return r.Complete(a)
}

// CompleteAll sets what the queries cannot compute.
func CompleteAll(rows []Approval) error {
	for i := range rows {
		if err := rows[i].Kind.Rules().complete(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// Detail sets a detail that the query cannot compute.
func (a *Approval) Detail(name, value string) {
	all := a.AllDetails()
	all[name] = value
	a.Details, _ = json.Marshal(all) // texts
}

// AllDetails are the facts of its act alone, by name. Facts without a value are left out.
func (a *Approval) AllDetails() map[string]any {
	all := map[string]any{}
	_ = json.Unmarshal(a.Details, &all) // an object: the query made it
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil || value == "" })
	return all
}

// fact is one thing that an approver is shown.
type fact struct{ name, value string }

// facts are what an approver is shown, in the order of the page. Names of people are not among them: they change
// without a change of the proposal.
func (a *Approval) facts() []fact {
	all := []fact{{"act", a.Act}, {"amount", amountText(a.Amount, a.Currency)}, {"coins", amountText(a.Coins, a.Asset)}, {"customer", store.Text(a.CustomerID)},
		{"reference", a.Reference}, {"bankReference", a.BankReference}, {"bankDate", a.BankDate}, {"bankSender", a.BankSender}, {"reason", a.Reason},
		{"document", store.Text(a.DocumentID)}, {"proposer", strings.Join(a.Makers, " ")}}
	details := a.AllDetails()
	for _, name := range slices.Sorted(maps.Keys(details)) {
		value, is := details[name].(string)
		if !is {
			text, _ := json.Marshal(details[name]) // read from JSON
			value = string(text)
		}
		all = append(all, fact{name, value})
	}
	return slices.DeleteFunc(all, func(f fact) bool { return f.value == "" })
}

func amountText(amount *money.Units, currency *money.Currency) string {
	if amount == nil || currency == nil {
		return ""
	}
	return currency.Format(*amount) + " " + string(*currency)
}

// MaxApprovalVersion bounds the text of a version.
const MaxApprovalVersion = 24_000

// Version names all that an approver is shown. It holds the facts themselves, so that an approval of another version
// is answered with what changed, and nothing of what was shown has to be stored.
func (a *Approval) Version() string {
	var all [][2]string
	for _, f := range a.facts() {
		all = append(all, [2]string{f.name, f.value})
	}
	text, _ := json.Marshal(all) // texts
	return base64.RawURLEncoding.EncodeToString(text)
}

// changes returns the facts that differ from the version seen; without a version, all of them.
func (a *Approval) changes(seen string) ([]store.Change, error) {
	var all [][2]string
	raw, err := base64.RawURLEncoding.DecodeString(seen)
	if err != nil || seen != "" && json.Unmarshal(raw, &all) != nil {
		return nil, store.Invalid("version", "bad_version", "This version is not valid. Refresh the page.")
	}
	was, is, changed := map[string]string{}, map[string]string{}, []store.Change{}
	for _, f := range all {
		was[f[0]] = f[1]
	}
	for _, f := range a.facts() {
		is[f.name] = f.value
		if was[f.name] != f.value {
			changed = append(changed, store.Change{Field: f.name, Was: was[f.name], Is: f.value})
		}
	}
	for _, f := range all {
		if _, still := is[f[0]]; !still {
			changed = append(changed, store.Change{Field: f[0], Was: f[1]})
		}
	}
	return changed, nil
}

// CheckApproval returns a conflict if the version seen is not the current one, naming the changes, or if a person who began
// the approval is frozen. An empty version is accepted where the operation names a proposal; where one operation gives
// both approvals (ApprovalRules.Begins) it means a first approval, and conflicts if one waits already. The caller holds
// the row's lock, in the transaction that completes it.
func CheckApproval(ctx context.Context, tx *store.DB, kind ApprovalKind, id, seen string) error {
	now, err := WaitingApproval(ctx, tx, kind, id)
	switch {
	case err != nil:
		return err
	case now == nil && seen == "":
		return nil
	case now == nil:
		return store.Conflict("proposal_changed", "This no longer waits for a second person. Refresh the page.")
	}
	if err := dualcontrol.CheckNotFrozen(ctx, tx, now.Makers...); err != nil {
		return err
	}
	if seen == "" && !kind.Rules().Begins {
		return nil
	}
	changed, err := now.changes(seen)
	if err != nil || len(changed) == 0 {
		return err
	}
	what := "This has changed since you opened it. Check what changed, then approve it again."
	if seen == "" {
		what = "Another person approved this first. Check what they approved, then approve it again."
	}
	return store.Changed("proposal_changed", what, changed)
}
