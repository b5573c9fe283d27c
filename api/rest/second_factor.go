package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/store"
)

// SecondFactor requires the second factor where a session alone is not enough.
type SecondFactor struct {
	DB    *store.DB
	Vault *secret.Keys // opens the seeds
	// StaffNeedTwoFactor lets staff do nothing before they have set up a second
	// factor.
	StaffNeedTwoFactor bool
	// Local is set in local mode, where staff without a second factor pass.
	Local bool
	// LinkScale multiplies how many links may be mailed to one customer; for load tests.
	LinkScale int
}

// FreshCodeHeader contains a code of the second factor for a call that requires one.
const FreshCodeHeader = "x-two-factor-code"

// NeedsTwoFactor reports whether a user's sessions must show a second factor: they have
// one, or their role demands it here.
func (f *SecondFactor) NeedsTwoFactor(who *account.Principal) bool {
	return who.Enrolled || f.StaffNeedTwoFactor && IsStaff(who)
}

// Owes reports whether the caller has yet to show their second factor.
func (f *SecondFactor) Owes(who *account.Principal) bool {
	return who != nil && !who.Proven && f.NeedsTwoFactor(who)
}

// settled refuses to a caller who owes the second factor all but public calls and those
// that lead to it (rules §7).
func (f *SecondFactor) settled(who *account.Principal, p policy.Permission) error {
	if p == policy.Anyone || p == policy.OwnSession || !f.Owes(who) {
		return nil
	}
	return NewProblem(http.StatusForbidden, "two_factor_required", "Enter a code from your authenticator app first.")
}

// RequireFreshCode is the step-up: a handler calls it before an act that a
// session alone must not be enough for (revealing secrets, paying out, deleting
// an account). It reads the code from the header x-two-factor-code, a six-digit
// code of the authenticator app or a backup code, and uses it up: call it once
// every other check of the input has passed, and before any effect. A customer
// without a second factor passes: where a session alone must not be enough, the
// handler checks ConfirmsByMail. Staff without one pass in local mode only. The
// answers are 403 fresh_code_required without a code,
// 422 invalid_code with a wrong one and 429 two_factor_locked after too many;
// the web app's step-up dialog understands all three. Register the route with
// the option AsksFreshCode, which documents the header.
func (f *SecondFactor) RequireFreshCode(ctx context.Context) error {
	who := PrincipalOf(ctx)
	switch {
	case !who.Enrolled && IsStaff(who) && !f.Local:
		return NewProblem(http.StatusForbidden, "fresh_code_required", "Set up two-factor authentication first.")
	case !who.Enrolled:
		return nil
	}
	code := HeaderOf(ctx, FreshCodeHeader)
	if code == "" {
		return NewProblem(http.StatusForbidden, "fresh_code_required", "Enter a code from your authenticator app.")
	}
	return account.FreshCode(ctx, f.DB, f.Vault, who, ProofOf(code))
}

// ConfirmsByMail reports whether the caller confirms by a mailed link what another customer confirms with a fresh code:
// they have no second factor. Staff are never asked by mail.
func (f *SecondFactor) ConfirmsByMail(ctx context.Context) bool {
	who := PrincipalOf(ctx)
	return !who.Enrolled && !IsStaff(who)
}

// linksPerUser is how many links may be mailed to one customer, whatever they confirm.
var linksPerUser = store.RateLimit{Burst: 5, Every: 12 * time.Minute}

// AllowLink refuses to mail one more link to a customer for now. In a transaction, one that fails counts no mail.
func (f *SecondFactor) AllowLink(ctx context.Context, db *store.DB, userID string) error {
	limit := linksPerUser
	limit.Burst *= max(f.LinkScale, 1)
	limit.Every /= time.Duration(max(f.LinkScale, 1))
	return Limited(db.Allow(ctx, "mailed_link:"+userID, limit))
}

// MovesMoney marks a call of staff that moves money or coin, or releases either: a caller
// with a second factor has shown it within account.CodeCounts, or shows it now. add
// enforces it on every marked call.
func MovesMoney(op *huma.Operation) {
	AsksFreshCode(op)
	op.Extensions[moneyMark] = true
}

const moneyMark = "x-moves-money"

// recentCode runs before every call that moves money, after the guard and before any of the
// call is read.
func (f *SecondFactor) recentCode(ctx huma.Context, next func(huma.Context)) {
	if err := f.requireRecentCode(ctx.Context()); err != nil {
		c := humagin.Unwrap(ctx)
		WriteProblem(c.Writer, c.Request, AsProblem(ctx.Context(), err))
		return
	}
	next(ctx)
}

// requireRecentCode returns 403 recent_code_required to a caller who has to show the factor
// again; the web app then prompts for a code, and repeats the call with it.
func (f *SecondFactor) requireRecentCode(ctx context.Context) error {
	who := PrincipalOf(ctx)
	code := HeaderOf(ctx, FreshCodeHeader)
	switch {
	case !who.Enrolled || code == "" && who.ShownLately:
		return nil
	case code == "":
		return NewProblem(http.StatusForbidden, "recent_code_required", "Enter a code from your authenticator app. It is valid for ten minutes.")
	}
	return account.FreshCode(ctx, f.DB, f.Vault, who, ProofOf(code))
}

// AsksFreshCode documents that a call requires a fresh code from a caller with a second
// factor; its handler calls RequireFreshCode.
func AsksFreshCode(op *huma.Operation) {
	op.Parameters = append(op.Parameters, &huma.Param{Name: FreshCodeHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString},
		Description: "a code of the authenticator app, or a backup code: for who has a second factor"})
}

// ProofOf distinguishes a backup code from a code of the app by its form.
func ProofOf(code string) account.Proof {
	if len(typed.Code(code)) > len("000000") {
		return account.Proof{BackupCode: code}
	}
	return account.Proof{Token: code}
}
