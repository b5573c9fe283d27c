package team

import (
	"context"

	accountapi "github.com/tradepost/tradepost/api/account"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/team"
)

// TeamFilter is what narrows the team.
type TeamFilter struct {
	Role  string `query:"role" enum:"all,support,compliance,finance,admin" default:"all"`
	Query string `query:"q" maxLength:"100" doc:"name or e-mail"`
}

type listTeamInput struct {
	rest.Paging
	TeamFilter
}

// ListTeam answers GET /api/admin/team.
func (h *Handlers) ListTeam(ctx context.Context, in *listTeamInput) (*rest.Page[TeamMember], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	role := rest.UnlessAll(in.Role)
	rows, next, err := team.Team(ctx, h.DB, team.TeamFilter{Role: role, Query: in.Query}, wanted)
	if err != nil {
		return nil, err
	}
	total, byRole, err := team.CountTeam(ctx, h.DB, in.Query)
	if err != nil {
		return nil, err
	}
	if role != "" {
		total = byRole[role]
	}
	who := rest.PrincipalOf(ctx)
	return &rest.Page[TeamMember]{Link: rest.LinkTo(ctx, next, in.Limit), Total: total, Body: rest.Mapped(rows, func(m *team.TeamMember) TeamMember { return teamMember(m, who.UserID) })}, nil
}

func teamMember(m *team.TeamMember, viewer string) TeamMember {
	actions := []string{"propose", "take", "sign_out"}
	if m.ID == viewer {
		actions = []string{}
	}
	return TeamMember{ID: m.ID, Name: m.Name(), Email: m.Email, Roles: append([]string{}, m.Roles...), Frozen: m.Frozen, Since: m.CreatedAt, TwoFactor: m.TwoFactor,
		LastSignIn: m.LastSignIn, Sessions: m.Sessions, Actions: actions}
}

type teamSummaryInput struct {
	Query string `query:"q" maxLength:"100" doc:"name or e-mail"`
}

