package team

import (
	"time"
)

// TeamMember is a user with a role other than customer.
type TeamMember struct {
	ID         string     `json:"id" format:"uuid"`
	Name       string     `json:"name" doc:"their e-mail address where they gave no name"`
	Email      string     `json:"email"`
	Roles      []string   `json:"roles" enum:"support,compliance,finance,admin"`
	Frozen     bool       `json:"frozen" doc:"the account is frozen: the roles do not count until it is unfrozen"`
	Since      time.Time  `json:"since" doc:"since when they have a role"`
	TwoFactor  bool       `json:"twoFactor" doc:"has a second factor"`
	LastSignIn *time.Time `json:"lastSignIn"`
	Sessions   int        `json:"sessions" doc:"where they are signed in"`
	Actions    []string   `json:"actions" enum:"propose,take,sign_out" doc:"what the signed-in person can do about them; nothing about themselves"`
}

// TeamSummary counts the people that the search finds, and what waits.
type TeamSummary struct {
	Total      int `json:"total"`
	Support    int `json:"support"`
	Compliance int `json:"compliance"`
	Finance    int `json:"finance"`
	Admin      int `json:"admin"`
	Waiting    int `json:"waiting" doc:"proposals that wait for a second admin"`
}

// TeamCandidate is a user who can be given a role.
type TeamCandidate struct {
	ID        string   `json:"id" format:"uuid"`
	Name      string   `json:"name" doc:"their e-mail address where they gave no name"`
	Email     string   `json:"email"`
	Roles     []string `json:"roles" enum:"support,compliance,finance,admin" doc:"empty for a customer"`
	TwoFactor bool     `json:"twoFactor" doc:"has a second factor"`
	Self      bool     `json:"self" doc:"who asks: nobody changes their own role"`
}

// RoleProposal is a change of a user's roles that needs two admins.
type RoleProposal struct {
	ID        string     `json:"id" format:"uuid"`
	UserID    string     `json:"userId" format:"uuid"`
	Name      string     `json:"name"`
	Email     string     `json:"email"`
	Had       []string   `json:"had" enum:"support,compliance,finance,admin" doc:"as it was proposed; empty for a customer"`
	Roles     []string   `json:"roles" enum:"support,compliance,finance,admin" doc:"all that they have once it is approved"`
	Reason    string     `json:"reason"`
	Proposer  string     `json:"proposer" doc:"e-mail address"`
	CreatedAt time.Time  `json:"createdAt"`
	Status    string     `json:"status" enum:"open,approved,rejected,withdrawn,lapsed"`
	Decider   string     `json:"decider" doc:"e-mail address; empty while it is open, or when it lapsed"`
	DecidedAt *time.Time `json:"decidedAt"`
	Answer    string     `json:"answer" doc:"why it was rejected or withdrawn"`
	Actions   []string   `json:"actions" enum:"approve,reject,withdraw" doc:"what the signed-in person can do"`
}

// RolesWish are the roles that a user is to have, or to lose, and why.
type RolesWish struct {
	Roles  []string `json:"roles" enum:"support,compliance,finance,admin" maxItems:"4"`
	Reason string   `json:"reason" maxLength:"500"`
}

// TeamReason is the reason of an action.
type TeamReason struct {
	Reason string `json:"reason" maxLength:"500"`
}
