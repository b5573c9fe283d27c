package policy

import (
	"embed"
	"errors"
	"fmt"

	"github.com/casbin/casbin/v3"
	"github.com/casbin/casbin/v3/model"
	stringadapter "github.com/casbin/casbin/v3/persist/string-adapter"
)

//go:embed model.conf policy.csv
var policyFiles embed.FS

// Permission is what a route needs; policy.csv gives them to roles.
type Permission string

// The permissions of the table in rules §7.
const (
	Anyone          Permission = "anyone"
	OwnSession      Permission = "own_session" // also while the second factor is owed
	OwnAccount      Permission = "own_account"
	OwnOrders       Permission = "own_orders"
	ReadCustomers   Permission = "read_customers"
	AnswerTickets   Permission = "answer_tickets"
	ReviewCustomers Permission = "review_customers"
	DecidePayments  Permission = "decide_payments"
	DecideOrders    Permission = "decide_orders"
	Configure       Permission = "configure"
	GrantRoles      Permission = "grant_roles"
	LiftFactors     Permission = "lift_factors"
	ReadLedger      Permission = "read_ledger"
	ReadAudit       Permission = "read_audit"
)

// All lists every permission, from which a person's own are derived.
var All = []Permission{Anyone, OwnSession, OwnAccount, OwnOrders, ReadCustomers, AnswerTickets, ReviewCustomers, DecidePayments, DecideOrders, Configure, GrantRoles, LiftFactors, ReadLedger, ReadAudit}

// Roles as the policy names them. Every signed-in user is a customer; staff have roles
// beside it.
const (
	Anonymous = "anonymous"
	Customer  = "customer"
)

// Policy is who may do what. It is worked out once, at start: 6 roles by a
// dozen permissions.
type Policy struct {
	May map[string]map[Permission]bool
}

// Load reads the embedded policy.
func Load() (*Policy, error) {
	text, err := policyFiles.ReadFile("model.conf")
	if err != nil {
		return nil, err
	}
	rules, err := policyFiles.ReadFile("policy.csv")
	if err != nil {
		return nil, err
	}
	m, err := model.NewModelFromString(string(text))
	if err != nil {
		return nil, fmt.Errorf("read policy model: %w", err)
	}
	enforcer, err := casbin.NewEnforcer(m, stringadapter.NewAdapter(string(rules)))
	if err != nil {
		return nil, fmt.Errorf("read policy: %w", err)
	}
	p := &Policy{May: map[string]map[Permission]bool{}}
	for _, role := range []string{Anonymous, Customer, "support", "compliance", "finance", "admin"} {
		p.May[role] = map[Permission]bool{}
		for _, want := range All {
			allowed, err := enforcer.Enforce(role, string(want))
			if err != nil {
				return nil, fmt.Errorf("ask policy: %w", err)
			}
			p.May[role][want] = allowed
		}
	}
	if !p.May[Anonymous][Anyone] || p.May[Anonymous][OwnAccount] {
		return nil, errors.New("the policy file does not hold together")
	}
	return p, nil
}

// Allows reports whether any of the roles holds the permission.
func (p *Policy) Allows(roles []string, want Permission) bool {
	for _, role := range roles {
		if p.May[role][want] {
			return true
		}
	}
	return false
}

// Of lists what the roles may do, for the page.
func (p *Policy) Of(roles []string) []string {
	held := []string{}
	for _, want := range All {
		if want != Anyone && p.Allows(roles, want) {
			held = append(held, string(want))
		}
	}
	return held
}
