package rest

import (
	"context"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/store"
)

// AboutCustomer is an action of the signed-in person about a customer.
func AboutCustomer(ctx context.Context, id, reason string) account.StaffAction {
	who := PrincipalOf(ctx)
	return account.StaffAction{CustomerID: id, ActorID: who.UserID, ActorRole: ActorRole(who), Reason: reason, RequestID: RequestID(ctx)}
}

// By is the actor of a call, for records.
func By(ctx context.Context, reason string) store.Actor {
	who := PrincipalOf(ctx)
	return store.Actor{ActorID: who.UserID, ActorRole: ActorRole(who), RequestID: RequestID(ctx), Reason: strings.TrimSpace(reason)}
}

// Approver is the actor of an approval, with the version that they were shown.
func Approver(ctx context.Context, reason, seen string) store.Actor {
	who := By(ctx, reason)
	who.Seen = seen
	return who
}

// ApprovedVersion is the body of an approval that needs nothing else.
type ApprovedVersion struct {
	Version string `json:"version,omitempty" maxLength:"24000" doc:"of GET /api/admin/approvals: another version is refused, 409; of a payout it is required once another person has approved"`
}

// ApprovalInput is an approval of one object that needs nothing but the version that was shown.
type ApprovalInput struct {
	ObjectID
	Body *ApprovedVersion
}

// Version is the version that was shown; empty where the caller names none.
func (in *ApprovalInput) Version() string {
	if in.Body == nil {
		return ""
	}
	return in.Body.Version
}

// Viewer is the signed-in person, for the audit log.
func Viewer(ctx context.Context) store.Actor {
	who := PrincipalOf(ctx)
	return store.Actor{ActorID: who.UserID, ActorRole: ActorRole(who), RequestID: RequestID(ctx)}
}

// ActorRole is an actor's strongest role, for the audit log.
func ActorRole(who *account.Principal) string {
	for _, role := range []string{"admin", "finance", "compliance", "support"} {
		if slices.Contains(who.Roles, role) {
			return role
		}
	}
	return policy.Customer
}
