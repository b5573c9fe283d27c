package audit

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/store"
)

// AuditFilter is what narrows the audit log.
type AuditFilter struct {
	Actor  string `query:"actor" json:"actor" maxLength:"254" doc:"who did it: a part of the name or e-mail of staff, a whole e-mail, or an id; system for what nobody did"`
	Action string `query:"action" json:"action" maxLength:"60"`
	Kind   string `query:"kind" json:"kind" maxLength:"60" doc:"of the object"`
	Object string `query:"object" json:"object" maxLength:"100" doc:"the object's id or reference, or an account's e-mail"`
	From   string `query:"from" json:"from" maxLength:"40" doc:"a time, or a day (UTC)"`
	To     string `query:"to" json:"to" maxLength:"40" doc:"a time, which is not in it any more, or a day, which is"`
}

func (f *AuditFilter) model() (*audit.AuditFilter, error) {
	out := &audit.AuditFilter{Actor: f.Actor, Action: f.Action, Kind: f.Kind, Object: f.Object}
	var err error
	out.From, out.To, err = rest.Period(f.From, f.To)
	return out, err
}

type listAuditInput struct {
	rest.Paging
	AuditFilter
}

// ListAudit answers GET /api/admin/audit.
func (h *Handlers) ListAudit(ctx context.Context, in *listAuditInput) (*rest.Uncounted[AuditEntry], error) {
	filter, err := in.model()
	if err != nil {
		return nil, err
	}
	read := func(after *store.NumberCursor) ([]audit.AuditLine, *store.NumberCursor, error) {
		return audit.AuditLog(ctx, h.DB, filter, after, in.Limit)
	}
	return rest.Walked(ctx, in.Paging, read, auditEntry)
}

func auditEntry(a *audit.AuditLine) AuditEntry {
	return AuditEntry{ID: a.ID, At: a.At, ActorID: a.ActorID, ActorName: rest.Optional(a.ActorName()), ActorRole: a.ActorRole, Action: a.Action, ObjectKind: a.ObjectKind, ObjectID: a.ObjectID, ObjectName: rest.Optional(a.ObjectName),
		Changes: changes(a), Reason: a.Reason, RequestID: a.RequestID}
}

// changes are the fields of what was before and after that are not the same, with what a receipt was about.
func changes(a *audit.AuditLine) []AuditChange {
	was, is := fields(a.Before), fields(a.After)
	maps.Copy(is, fields(a.Receipt))
	names := slices.Concat(slices.Collect(maps.Keys(was)), slices.Collect(maps.Keys(is)))
	slices.Sort(names)
	out := []AuditChange{}
	for _, name := range slices.Compact(names) {
		change := AuditChange{Field: name}
		if value, known := was[name]; known {
			change.Before = &value
		}
		if value, known := is[name]; known {
			change.After = &value
		}
		if change.Before == nil || change.After == nil || *change.Before != *change.After {
			out = append(out, change)
		}
	}
	return out
}

// fields flattens a JSON object: a nested value is named by its object and its key.
func fields(object []byte) map[string]string {
	out := map[string]string{}
	var values map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(object)))
	decoder.UseNumber() // an amount stays as it is written
	if decoder.Decode(&values) == nil {
		flatten(out, "", values)
	}
	return out
}

func flatten(out map[string]string, name string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			flatten(out, strings.TrimPrefix(name+"."+key, "."), inner)
		}
	case []any:
		var words []string
		for _, one := range v {
			words = append(words, fmt.Sprint(one))
		}
		out[name] = strings.Join(words, ", ")
	case nil:
	default:
		out[name] = fmt.Sprint(v)
	}
}

// GetAuditSummary answers GET /api/admin/audit/summary.
func (h *Handlers) GetAuditSummary(ctx context.Context, _ *rest.Nothing) (*rest.Body[AuditSummary], error) {
	actions, kinds, err := audit.AuditWords(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	seal, err := audit.LastSeal(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	out := AuditSummary{Actions: slices.Concat([]string{}, actions), Kinds: slices.Concat([]string{}, kinds), SealedTo: seal.ThroughID, Seal: hex.EncodeToString(seal.Hash)}
	if seal.ThroughID > 0 {
		out.SealedAt = &seal.SealedAt
	}
	return &rest.Body[AuditSummary]{Body: out}, nil
}

// ExportAudit answers GET /api/admin/audit/export.
func (h *Handlers) ExportAudit(ctx context.Context, in *AuditFilter) (*huma.StreamResponse, error) {
	filter, err := in.model()
	if err != nil {
		return nil, err
	}
	header := []string{"ID", "At", "Actor", "Role", "Action", "Object", "Object ID", "Before", "After", "Reason", "Request"}
	return h.Export(ctx, "audit", in, header, func(ctx context.Context, write func(cells ...any) error) error {
		return audit.EachAuditLine(ctx, h.DB, filter, func(a *audit.AuditLine) error {
			return write(a.ID, a.At, a.ActorID, a.ActorRole, a.Action, a.ObjectKind, a.ObjectID, string(a.Before), string(a.After), a.Reason, a.RequestID)
		})
	})
}
