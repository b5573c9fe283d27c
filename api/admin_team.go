package api

import (
	"context"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/team"
)

// TeamFilter is what narrows the team.
type TeamFilter struct {
	Role  string `query:"role" enum:"all,support,compliance,finance,admin" default:"all"`
	Query string `query:"q" maxLength:"100" doc:"name or e-mail"`
}

type listTeamInput struct {
	Paging
	TeamFilter
}

func (s *Server) listTeam(ctx context.Context, in *listTeamInput) (*page[TeamMember], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	role := unlessAll(in.Role)
	rows, next, err := team.Team(ctx, s.DB, team.TeamFilter{Role: role, Query: in.Query}, wanted)
	if err != nil {
		return nil, err
	}
	total, byRole, err := team.CountTeam(ctx, s.DB, in.Query)
	if err != nil {
		return nil, err
	}
	if role != "" {
		total = byRole[role]
	}
	who := principalOf(ctx)
	return &page[TeamMember]{Link: linkTo(ctx, next, in.Limit), Total: total, Body: mapped(rows, func(m *team.TeamMember) TeamMember { return teamMember(m, who.UserID) })}, nil
}

func teamMember(m *team.TeamMember, viewer string) TeamMember {
	actions := []string{"propose", "take", "sign_out"}
	if m.ID == viewer {
		actions = []string{}
	}
	return TeamMember{ID: m.ID, Name: m.Name(), Email: m.Email, Roles: append([]string{}, m.Roles...), Since: m.CreatedAt, TwoFactor: m.TwoFactor,
		LastSignIn: m.LastSignIn, Sessions: m.Sessions, Actions: actions}
}

type teamSummaryInput struct {
	Query string `query:"q" maxLength:"100" doc:"name or e-mail"`
}

func (s *Server) getTeamSummary(ctx context.Context, in *teamSummaryInput) (*body[TeamSummary], error) {
	total, byRole, err := team.CountTeam(ctx, s.DB, in.Query)
	if err != nil {
		return nil, err
	}
	proposed, err := team.CountRoleProposals(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	return &body[TeamSummary]{TeamSummary{Total: total, Support: byRole["support"], Compliance: byRole["compliance"], Finance: byRole["finance"], Admin: byRole["admin"],
		Waiting: proposed.ByStatus[casework.ProposalOpen]}}, nil
}

type candidateInput struct {
	Email string `query:"email" required:"true" minLength:"3" maxLength:"254" doc:"the whole address"`
}

// getTeamCandidate finds whom a role can be given, by their whole address: nobody
// is suggested.
func (s *Server) getTeamCandidate(ctx context.Context, in *candidateInput) (*body[TeamCandidate], error) {
	m, err := team.Candidate(ctx, s.DB, in.Email)
	if err != nil {
		return nil, err
	}
	return &body[TeamCandidate]{TeamCandidate{ID: m.ID, Name: m.Name(), Email: m.Email, Roles: append([]string{}, m.Roles...), TwoFactor: m.TwoFactor,
		Self: m.ID == principalOf(ctx).UserID}}, nil
}

type listRoleProposalsInput struct {
	Paging
	Status string `query:"status" enum:"all,open,approved,rejected,withdrawn,lapsed" default:"all"`
}

func (s *Server) listRoleProposals(ctx context.Context, in *listRoleProposalsInput) (*page[RoleProposal], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	status := casework.ProposalStatus(unlessAll(in.Status))
	rows, next, err := team.RoleProposals(ctx, s.DB, status, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := team.CountRoleProposals(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	return &page[RoleProposal]{Link: linkTo(ctx, next, in.Limit), Total: counts.Matching(status),
		Body: mapped(rows, func(p *team.KnownRoleProposal) RoleProposal { return roleProposal(p, who.UserID) })}, nil
}

func roleProposal(p *team.KnownRoleProposal, viewer string) RoleProposal {
	return RoleProposal{ID: p.ID, UserID: p.UserID, Name: p.Name(), Email: p.Email, Had: append([]string{}, p.Had...), Roles: append([]string{}, p.Roles...), Reason: p.Reason,
		Proposer: p.Proposer, CreatedAt: p.CreatedAt, Status: string(p.Status), Decider: p.Decider, DecidedAt: p.DecidedAt, Answer: p.Answer, Actions: roleActions(p, viewer)}
}

// roleActions are the buttons somebody has on a proposal about roles.
func roleActions(p *team.KnownRoleProposal, viewer string) []string {
	switch {
	case p.Status != casework.ProposalOpen || p.UserID == viewer:
		return []string{}
	case p.ProposedBy == viewer:
		return []string{"withdraw"}
	}
	return []string{"approve", "reject"}
}

type rolesWishInput struct {
	ObjectID
	Body RolesWish
}

// proposeRoles asks for a second admin. Giving somebody power over others' money
// needs the proposer's own second factor, and so does approving it.
func (s *Server) proposeRoles(ctx context.Context, in *rolesWishInput) (*body[RoleProposal], error) {
	if err := s.requireFreshCode(ctx); err != nil {
		return nil, err
	}
	p, err := team.ProposeRoles(ctx, s.DB, aboutCustomer(ctx, in.ID, in.Body.Reason), in.Body.Roles)
	if err != nil {
		return nil, err
	}
	return s.roleProposalNow(ctx, p.ID)
}

func (s *Server) roleProposalNow(ctx context.Context, id string) (*body[RoleProposal], error) {
	p, err := team.ReadRoleProposal(ctx, s.DB, id)
	if err != nil {
		return nil, err
	}
	return &body[RoleProposal]{roleProposal(p, principalOf(ctx).UserID)}, nil
}

func (s *Server) approveRoles(ctx context.Context, in *ObjectID) (*body[RoleProposal], error) {
	if err := s.requireFreshCode(ctx); err != nil {
		return nil, err
	}
	if err := team.ApproveRoles(ctx, s.DB, in.ID, aboutCustomer(ctx, "", "")); err != nil {
		return nil, err
	}
	return s.roleProposalNow(ctx, in.ID)
}

type teamReasonInput struct {
	ObjectID
	Body TeamReason
}

// rejectRoles ends a proposal without effect. Who made it takes it back so.
func (s *Server) rejectRoles(ctx context.Context, in *teamReasonInput) (*body[RoleProposal], error) {
	if err := team.RejectRoles(ctx, s.DB, in.ID, aboutCustomer(ctx, "", in.Body.Reason)); err != nil {
		return nil, err
	}
	return s.roleProposalNow(ctx, in.ID)
}

// takeRoles takes roles away at once. A stolen session alone must not clear the
// house of its admins, so it asks for a code as well.
func (s *Server) takeRoles(ctx context.Context, in *rolesWishInput) (*body[EndedSessions], error) {
	if err := s.requireFreshCode(ctx); err != nil {
		return nil, err
	}
	ended, err := team.TakeRoles(ctx, s.DB, aboutCustomer(ctx, in.ID, in.Body.Reason), in.Body.Roles)
	if err != nil {
		return nil, err
	}
	return &body[EndedSessions]{EndedSessions{ended}}, nil
}

func (s *Server) signMemberOut(ctx context.Context, in *teamReasonInput) (*body[EndedSessions], error) {
	ended, err := team.SignMemberOut(ctx, s.DB, aboutCustomer(ctx, in.ID, in.Body.Reason))
	if err != nil {
		return nil, err
	}
	return &body[EndedSessions]{EndedSessions{ended}}, nil
}
