package api

import (
	"embed"
	"errors"
	"fmt"

	"github.com/casbin/casbin/v3"
	"github.com/casbin/casbin/v3/model"
	stringadapter "github.com/casbin/casbin/v3/persist/string-adapter"
)

//go:embed policy/model.conf policy/policy.csv
var policyFiles embed.FS

// permission is what a route needs; policy/policy.csv gives them to roles.
type permission string

// The permissions of the table in rules §7.
const (
	anyone          permission = "anyone"
	ownSession      permission = "own_session" // also while the second factor is owed
	ownAccount      permission = "own_account"
	ownOrders       permission = "own_orders"
	readCustomers   permission = "read_customers"
	answerTickets   permission = "answer_tickets"
	reviewCustomers permission = "review_customers"
	decidePayments  permission = "decide_payments"
	decideOrders    permission = "decide_orders"
	configure       permission = "configure"
	grantRoles      permission = "grant_roles"
	liftFactors     permission = "lift_factors"
	readLedger      permission = "read_ledger"
	readAudit       permission = "read_audit"
)

// permissions lists them all, so that a person's own can be told.
var permissions = []permission{anyone, ownSession, ownAccount, ownOrders, readCustomers, answerTickets, reviewCustomers, decidePayments, decideOrders, configure, grantRoles, liftFactors, readLedger, readAudit}

// Roles as the policy names them. Everybody signed in is a customer; staff have
// roles beside it.
const (
	roleAnonymous = "anonymous"
	roleCustomer  = "customer"
)

// Policy is who may do what. It is worked out once, at start: 6 roles by a
// dozen permissions.
type Policy struct {
	may map[string]map[permission]bool
}

// LoadPolicy reads the embedded policy.
func LoadPolicy() (*Policy, error) {
	text, err := policyFiles.ReadFile("policy/model.conf")
	if err != nil {
		return nil, err
	}
	rules, err := policyFiles.ReadFile("policy/policy.csv")
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
	p := &Policy{may: map[string]map[permission]bool{}}
	for _, role := range []string{roleAnonymous, roleCustomer, "support", "compliance", "finance", "admin"} {
		p.may[role] = map[permission]bool{}
		for _, want := range permissions {
			allowed, err := enforcer.Enforce(role, string(want))
			if err != nil {
				return nil, fmt.Errorf("ask policy: %w", err)
			}
			p.may[role][want] = allowed
		}
	}
	if !p.may[roleAnonymous][anyone] || p.may[roleAnonymous][ownAccount] {
		return nil, errors.New("the policy file does not hold together")
	}
	return p, nil
}

// allows reports whether any of the roles holds the permission.
func (p *Policy) allows(roles []string, want permission) bool {
	for _, role := range roles {
		if p.may[role][want] {
			return true
		}
	}
	return false
}

// of lists what the roles may do, for the page.
func (p *Policy) of(roles []string) []string {
	held := []string{}
	for _, want := range permissions {
		if want != anyone && p.allows(roles, want) {
			held = append(held, string(want))
		}
	}
	return held
}
