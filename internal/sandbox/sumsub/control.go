package sumsub

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// shownRows is how many applicants the panel lists.
const shownRows = 25

// controlDecide brings a customer's review to an outcome: user is our id or the
// applicant's, outcome one of choices.
func (s *Simulator) controlDecide(rw http.ResponseWriter, r *http.Request) {
	param := sandbox.Param(r)
	err := s.update(func(c *change) error {
		doc, err := find(c.tx, "", param("user"))
		if err == nil && doc == nil {
			doc, err = find(c.tx, param("user"), "")
		}
		if err != nil {
			return err
		}
		if doc == nil {
			return fmt.Errorf("no applicant %q: the customer has not opened the widget yet", param("user"))
		}
		return c.decide(doc, param("outcome"))
	})
	s.world.Done(rw, r, "The review is decided.", err)
}

// controlDigest chooses the algorithm that webhooks are signed with.
func (s *Simulator) controlDigest(rw http.ResponseWriter, r *http.Request) {
	name := sandbox.Param(r)("algorithm")
	err := s.update(func(c *change) error {
		if digests[name] == nil {
			return fmt.Errorf("no algorithm %q", name)
		}
		return c.tx.Put(settings, "digest", name)
	})
	s.world.Done(rw, r, "Webhooks are signed with "+name+".", err)
}

// Control shows the applicants and what can be decided about them.
func (s *Simulator) Control() []sandbox.Panel {
	return []sandbox.Panel{{
		Title: "Applicants", Note: "The latest 25. A new decision replaces an earlier one, as at Sumsub.",
		Columns: []string{"Created", "Customer", "Level", "Status", "Result", "Country"}, Rows: s.rows,
		Actions: []sandbox.Action{{Label: "Sign webhooks", Path: "/control/sumsub/digest", Fields: []sandbox.Field{
			{Name: "algorithm", Label: "Algorithm", Value: firstDigest, Options: slices.Sorted(maps.Keys(digests))},
		}}},
	}}
}

func (s *Simulator) rows() []sandbox.Row {
	rows := []sandbox.Row{}
	err := s.world.Store.View(func(tx *sandbox.Tx) error {
		return tx.EachReverse(byAge, func(_ string, raw []byte) error {
			var id string
			if err := json.Unmarshal(raw, &id); err != nil {
				return err
			}
			doc, err := find(tx, id, "")
			if err != nil || doc == nil {
				return err
			}
			if rows = append(rows, doc.row()); len(rows) == shownRows {
				return io.EOF
			}
			return nil
		})
	})
	if !errors.Is(err, io.EOF) {
		s.complain("panel", err)
	}
	return rows
}

// choices are the outcomes as the panel offers them.
var choices = []string{"approve", "retry", "reject", "hold", "ask", "wait", "precheck", "queue", "service", "reset", "level",
	"deactivate", "activate", "delete", "forget", "info", "tag", "workflow", "action-pending", "action-reviewed", "action-hold"}

func (doc *record) row() sandbox.Row {
	verdict := ""
	if doc.Review.Result != nil {
		verdict = strings.TrimSpace(doc.Review.Result.Answer + " " + doc.Review.Result.RejectType)
	}
	country, _ := doc.FixedInfo["country"].(string)
	status := doc.Review.Status
	if doc.Deleted {
		status += " (deactivated)"
	}
	row := sandbox.Row{Cells: []string{doc.CreatedAt, doc.ExternalUserID, doc.Review.LevelName, status, verdict, country}}
	row.Actions = []sandbox.Action{{Label: "Decide", Path: "/control/sumsub/decide", Fields: []sandbox.Field{
		{Name: "user", Value: doc.ExternalUserID}, {Name: "outcome", Label: "Outcome", Value: "approve", Options: choices},
	}}}
	return row
}
