package rest

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tradepost/tradepost/api/policy"
)

// Table registers routes under the current tag.
type Table struct {
	api   huma.API
	guard *Guard
	Tag   string
}

// NewTable makes a table of routes behind the guard.
func NewTable(api huma.API, guard *Guard) *Table { return &Table{api: api, guard: guard} }

// option changes an operation before it is registered.
type option = func(*huma.Operation)

// Get registers a route for GET.
func Get[I, O any](t *Table, path, id, summary string, p policy.Permission, c rateClass, h func(context.Context, *I) (*O, error), options ...option) {
	add(t, http.MethodGet, path, id, summary, p, c, h, options)
}

// Post registers a route for POST.
func Post[I, O any](t *Table, path, id, summary string, p policy.Permission, c rateClass, h func(context.Context, *I) (*O, error), options ...option) {
	add(t, http.MethodPost, path, id, summary, p, c, h, options)
}

// Patch registers a route for PATCH.
func Patch[I, O any](t *Table, path, id, summary string, p policy.Permission, c rateClass, h func(context.Context, *I) (*O, error), options ...option) {
	add(t, http.MethodPatch, path, id, summary, p, c, h, options)
}

// Created makes a call answer 201.
func Created(op *huma.Operation) { op.DefaultStatus = http.StatusCreated }

// Accepted makes a call answer 202: it is seen to from now on.
func Accepted(op *huma.Operation) { op.DefaultStatus = http.StatusAccepted }

// SignedBytes leaves a body as the bytes that were signed: its sender's shape is
// not ours to check.
func SignedBytes(op *huma.Operation) { op.SkipValidateBody = true }

// Says sets the description, which complements the summary. Permissions, required codes and
// repeats are described by describe.
func Says(text string) option { return func(op *huma.Operation) { op.Description = text } }

// add registers one operation behind the guards it requires. It panics on a route without a
// permission or a summary, so that no installation starts with one.
func add[I, O any](t *Table, method, path, id, summary string, p policy.Permission, c rateClass, h func(context.Context, *I) (*O, error), options []option) {
	if p == "" || summary == "" {
		panic(fmt.Sprintf("route %s %s has no permission or no summary", method, path))
	}
	op := huma.Operation{
		Method: method, Path: path, OperationID: id, Summary: summary, Tags: []string{t.Tag}, MaxBodyBytes: MaxJSONBytes,
		Extensions: map[string]any{"x-permission": string(p)}, Metadata: map[string]any{}, Responses: map[string]*huma.Response{},
		Security:    []map[string][]string{},
		Middlewares: huma.Middlewares{t.guard.Before(p, c)},
	}
	if p != policy.Anyone {
		op.Security = append(op.Security, map[string][]string{"session": {}})
	}
	if method != http.MethodGet && c != Hooks {
		op.Parameters = append(op.Parameters, ownerParameter)
	}
	for _, change := range options {
		change(&op)
	}
	t.guard.follow(&op)
	statuses := statusesOf[O]()
	if op.DefaultStatus == 0 && len(statuses) > 0 {
		op.DefaultStatus = statuses[0]
	}
	r := route{op: &op, permission: p, class: c, body: bodyOf[I](), keyed: keyedBy[I](), decision: len(statuses) > 1 && statuses[1] == http.StatusAccepted}
	r.describe()
	r.refuse()
	huma.Register(t.api, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := h(ctx, in)
		if err != nil {
			return nil, AsProblem(ctx, err)
		}
		return out, nil
	})
	for _, status := range statuses {
		answersToo(op.Responses, op.DefaultStatus, status)
	}
	r.document()
}

// MaxJSONBytes bounds every body but uploads.
const MaxJSONBytes = 64 << 10

// route is what the description and the refusals of an operation follow from.
type route struct {
	op         *huma.Operation
	permission policy.Permission
	class      rateClass
	body       bodyKind
	keyed      bool // accepts an Idempotency-Key
	decision   bool // a workflow executes it
}

// bodyKind is the kind of a call's body.
type bodyKind int

const (
	noBody bodyKind = iota
	jsonBody
	rawBody // a form, or bytes that were signed
)

func bodyOf[I any]() bodyKind {
	input := reflect.TypeFor[I]()
	if _, is := input.FieldByName("RawBody"); is {
		return rawBody
	}
	if _, is := input.FieldByName("Body"); is {
		return jsonBody
	}
	return noBody
}

// keyHeader names an intent: what is sent again with it is done once.
const keyHeader = "Idempotency-Key"

func keyedBy[I any]() bool {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[I]()) {
		if field.Tag.Get("header") == keyHeader {
			return true
		}
	}
	return false
}

// object reports whether the path names one object.
func (r route) object() bool { return strings.Contains(r.op.Path, "{") }

// unsafe reports whether a page of another site must not send it.
func (r route) unsafe() bool { return r.op.Method != http.MethodGet && r.class != Hooks }

// ofStaff reports whether a role beside customer is needed.
func (r route) ofStaff() bool {
	return !slices.Contains([]policy.Permission{policy.Anyone, policy.OwnSession, policy.OwnAccount, policy.OwnOrders}, r.permission)
}

// asks reports whether an option added a header.
func (r route) asks(header string) bool {
	for _, p := range r.op.Parameters {
		if p.Name == header {
			return true
		}
	}
	return false
}

// describe adds to the description what follows from how the route is made.
func (r route) describe() {
	said := []string{r.op.Description, holders(r.permission)}
	if r.decision {
		said = append(said, "200 when it is done, 202 while its workflow still carries it out.")
	}
	if r.keyed {
		said = append(said, "Sent again with the same Idempotency-Key it is done once; with the key of another request it is refused.")
	}
	switch {
	case r.op.Extensions[moneyMark] != nil:
		said = append(said, "Who has two-factor authentication shows a code, unless they did within ten minutes.")
	case r.asks(FreshCodeHeader):
		said = append(said, "Who has two-factor authentication shows a fresh code.")
	}
	r.op.Description = strings.TrimSpace(strings.Join(said, " "))
}

// holders names the roles that hold a permission, by the policy.
func holders(p policy.Permission) string {
	switch p {
	case policy.Anyone:
		return "Open to everybody."
	case policy.OwnSession:
		return "For who is signed in, also before the two-factor code."
	case policy.OwnAccount, policy.OwnOrders:
		return "For who is signed in."
	}
	return "For staff: " + strings.Join(policyRoles()[p], ", ") + "."
}
