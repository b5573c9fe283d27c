package rest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"github.com/tradepost/tradepost/api/policy"
)

// Refusal is a status that every route of a kind may be refused with.
type Refusal struct {
	Status int
	// codes are those of the guards; open means that a handler has codes of its own.
	codes func(r route) []string
	Open  bool
	of    func(r route) bool
}

// Refusals alone defines which statuses an operation declares. They are compared with the
// statuses that the API's tests observe in both directions (witness_test.go).
var Refusals = []Refusal{
	{Status: http.StatusBadRequest, codes: badRequestCodes, Open: true, of: func(route) bool { return true }},
	{Status: http.StatusUnauthorized, codes: unauthorizedCodes, of: func(r route) bool { return len(unauthorizedCodes(r)) > 0 }},
	{Status: http.StatusForbidden, codes: forbiddenCodes, Open: true, of: func(r route) bool { return len(forbiddenCodes(r)) > 0 }},
	{Status: http.StatusNotFound, codes: always("not_found"), Open: true, of: func(r route) bool { return r.object() || r.op.Metadata[findsMark] != nil }},
	{Status: http.StatusRequestTimeout, codes: always("request_timeout"), of: func(r route) bool { return r.body == jsonBody }},
	{Status: http.StatusConflict, Open: true, codes: always(), of: route.conflicts},
	{Status: http.StatusRequestEntityTooLarge, codes: always("too_large"), of: func(r route) bool { return r.body != noBody }},
	{Status: http.StatusUnsupportedMediaType, codes: always("unsupported_media_type"), of: func(r route) bool { return r.body == jsonBody }},
	{Status: http.StatusUnprocessableEntity, codes: invalidCodes, Open: true, of: func(route) bool { return true }},
	{Status: http.StatusTooManyRequests, codes: tooManyCodes, Open: true, of: func(r route) bool { return r.class != Unlimited }},
	{Status: http.StatusInternalServerError, codes: always("internal"), of: func(route) bool { return true }},
	{Status: http.StatusServiceUnavailable, codes: always("unavailable"), Open: true, of: func(r route) bool { return r.class != Unlimited }},
}

func always(codes ...string) func(route) []string { return func(route) []string { return codes } }

func badRequestCodes(r route) []string {
	if r.body == noBody {
		return []string{"repeated_parameter"}
	}
	return []string{"bad_request", "repeated_parameter"}
}

func unauthorizedCodes(r route) []string {
	switch {
	case r.permission != policy.Anyone:
		return []string{"unauthorized"}
	case r.op.Metadata[verifiedMark] != nil:
		return []string{"bad_signature"}
	}
	return nil
}

// forbiddenCodes are those of Guard.checked, in its order, and of the second factor.
func forbiddenCodes(r route) (codes []string) {
	if r.unsafe() {
		codes = append(codes, "cross_origin")
	}
	if r.ofStaff() {
		codes = append(codes, "forbidden")
	}
	if r.permission != policy.Anyone && r.permission != policy.OwnSession {
		codes = append(codes, "two_factor_required")
	}
	if r.unsafe() {
		codes = append(codes, "other_person")
	}
	if r.op.Metadata[consentMark] != nil {
		codes = append(codes, "consent_required")
	}
	if r.op.Extensions[tokenMark] != nil {
		codes = append(codes, "csrf_token")
	}
	switch {
	case r.op.Extensions[moneyMark] != nil:
		codes = append(codes, "recent_code_required")
	case r.asks(FreshCodeHeader):
		codes = append(codes, "fresh_code_required")
	}
	return codes
}

func invalidCodes(r route) []string {
	codes := []string{"invalid"}
	if r.asks(FreshCodeHeader) {
		codes = append(codes, "invalid_code")
	}
	if r.keyed {
		codes = append(codes, "key_reused")
	}
	return codes
}

func tooManyCodes(r route) []string {
	codes := []string{"rate_limited"}
	if r.asks(FreshCodeHeader) || r.class == Proving {
		codes = append(codes, "two_factor_locked")
	}
	return codes
}

