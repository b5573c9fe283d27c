package reporting

import (
	"context"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/reporting"
)

type listAlertsInput struct {
	rest.Paging
	State string `query:"state" enum:"open,acknowledged,past" default:"open"`
}

// ListAlerts lists what is wrong oldest first, and what was newest first.
func (h *Handlers) ListAlerts(ctx context.Context, in *listAlertsInput) (*rest.Page[StaffAlert], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	state := reporting.AlertState(in.State)
	rows, next, err := reporting.Alerts(ctx, h.DB, state, wanted)
	if err != nil {
		return nil, err
	}
	total, err := reporting.CountAlerts(ctx, h.DB, state)
	if err != nil {
		return nil, err
	}
	roles := rest.RolesOf(rest.PrincipalOf(ctx))
	return &rest.Page[StaffAlert]{Link: rest.LinkTo(ctx, next, in.Limit), Total: total,
		Body: rest.Mapped(rows, func(a *reporting.KnownAlert) StaffAlert { return staffAlert(a, roles) })}, nil
}

type acknowledgeInput struct {
	rest.ObjectID
	Body Acknowledgment
}

// AcknowledgeAlert answers POST /api/admin/alerts/{id}/acknowledge.
func (h *Handlers) AcknowledgeAlert(ctx context.Context, in *acknowledgeInput) (*rest.Body[StaffAlert], error) {
	roles := rest.RolesOf(rest.PrincipalOf(ctx))
	if err := reporting.Acknowledge(ctx, h.DB, in.ID, in.Body.Note, roles, rest.By(ctx, "")); err != nil {
		return nil, err
	}
	a, err := reporting.OneAlert(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	return &rest.Body[StaffAlert]{Body: staffAlert(a, roles)}, nil
}

func staffAlert(a *reporting.KnownAlert, roles []string) StaffAlert {
	view := StaffAlert{PlatformAlert: platformAlert(&a.Alert), State: string(a.State()), Count: a.Count, GoneAt: a.GoneAt,
		ClosedAt: a.ClosedAt, Actions: []string{}}
	if a.State() == reporting.AlertStateOpen && a.For(roles) {
		view.Actions = append(view.Actions, "acknowledge")
	}
	if a.AcknowledgedAt != nil {
		view.AcknowledgedBy, view.Note = rest.Optional(a.ByName), rest.Optional(a.AcknowledgedNote)
	}
	return view
}
