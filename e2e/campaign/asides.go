package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"slices"
	"time"
)

// Aside is an act of staff beside an order in progress that is undone after a while: it begins After milliseconds after
// the order is first seen in the status At or a later one, and lasts For milliseconds.
type Aside struct {
	At    string `json:"at"`
	What  string `json:"what"`
	After int    `json:"after"`
	For   int    `json:"for"`
}

var (
	asideMoments = weighted{{"pending", 2}, {"payment_approved", 4}, {"fulfilling", 3}, {"filled", 2}, {"sent", 1}}
	asideActs    = weighted{{"freeze", 3}, {"revoke_identity", 3}, {"list_address", 2}, {"pause_rail", 2}, {"pause_asset", 2}, {"pause_fulfilment", 1}, {"pause_signups", 1}}
)

// asideOneIn is the share of orders with one: each stops the customer's other orders, or all customers', as well.
const asideOneIn = 5

func planAside(r *rand.Rand) []Aside {
	if r.IntN(asideOneIn) > 0 {
		return nil
	}
	return []Aside{{At: asideMoments.pick(r), What: asideActs.pick(r), After: r.IntN(2500), For: 2000 + r.IntN(6000)}}
}

// progressOf is how far along the way to its coin a status is.
var progressOf = []string{"pending", "payment_approved", "fulfilling", "filled", "sent"}

// beginAsides starts the order's due asides, beside the order.
func (l *life) beginAsides(ctx context.Context, v *view) {
	due := func(a Aside) bool {
		return slices.Index(progressOf, v.Status) >= slices.Index(progressOf, a.At)
	}
	for _, a := range l.asides {
		if due(a) {
			l.cluster.asides.Go(func() { l.cluster.aside(ctx, a, v.UserID, l) })
		}
	}
	l.asides = slices.DeleteFunc(l.asides, due)
}

// aside executes one act and undoes it. What cannot be undone while parts are down is undone at the end (takeBackAll).
func (t *cluster) aside(ctx context.Context, a Aside, user string, l *life) {
	if pause(ctx, time.Duration(a.After)*time.Millisecond) != nil {
		return
	}
	do, undo := t.asideOf(a.What, user, l)
	if got := do(ctx); !got.done() && !got.unknown() {
		t.count("asides refused " + a.What + " " + got.code)
		return
	}
	t.count("asides " + a.What)
	owed := t.owe(undo)
	if pause(ctx, time.Duration(a.For)*time.Millisecond) == nil {
		t.takeBackSoon(ctx, owed)
	}
}

// step is a call of staff's, or several.
type step func(ctx context.Context) answer

// byTwo executes an act, and its second step where the answer requires a second admin.
func byTwo(first, second step) step {
	return func(ctx context.Context) answer {
		got := first(ctx)
		if got.code == "second_person" {
			got = second(ctx)
		}
		return got
	}
}

// asideOf returns the act and its reversal.
func (t *cluster) asideOf(what, user string, l *life) (do, undo step) {
	why := map[string]string{"reason": "as the campaign has it"}
	staff := func(path string) step {
		return func(ctx context.Context) answer { return l.staff.post(ctx, path, "", why) }
	}
	turn := func(kind, name string, paused bool) step {
		return func(ctx context.Context) answer {
			return l.staff.post(ctx, "/api/admin/switches", "", map[string]any{"kind": kind, "name": name, "paused": paused, "reason": why["reason"]})
		}
	}
	switch what {
	case "freeze":
		return staff("/api/admin/customers/" + user + "/freeze"), staff("/api/admin/customers/" + user + "/unfreeze")
	case "revoke_identity":
		return staff("/api/admin/kyc/" + user + "/revoke"), func(ctx context.Context) answer { return t.verifyAgain(ctx, user, l) }
	case "list_address":
		source := fmt.Sprintf("campaign %d", l.plan.N)
		other := newAddress(generator(uint64(l.plan.N), 7), l.plan.Network)
		return t.listing(l.staff, source, l.plan.Address), byTwo(t.listing(l.staff, source, other), t.listing(l.other, source, other))
	case "pause_rail":
		return turn("rail", l.plan.Method, true), turn("rail", l.plan.Method, false)
	case "pause_asset":
		return turn("asset", l.plan.Asset, true), turn("asset", l.plan.Asset, false)
	case "pause_signups":
		return turn("signups", "", true), turn("signups", "", false)
	}
	return turn("fulfilment", "", true), turn("fulfilment", "", false)
}

// verifyAgain has the documents of a customer whose identity was withdrawn submitted and approved again.
func (t *cluster) verifyAgain(ctx context.Context, user string, l *life) answer {
	asked := l.staff.post(ctx, "/api/admin/kyc/"+user+"/ask", "", map[string]string{"reason": "shown again"})
	if asked.unknown() {
		return asked
	}
	ctx, stop := context.WithTimeout(ctx, 30*time.Second)
	defer stop()
	if persist(ctx, l.customer.passKYC) != nil {
		return answer{}
	}
	return answer{status: http.StatusOK}
}