// GetTeamSummary answers GET /api/admin/team/summary.
func (h *Handlers) GetTeamSummary(ctx context.Context, in *teamSummaryInput) (*rest.Body[TeamSummary], error) {
	total, byRole, err := team.CountTeam(ctx, h.DB, in.Query)
	if err != nil {
		return nil, err
	}
	proposed, err := team.CountRoleProposals(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	return &rest.Body[TeamSummary]{Body: TeamSummary{Total: total, Support: byRole["support"], Compliance: byRole["compliance"], Finance: byRole["finance"], Admin: byRole["admin"],
		Waiting: proposed.ByStatus[casework.ProposalOpen]}}, nil
}

type candidateInput struct {
	Email string `query:"email" required:"true" minLength:"3" maxLength:"254" doc:"the whole address"`
}

// GetTeamCandidate finds a person who can be given a role, by their whole address: partial
// addresses find none.
func (h *Handlers) GetTeamCandidate(ctx context.Context, in *candidateInput) (*rest.Body[TeamCandidate], error) {
	m, err := team.Candidate(ctx, h.DB, in.Email)
	if err != nil {
		return nil, err
	}
	return &rest.Body[TeamCandidate]{Body: TeamCandidate{ID: m.ID, Name: m.Name(), Email: m.Email, Roles: append([]string{}, m.Roles...), TwoFactor: m.TwoFactor,
		Self: m.ID == rest.PrincipalOf(ctx).UserID}}, nil
}

type listRoleProposalsInput struct {
	rest.Paging
	Status string `query:"status" enum:"all,open,approved,rejected,withdrawn,lapsed" default:"all"`
}

// ListRoleProposals answers GET /api/admin/team/proposals.
func (h *Handlers) ListRoleProposals(ctx context.Context, in *listRoleProposalsInput) (*rest.Page[RoleProposal], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	status := casework.ProposalStatus(rest.UnlessAll(in.Status))
	rows, next, err := team.RoleProposals(ctx, h.DB, status, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := team.CountRoleProposals(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	return &rest.Page[RoleProposal]{Link: rest.LinkTo(ctx, next, in.Limit), Total: counts.Matching(status),
		Body: rest.Mapped(rows, func(p *team.KnownRoleProposal) RoleProposal { return roleProposal(p, who.UserID) })}, nil
}

func roleProposal(p *team.KnownRoleProposal, viewer string) RoleProposal {
	return RoleProposal{ID: p.ID, UserID: p.UserID, Name: p.Name(), Email: p.Email, Had: append([]string{}, p.Had...), Roles: append([]string{}, p.Roles...), Reason: p.Reason,
		Proposer: p.Proposer, CreatedAt: p.CreatedAt, Status: string(p.Status), Decider: p.Decider, DecidedAt: p.DecidedAt, Answer: p.Answer, Actions: roleActions(p, viewer)}
}

// roleActions are the actions that an admin has on a proposal about roles.
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
	rest.ObjectID
	Body RolesWish
}

// ProposeRoles requires a second admin. Granting power over others' money needs the
// proposer's own second factor, and so does approving it.
func (h *Handlers) ProposeRoles(ctx context.Context, in *rolesWishInput) (*rest.Body[RoleProposal], error) {
	if err := h.RequireFreshCode(ctx); err != nil {
		return nil, err
	}
	p, err := team.ProposeRoles(ctx, h.DB, rest.AboutCustomer(ctx, in.ID, in.Body.Reason), in.Body.Roles)
	if err != nil {
		return nil, err
	}
	return h.roleProposalNow(ctx, p.ID)
}

func (h *Handlers) roleProposalNow(ctx context.Context, id string) (*rest.Body[RoleProposal], error) {
	p, err := team.ReadRoleProposal(ctx, h.DB, id)
	if err != nil {
		return nil, err
	}
	return &rest.Body[RoleProposal]{Body: roleProposal(p, rest.PrincipalOf(ctx).UserID)}, nil
}

// ApproveRoles answers POST /api/admin/team/proposals/{id}/approve.
func (h *Handlers) ApproveRoles(ctx context.Context, in *rest.ApprovalInput) (*rest.Body[RoleProposal], error) {
	if err := h.RequireFreshCode(ctx); err != nil {
		return nil, err
	}
	action := rest.AboutCustomer(ctx, "", "")
	action.Seen = in.Version()
	if err := team.ApproveRoles(ctx, h.DB, in.ID, action); err != nil {
		return nil, err
	}
	return h.roleProposalNow(ctx, in.ID)
}

type teamReasonInput struct {
	rest.ObjectID
	Body TeamReason
}

// RejectRoles ends a proposal without effect. Its proposer withdraws it by the same call.
func (h *Handlers) RejectRoles(ctx context.Context, in *teamReasonInput) (*rest.Body[RoleProposal], error) {
	if err := team.RejectRoles(ctx, h.DB, in.ID, rest.AboutCustomer(ctx, "", in.Body.Reason)); err != nil {
		return nil, err
	}
	return h.roleProposalNow(ctx, in.ID)
}

// TakeRoles revokes roles at once. It requires a code as well, so that a stolen session
// alone cannot remove all admins.
func (h *Handlers) TakeRoles(ctx context.Context, in *rolesWishInput) (*rest.Body[accountapi.EndedSessions], error) {
	if err := h.RequireFreshCode(ctx); err != nil {
		return nil, err
	}
	ended, err := team.TakeRoles(ctx, h.DB, rest.AboutCustomer(ctx, in.ID, in.Body.Reason), in.Body.Roles)
	if err != nil {
		return nil, err
	}
	return &rest.Body[accountapi.EndedSessions]{Body: accountapi.EndedSessions{Ended: ended}}, nil
}

// SignMemberOut answers POST /api/admin/team/{id}/sign-out.
func (h *Handlers) SignMemberOut(ctx context.Context, in *teamReasonInput) (*rest.Body[accountapi.EndedSessions], error) {
	ended, err := team.SignMemberOut(ctx, h.DB, rest.AboutCustomer(ctx, in.ID, in.Body.Reason))
	if err != nil {
		return nil, err
	}
	return &rest.Body[accountapi.EndedSessions]{Body: accountapi.EndedSessions{Ended: ended}}, nil
}
