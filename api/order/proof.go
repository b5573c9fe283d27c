package order

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/order"
)

// Histories reads what Temporal still holds of an order.
type Histories interface {
	// Runs lists every run of every workflow about an order, without histories.
	Runs(ctx context.Context, orderID string) ([]order.History, error)
	// Fetch reads the history of a run into it.
	Fetch(ctx context.Context, run *order.History) error
}

type proofAnswer struct {
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	Body        []byte
}

// GetOrderProof is the proof pack of an order: a ZIP of its records. Each download is
// recorded with its actor.
func (h *Handlers) GetOrderProof(ctx context.Context, in *rest.ObjectID) (*proofAnswer, error) {
	detail, err := h.GetAdminOrder(ctx, in)
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	parts, leftOut := h.proofParts(who)
	pack, err := h.proof(ctx, &detail.Body, parts, leftOut)
	if err != nil {
		return nil, err
	}
	if err := audit.Audit(ctx, h.DB, audit.AuditEntry{ActorID: who.UserID, ActorRole: rest.ActorRole(who), Action: "order.proof_taken",
		ObjectKind: "order", ObjectID: in.ID, After: map[string]any{"leftOut": names(leftOut)}, RequestID: rest.RequestID(ctx)}); err != nil {
		return nil, err
	}
	return &proofAnswer{ContentType: "application/zip", Body: pack,
		Disposition: fmt.Sprintf(`attachment; filename="proof-%s.zip"`, detail.Body.Reference)}, nil
}

// proofPart is a file of the pack with the permission that it takes, beside reading customers.
type proofPart struct {
	name       string
	permission policy.Permission
	holds      string // for README.txt
}

// proofParts are the files of the pack, in its order.
var proofParts = []proofPart{
	{"order.json", policy.ReadCustomers, "the order as it stands, without the customer's name and address of mail"},
	{"events.json", policy.ReadCustomers, "its story, as it was written down when it happened"},
	{"postings.json", policy.ReadLedger, "how it was booked, what that leaves on each account, and checks of it"},
	{"calls.json", policy.ReadCustomers, "each effect at a provider: the identity we gave it, the provider's\n                  reference, when it was first sent, and what came of it"},
	{"decisions.json", policy.ReadCustomers, "what people decided, and why; who they were, audit.json says by their ids"},
	{"audit.json", policy.ReadAudit, "the audit log's entries about the order"},
}

// proofParts are the parts that the caller may read, and those that are left out of their pack.
func (h *Handlers) proofParts(who *account.Principal) (parts, leftOut []proofPart) {
	roles := rest.RolesOf(who)
	for _, part := range proofParts {
		if h.Policy.Allows(roles, part.permission) {
			parts = append(parts, part)
		} else {
			leftOut = append(leftOut, part)
		}
	}
	return parts, leftOut
}

// names are the files of parts.
func names(parts []proofPart) []string {
	files := []string{}
	for _, part := range parts {
		files = append(files, part.name)
	}
	return files
}

// proof writes the pack. Names and addresses of people are left out, the customer's and the
// staff's: a pack may be passed on, and ids suffice to look them up.
func (h *Handlers) proof(ctx context.Context, o *AdminOrderDetail, parts, leftOut []proofPart) ([]byte, error) {
	now, err := h.DB.Now(ctx)
	if err != nil {
		return nil, err
	}
	row, err := order.ReadOrder(ctx, h.DB, o.ID)
	if err != nil {
		return nil, err
	}
	calls, err := order.OrderCalls(ctx, h.DB, row)
	if err != nil {
		return nil, err
	}
	audit, err := order.OrderAudit(ctx, h.DB, o.ID)
	if err != nil {
		return nil, err
	}
	runs, complaint, err := h.runs(ctx, o.ID)
	if err != nil {
		return nil, err
	}
	verdict := h.replayed(runs)
	verdict.Temporal = complaint
	o.CustomerEmail, o.CustomerName, o.Country = "", "", ""
	o.Payment.CustomerUsername, o.Payment.CustomerEmail, o.Payment.Country = "", "", ""
	for i := range o.Mails {
		o.Mails[i].To = ""
	}
	for i := range o.Decisions {
		o.Decisions[i].Actor = ""
	}
	for i := range o.Proposals {
		o.Proposals[i].Proposer, o.Proposals[i].Decider = "", ""
	}
	o.Proposal, o.Notes = nil, []OrderNote{} // notes are internal
	content := map[string]any{"events.json": o.Events, "postings.json": proofPostings(o), "calls.json": calls,
		"decisions.json": o.Decisions, "audit.json": audit, "order.json": o}
	files := []proofFile{{"replay.json", verdict}}
	for _, part := range parts {
		files = append(files, proofFile{part.name, content[part.name]})
	}
	return packed(now, proofText(h.Brand, o, verdict, now, parts, leftOut), files, runs)
}

// runs are the kept runs of an order and those that only Temporal holds. Without Temporal
// the pack has the kept ones alone, and states so.
func (h *Handlers) runs(ctx context.Context, orderID string) (runs []order.History, complaint string, err error) {
	if runs, err = order.KeptHistories(ctx, h.DB, orderID); err != nil {
		return nil, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	live, err := h.Histories.Runs(ctx, orderID)
	for i := range live {
		if err != nil || slices.ContainsFunc(runs, func(kept order.History) bool { return kept.RunID == live[i].RunID }) {
			continue
		}
		if err = h.Histories.Fetch(ctx, &live[i]); err == nil {
			runs = append(runs, live[i])
		}
	}
	if err != nil {
		h.Log.WarnContext(ctx, "a proof is made without Temporal", "error", err)
		return runs, "not reached: only the kept histories are here", nil
	}
	return runs, "reached", nil
}

type proofFile struct {
	name    string
	content any
}

// packed makes the ZIP.
func packed(now time.Time, readme string, files []proofFile, runs []order.History) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	add := func(name string, content []byte) error {
		entry, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: now.UTC()})
		if err == nil {
			_, err = entry.Write(content)
		}
		return err
	}
	if err := add("README.txt", []byte(readme)); err != nil {
		return nil, err
	}
	for _, f := range files {
		text, err := json.MarshalIndent(f.content, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", f.name, err)
		}
		if err := add(f.name, append(text, '\n')); err != nil {
			return nil, err
		}
	}
	for i := range runs {
		text, err := runs[i].JSON()
		if err != nil {
			return nil, err
		}
		if err := add(historyFile(&runs[i]), text); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// historyFile is where a run's history is in the pack.
func historyFile(run *order.History) string {
	return path.Join("history", strings.ReplaceAll(run.WorkflowID, "/", "-")+"-"+run.RunID+".json")
}
