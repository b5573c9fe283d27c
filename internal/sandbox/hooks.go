package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Hook is a webhook to deliver: what is sent, where, and the change it reports.
type Hook struct {
	URL      string      `json:"url"`
	Header   http.Header `json:"header"`
	Body     []byte      `json:"body"`
	Provider string      `json:"provider"`
	Type     string      `json:"type"`
	Subject  string      `json:"subject"` // the order's or customer's id, for faults and the control page
	// Signer names the signer, as given to SignWith; empty: the provider's own.
	Signer string `json:"signer,omitempty"`
	// Status is the answer that counts as received; zero is any 2xx.
	Status int `json:"status,omitempty"`
}

// received reports whether an answer counts.
func (h Hook) received(answer int) bool {
	if h.Status != 0 {
		return answer == h.Status
	}
	return answer >= 200 && answer < 300
}

// Delivery is a Hook with its fate.
type Delivery struct {
	ID   string `json:"id"`
	Hook Hook   `json:"hook"`
	// Status is queued, delivered, lost (by a fault) or gave_up.
	Status    string    `json:"status"`
	Attempts  int       `json:"attempts"`
	CreatedAt time.Time `json:"createdAt"`
	NextAt    time.Time `json:"nextAt"`
	Answer    int       `json:"answer"` // HTTP status of the last attempt, 0 without one
	Error     string    `json:"error"`
	BadSig    bool      `json:"badSig"`
}

// Signer makes the headers that authenticate a body sent at a time.
type Signer func(body []byte, now time.Time) http.Header

const (
	hookQueue    = "hooks_queue"
	hookDone     = "hooks_done"
	hookKept     = 5000            // finished deliveries kept for the control page
	hookTries    = 40              // then a delivery is given up
	hookMaxGap   = 5 * time.Minute // between two attempts
	hookTimeout  = 5 * time.Second
	hookParallel = 8
	lateBy       = 10 * time.Second
	reorderBy    = 2 * time.Second
)

// Hooks queues webhooks and delivers them at least once, in no promised order,
// again after growing gaps until a 2xx answer.
type Hooks struct {
	store  *Store
	clock  *Clock
	faults *Faults
	client *http.Client
	signal chan struct{}

	mu       sync.Mutex
	signers  map[string]Signer
	inFlight map[string]bool
	slots    chan struct{}
}

