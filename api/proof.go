package api

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

	"github.com/tradepost/tradepost/models"
)

// Histories is what Temporal still knows of an order.
type Histories interface {
	// Runs lists every run of every workflow about an order, without histories.
	Runs(ctx context.Context, orderID string) ([]models.History, error)
	// Fetch reads the history of a run into it.
	Fetch(ctx context.Context, run *models.History) error
}

type proofAnswer struct {
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	Body        []byte
}

// getOrderProof is the proof pack of an order: a ZIP of what stands behind it.
// Whoever takes one is written down.
func (s *Server) getOrderProof(ctx context.Context, in *ObjectID) (*proofAnswer, error) {
	detail, err := s.getAdminOrder(ctx, in)
	if err != nil {
		return nil, err
	}
	pack, err := s.proof(ctx, &detail.Body)
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	if err := s.DB.Audit(ctx, models.AuditEntry{ActorID: who.UserID, ActorRole: actorRole(who), Action: "order.proof_taken",
		ObjectKind: "order", ObjectID: in.ID, RequestID: requestID(ctx)}); err != nil {
		return nil, err
	}
	return &proofAnswer{ContentType: "application/zip", Body: pack,
		Disposition: fmt.Sprintf(`attachment; filename="proof-%s.zip"`, detail.Body.Reference)}, nil
}

// proof writes the pack. Names and addresses of people are left out, the
// customer's and the staff's: a pack may go to others, and ids are enough to look
// them up.
func (s *Server) proof(ctx context.Context, order *AdminOrderDetail) ([]byte, error) {
	now, err := s.DB.Now(ctx)
	if err != nil {
		return nil, err
	}
	row, err := s.DB.Order(ctx, order.ID)
	if err != nil {
		return nil, err
	}
	calls, err := s.DB.OrderCalls(ctx, row)
	if err != nil {
		return nil, err
	}
	audit, err := s.DB.OrderAudit(ctx, order.ID)
	if err != nil {
		return nil, err
	}
	runs, complaint, err := s.runs(ctx, order.ID)
	if err != nil {
		return nil, err
	}
	verdict := s.replayed(runs)
	verdict.Temporal = complaint
	order.CustomerEmail, order.CustomerName, order.Country = "", "", ""
	order.Payment.CustomerUsername, order.Payment.CustomerEmail, order.Payment.Country = "", "", ""
	for i := range order.Mails {
		order.Mails[i].To = ""
	}
	for i := range order.Decisions {
		order.Decisions[i].Actor = ""
	}
	for i := range order.Proposals {
		order.Proposals[i].Proposer, order.Proposals[i].Decider = "", ""
	}
	order.Proposal, order.Notes = nil, []OrderNote{} // notes are among ourselves
	files := []proofFile{{"events.json", order.Events}, {"postings.json", proofPostings(order)}, {"calls.json", calls},
		{"decisions.json", order.Decisions}, {"audit.json", audit}, {"replay.json", verdict}, {"order.json", order}}
	return packed(now, proofText(s.Brand, order, verdict, now), files, runs)
}

// runs are the kept runs of an order and those that Temporal knows besides.
// Without Temporal there are only the kept ones, and it is said so.
func (s *Server) runs(ctx context.Context, orderID string) (runs []models.History, complaint string, err error) {
	if runs, err = s.DB.KeptHistories(ctx, orderID); err != nil {
		return nil, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	live, err := s.Histories.Runs(ctx, orderID)
	for i := range live {
		if err != nil || slices.ContainsFunc(runs, func(kept models.History) bool { return kept.RunID == live[i].RunID }) {
			continue
		}
		if err = s.Histories.Fetch(ctx, &live[i]); err == nil {
			runs = append(runs, live[i])
		}
	}
	if err != nil {
		s.Log.WarnContext(ctx, "a proof is made without Temporal", "error", err)
		return runs, "not reached: only the kept histories are here", nil
	}
	return runs, "reached", nil
}

type proofFile struct {
	name    string
	content any
}

// packed makes the ZIP.
func packed(now time.Time, readme string, files []proofFile, runs []models.History) ([]byte, error) {
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
func historyFile(run *models.History) string {
	return path.Join("history", strings.ReplaceAll(run.WorkflowID, "/", "-")+"-"+run.RunID+".json")
}
