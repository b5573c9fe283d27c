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

	"github.com/tradepost/tradepost/api/rest"
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
	pack, err := h.proof(ctx, &detail.Body)
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	if err := audit.Audit(ctx, h.DB, audit.AuditEntry{ActorID: who.UserID, ActorRole: rest.ActorRole(who), Action: "order.proof_taken",
		ObjectKind: "order", ObjectID: in.ID, RequestID: rest.RequestID(ctx)}); err != nil {
		return nil, err
	}
	return &proofAnswer{ContentType: "application/zip", Body: pack,
		Disposition: fmt.Sprintf(`attachment; filename="proof-%s.zip"`, detail.Body.Reference)}, nil
}

// proof writes the pack. Names and addresses of people are left out, the customer's and the
// staff's: a pack may be passed on, and ids suffice to look them up.
func (h *Handlers) proof(ctx context.Context, o *AdminOrderDetail) ([]byte, error) {
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
	files := []proofFile{{"events.json", o.Events}, {"postings.json", proofPostings(o)}, {"calls.json", calls},
		{"decisions.json", o.Decisions}, {"audit.json", audit}, {"replay.json", verdict}, {"order.json", o}}
	return packed(now, proofText(h.Brand, o, verdict, now), files, runs)
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
