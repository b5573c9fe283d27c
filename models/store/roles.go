package store

import (
	"slices"
	"strings"
)

// Cashiers are those who decide on payments (rules §7).
var Cashiers = []string{"finance", "admin"}

// Actor is who reads or changes something, in which role, and why.
type Actor struct {
	ActorID, ActorRole, RequestID, Reason string
	// Seen is the version of what they approve, as they were shown it; empty where it is not checked.
	Seen string
}

// KnownRoles sorts chosen roles, and refuses none and unknown ones.
func KnownRoles(chosen []string) ([]string, error) {
	roles := slices.Compact(slices.Sorted(slices.Values(chosen)))
	unknown := slices.ContainsFunc(roles, func(role string) bool { return !slices.Contains(StaffRoles, role) })
	if len(roles) == 0 || unknown {
		return nil, Invalid("roles", "unknown_role", "Choose one or more of "+strings.Join(StaffRoles, ", "))
	}
	return roles, nil
}

// StaffRoles are the roles above customer.
var StaffRoles = []string{"support", "compliance", "finance", "admin"}