// listing imports a list of addresses under a name: an earlier one of that name is
// replaced, so that a list of something else takes an address off.
func (t *cluster) listing(who *browser, source, address string) step {
	return func(ctx context.Context) answer {
		seen := "0"
		for _, mode := range []string{"preview", "import"} {
			var form bytes.Buffer
			w := multipart.NewWriter(&form)
			for name, value := range map[string]string{"source": source, "mode": mode, "version": seen, "reason": "as the campaign has it"} {
				_ = w.WriteField(name, value) // a write to a buffer does not fail
			}
			if part, err := w.CreateFormFile("file", "list.csv"); err == nil {
				_, _ = fmt.Fprintln(part, address)
			}
			_ = w.Close()
			got := who.send(ctx, "/api/admin/risk/lists", "", w.FormDataContentType(), form.Bytes())
			var preview struct{ Version int }
			if !got.done() || got.read(&preview) != nil || mode == "import" {
				return got
			}
			seen = fmt.Sprint(preview.Version)
		}
		return answer{}
	}
}

// owe notes what has to be undone, under a number of its own.
func (t *cluster) owe(undo step) (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n = len(t.owed)
	t.owed = append(t.owed, undo)
	return n
}

// asBefore reports whether an answer says that something is as it was before its aside:
// done now, or found so. A call that was refused for another reason has changed nothing.
func (a answer) asBefore() bool {
	return a.done() || slices.Contains([]string{"not_paused", "not_frozen"}, a.code)
}

// takeBack undoes one act, and reports whether it is undone; without an answer, or refused, it stays owed.
func (t *cluster) takeBack(ctx context.Context, n int) bool {
	t.mu.Lock()
	undo := t.owed[n]
	t.mu.Unlock()
	if undo == nil {
		return true
	}
	if got := undo(ctx); !got.asBefore() {
		if !got.unknown() {
			t.count("take-backs refused " + got.code)
		}
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.owed[n] = nil
	t.undos = append(t.undos, undone{time.Now(), undo})
	return true
}

// undone is what was undone at a time.
type undone struct {
	at   time.Time
	undo step
}

// takeBackAll undoes everything that asides left, and waits until it is undone. Switches count as they are found:
// whatever turned one off, all of them are on in the end.
func (t *cluster) takeBackAll(ctx context.Context) error {
	t.asides.Wait()
	ctx, stop := context.WithTimeout(ctx, takeBackTime)
	defer stop()
	return persist(ctx, func(ctx context.Context) error {
		left := 0
		for n := range len(t.owed) {
			if !t.takeBack(ctx, n) {
				left++
			}
		}
		err := t.turnAllOn(ctx)
		if left > 0 {
			err = errors.Join(err, fmt.Errorf("%d asides are not taken back", left))
		}
		return err
	})
}

// takeBackTime is longer than taking everything back takes.
const takeBackTime = 4 * time.Minute

// turnAllOn turns every switch on that is off, and fails until it has found none off.
func (t *cluster) turnAllOn(ctx context.Context) error {
	var found struct {
		Switches []struct {
			Kind, Name, Reason string
			Paused             bool
		}
	}
	if err := t.staff[0].get(ctx, "/api/admin/switches", &found); err != nil {
		return err
	}
	var off error
	for _, s := range found.Switches {
		if !s.Paused {
			continue
		}
		off = errors.Join(off, fmt.Errorf("the switch %s %s is off: %s", s.Kind, s.Name, s.Reason))
		t.count("switches found off " + s.Kind)
		t.staff[0].post(ctx, "/api/admin/switches", "", map[string]any{"kind": s.Kind, "name": s.Name, "paused": false, "reason": "the campaign ends"})
	}
	return off
}

// judgeProposal is what the second member of staff says to what the first proposed:
// it is approved, rejected once, or left open for a while.
func (l *life) judgeProposal(ctx context.Context, v *view) {
	if l.plan.Second == "leave" && l.once("left a proposal open") {
		l.cluster.count("proposals leave")
		l.proposalUntil = time.Now().Add(8 * time.Second)
	}
	if time.Now().Before(l.proposalUntil) && !l.firmly {
		return
	}
	if l.plan.Second == "reject" && l.once("rejected a proposal") {
		l.cluster.count("proposals reject")
		l.press(ctx, l.other, "/api/admin/orders/"+l.id+"/proposal/reject", map[string]string{"proposalId": v.Proposal.ID, "reason": "as the campaign has it"})
		return
	}
	l.cluster.count("proposals approve")
	l.agree(ctx, v.Proposal.ID)
}