func newHooks(store *Store, clock *Clock, faults *Faults) *Hooks {
	h := &Hooks{
		store: store, clock: clock, faults: faults,
		client:   &http.Client{Timeout: hookTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		signal:   make(chan struct{}, 1),
		signers:  map[string]Signer{},
		inFlight: map[string]bool{},
		slots:    make(chan struct{}, hookParallel),
	}
	clock.OnAdvance(h.nudge)
	return h
}

// SignWith names the signer used for every attempt of the provider's webhooks, or
// of those whose Signer is that name.
// A simulator calls it from Routes, so that webhooks queued before a restart
// can be signed after it.
func (h *Hooks) SignWith(provider string, sign Signer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.signers[provider] = sign
}

// Send queues the webhook in the transaction of the change it reports. A nil sign leaves
// the provider's signer as it is.
func (h *Hooks) Send(tx *Tx, hook Hook, sign Signer) error {
	if sign != nil {
		h.SignWith(hook.Provider, sign)
	}
	n, err := tx.NextID(hookQueue)
	if err != nil {
		return err
	}
	now := h.clock.Now()
	d := Delivery{ID: fmt.Sprintf("%012d", n), Hook: hook, Status: "queued", CreatedAt: now, NextAt: now}
	copies := 1
	if fault, armed := h.faults.take(hook.Provider, []string{"webhook", hook.Type}, []string{hook.Subject, string(hook.Body)}, func(code string) bool { return slices.Contains(hookCodes, code) }); armed {
		switch fault.Code {
		case "lost_hook":
			d.Status = "lost"
			return tx.Put(hookDone, d.ID, d)
		case "late_hook":
			d.NextAt = now.Add(delay(fault, lateBy))
		case "reorder_hook":
			d.NextAt = now.Add(delay(fault, reorderBy))
		case "bad_sig_hook":
			d.BadSig = true
		case "dup_hook":
			copies = max(2, fault.Seconds())
		}
	}
	tx.OnCommit(h.nudge)
	for i := range copies {
		again := d
		if i > 0 {
			again.ID = fmt.Sprintf("%s-%02d", d.ID, i)
		}
		if err := tx.Put(hookQueue, again.ID, again); err != nil {
			return err
		}
	}
	return nil
}

// delay is the fault's argument in seconds, or the usual one.
func delay(fault Fault, usual time.Duration) time.Duration {
	if n := fault.Seconds(); n > 0 {
		return time.Duration(n) * time.Second
	}
	return usual
}

// Again queues a finished delivery once more, as a provider's resend button does.
func (h *Hooks) Again(id string) error {
	return h.store.Update(func(tx *Tx) error {
		var d Delivery
		found, err := tx.Get(hookDone, id, &d)
		if err != nil || !found {
			return fmt.Errorf("no finished webhook %q", id)
		}
		d.Status, d.NextAt, d.BadSig = "queued", h.clock.Now(), false
		tx.OnCommit(h.nudge)
		if err := tx.Delete(hookDone, id); err != nil {
			return err
		}
		return tx.Put(hookQueue, id, d)
	})
}

// List answers the newest deliveries, queued ones first.
func (h *Hooks) List(limit int) ([]Delivery, error) {
	list := []Delivery{}
	err := h.store.View(func(tx *Tx) error {
		for _, bucket := range []string{hookQueue, hookDone} {
			err := tx.EachReverse(bucket, func(_ string, raw []byte) error {
				var d Delivery
				if len(list) >= limit {
					return nil
				}
				if err := json.Unmarshal(raw, &d); err != nil {
					return err
				}
				list = append(list, d)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return list, err
}

func (h *Hooks) nudge() {
	select {
	case h.signal <- struct{}{}:
	default:
	}
}

// run delivers what is due until the context ends, then waits for what is
// under way.
func (h *Hooks) run(ctx context.Context) {
	var under sync.WaitGroup
	defer under.Wait()
	for {
		due, next := h.due()
		for _, d := range due {
			select {
			case h.slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			under.Go(func() { h.attempt(context.WithoutCancel(ctx), d); <-h.slots; h.nudge() })
		}
		timer := time.NewTimer(next)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-h.signal:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// due marks what must be sent now as under way, and returns how long to wait for the rest.
func (h *Hooks) due() (due []Delivery, next time.Duration) {
	next = time.Minute
	now := h.clock.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	_ = h.store.View(func(tx *Tx) error {
		return tx.Each(hookQueue, "", func(id string, raw []byte) error {
			if h.inFlight[id] {
				return nil
			}
			if len(due) == hookParallel { // the rest may be due as well: it is checked once these are sent
				next = 0
				return io.EOF
			}
			var d Delivery
			if err := json.Unmarshal(raw, &d); err != nil {
				return err
			}
			if wait := d.NextAt.Sub(now); wait > 0 {
				next = min(next, wait)
				return nil
			}
			h.inFlight[id] = true
			due = append(due, d)
			return nil
		})
	})
	return due, next
}

// attempt sends one delivery and records its answer.
func (h *Hooks) attempt(ctx context.Context, d Delivery) {
	d.Attempts++
	d.Answer, d.Error = h.post(ctx, d)
	now := h.clock.Now()
	finished := true
	switch {
	case d.Hook.received(d.Answer):
		d.Status = "delivered"
	case d.Attempts >= hookTries || d.BadSig:
		// A forged signature is one attempt: a retry would be refused alike.
		d.Status = "gave_up"
	default:
		d.NextAt = now.Add(gap(d.Attempts))
		finished = false
	}
	err := h.store.Update(func(tx *Tx) error {
		if !finished {
			return tx.Put(hookQueue, d.ID, d)
		}
		if err := tx.Delete(hookQueue, d.ID); err != nil {
			return err
		}
		if err := tx.Put(hookDone, d.ID, d); err != nil {
			return err
		}
		return trim(tx)
	})
	h.mu.Lock()
	if err == nil {
		delete(h.inFlight, d.ID)
	}
	h.mu.Unlock()
}

// gap doubles from half a second to hookMaxGap.
func gap(attempts int) time.Duration {
	return min(hookMaxGap, 500*time.Millisecond<<min(attempts-1, 16))
}

// trim forgets the oldest finished delivery when there are too many.
func trim(tx *Tx) error {
	var kept int
	if _, err := tx.Get("hooks", "kept", &kept); err != nil {
		return err
	}
	if kept++; kept > hookKept {
		oldest := ""
		err := tx.Each(hookDone, "", func(key string, _ []byte) error {
			oldest = key
			return io.EOF
		})
		if err != nil && oldest == "" {
			return err
		}
		if err := tx.Delete(hookDone, oldest); err != nil {
			return err
		}
		kept--
	}
	return tx.Put("hooks", "kept", kept)
}

func (h *Hooks) post(ctx context.Context, d Delivery) (answer int, problem string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.Hook.URL, bytes.NewReader(d.Hook.Body))
	if err != nil {
		return 0, err.Error()
	}
	req.Header.Set("Content-Type", "application/json")
	maps.Copy(req.Header, d.Hook.Header)
	h.mu.Lock()
	sign := h.signers[cmp.Or(d.Hook.Signer, d.Hook.Provider)]
	h.mu.Unlock()
	if sign != nil {
		body := d.Hook.Body
		if d.BadSig {
			body = append(slices.Clone(body), ' ')
		}
		maps.Copy(req.Header, sign(body, h.clock.Now()))
	}
	res, err := h.client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<16))
	if res.StatusCode >= 300 {
		return res.StatusCode, res.Status
	}
	return res.StatusCode, ""
}