// conflicts reports whether a call can be refused because of the current state: one that
// changes something can, unless it declares otherwise.
func (r route) conflicts() bool {
	if r.op.Metadata[statelessMark] != nil {
		return false
	}
	return r.op.Metadata[stateMark] != nil || r.unsafe() && r.class != Quoting && r.class != Signing
}

// What a route declares of itself where its shape does not show it.
const (
	findsMark     = "finds"
	stateMark     = "state"
	statelessMark = "stateless"
	verifiedMark  = "verified"
	consentMark   = "consent"
)

// Finds marks a call that looks an object up by its body or query.
func Finds(op *huma.Operation) { op.Metadata[findsMark] = true }

// NeedsConsent marks a call that begins something, which takes the caller's consent to the
// legal texts in force. What is under way asks for none.
func NeedsConsent(op *huma.Operation) { op.Metadata[consentMark] = true }

// follow adds what runs after Before, as the operation's marks say.
func (g *Guard) follow(op *huma.Operation) {
	if op.Extensions[moneyMark] != nil {
		op.Middlewares = append(op.Middlewares, g.recentCode)
	}
	if op.Metadata[consentMark] != nil {
		op.Middlewares = append(op.Middlewares, g.consented)
	}
}

// consented runs before every call that NeedsConsent marks.
func (g *Guard) consented(ctx huma.Context, next func(huma.Context)) {
	if err := g.Consented(ctx.Context()); err != nil {
		c := humagin.Unwrap(ctx)
		WriteProblem(c.Writer, c.Request, AsProblem(ctx.Context(), err))
		return
	}
	next(ctx)
}

// OfState marks a read that an object's state can rule out.
func OfState(op *huma.Operation) { op.Metadata[stateMark] = true }

// Stateless marks a change that no state is against.
func Stateless(op *huma.Operation) { op.Metadata[statelessMark] = true }

// BySignature marks a call whose sender proves itself by a signature.
func BySignature(op *huma.Operation) { op.Metadata[verifiedMark] = true }

// refuse declares the refusals of a route.
func (r route) refuse() {
	for _, one := range Refusals {
		if one.of(r) {
			r.op.Errors = append(r.op.Errors, one.Status)
		}
	}
}

// document describes a refusal's codes, its Retry-After, and where an HTML page may replace
// it.
func (r route) document() {
	if away := r.op.Responses[strconv.Itoa(http.StatusSeeOther)]; away != nil {
		away.Content = nil
	}
	for _, one := range Refusals {
		answer := r.op.Responses[strconv.Itoa(one.Status)]
		if answer == nil || !one.of(r) {
			continue
		}
		if codes := one.codes(r); len(codes) > 0 {
			answer.Description += ": " + strings.Join(codes, ", ")
			answer.Extensions = map[string]any{"x-codes": codes}
		}
		if one.Open {
			answer.Description += "; or a code of this call's own"
		}
		if pages, _ := r.op.Metadata[pagesMark].([]int); slices.Contains(pages, one.Status) {
			answer.Content["text/html"] = &huma.MediaType{Schema: htmlPage()}
		}
		if one.Status == http.StatusTooManyRequests || one.Status == http.StatusServiceUnavailable {
			answer.Headers = map[string]*huma.Param{"Retry-After": {Schema: &huma.Schema{Type: huma.TypeInteger}, Description: "seconds"}}
		}
	}
}

// policyRoles are the roles of staff that hold each permission.
var policyRoles = sync.OnceValue(func() map[policy.Permission][]string {
	loaded, err := policy.Load()
	if err != nil {
		panic(err) // embedded, and read at every start
	}
	roles := map[policy.Permission][]string{}
	for _, role := range []string{"support", "compliance", "finance", "admin"} {
		for _, p := range policy.All {
			if loaded.May[role][p] && !slices.Contains(roles[p], role) {
				roles[p] = append(roles[p], role)
			}
		}
	}
	return roles
})
