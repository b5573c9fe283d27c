package bitgo

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// endpoint is a call that needs a token. Its operation is what faults name.
type endpoint struct {
	operation string
	run       func(*call) (status int, body any, err error)
}

// call is one authenticated request inside its transaction.
type call struct {
	tx     *sandbox.Tx
	r      *http.Request
	user   user
	fields fields
	now    time.Time
	coin   coin
	wallet wallet
	trick  tricks
}

// tricks are the armed faults that change a send's course.
type tricks struct {
	approval bool
	fate     string
	final    bool
	dies     bool
	lag      time.Duration
	unmined  time.Duration
	refuse   *problem
}

// fields is a JSON body.
type fields map[string]any

// text reads a string or number.
func (f fields) text(name string) string {
	switch v := f[name].(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// whole reads a positive whole number, sent as text or number.
func (f fields) whole(name string, otherwise int64) decimal.Decimal {
	d, err := decimal.NewFromString(f.text(name))
	if err != nil || !d.IsPositive() || !d.IsInteger() {
		return decimal.NewFromInt(otherwise)
	}
	return d
}

// serve makes the handler of an endpoint: token and signature, then under the
// armed faults the rate limit and the call in one transaction. A problem undoes
// what the call did.
func (s *Simulator) serve(e endpoint) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, 1<<20))
		if err != nil {
			s.write(rw, r, user{}, http.StatusRequestEntityTooLarge, errInternal.body(requestID()), "")
			return
		}
		who, refused := s.authenticate(r, body)
		var f fields
		if refused == nil {
			f, refused = parse(body)
		}
		if r.Method == http.MethodGet {
			f = asked(r)
		}
		if refused != nil {
			s.write(rw, r, who, refused.Status, refused.body(requestID()), "")
			return
		}
		write := func(status int, body any, injected string) { s.write(rw, r, who, status, body, injected) }
		s.world.Guard(rw, r, "bitgo", e.operation, subjects(r, f), write, func() (int, any) { return s.perform(e, r, who, f) })
	}
}

// asked are the fields of a lookup: its query, once each.
func asked(r *http.Request) fields {
	f := fields{}
	for name := range r.URL.Query() {
		f[name] = r.FormValue(name)
	}
	return f
}

func parse(body []byte) (fields, *problem) {
	f := fields{}
	if len(bytes.TrimSpace(body)) == 0 {
		return f, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&f); err != nil {
		return nil, invalid("InvalidRequest", "the body is not a JSON object")
	}
	return f, nil
}

func (s *Simulator) perform(e endpoint, r *http.Request, who user, f fields) (int, any) {
	c := &call{r: r, user: who, fields: f, now: s.world.Clock.Now()}
	if !s.spend(who, c.now) {
		return errRate.Status, errRate.body(requestID())
	}
	var known bool
	if ticker := r.PathValue("coin"); ticker != "" {
		if c.coin, known = coins[ticker]; !known || c.coin.Chain.Test != s.test {
			p := invalid("InvalidCoin", fmt.Sprintf("coin or token type %s not supported or not compiled", ticker))
			return p.Status, p.body(requestID())
		}
	}
	c.trick = s.takeTricks(e.operation, subjects(r, f))
	if c.trick.refuse != nil {
		return c.trick.refuse.Status, c.trick.refuse.body(requestID())
	}
	var status int
	var body any
	err := s.world.Store.Update(func(tx *sandbox.Tx) (err error) {
		c.tx = tx
		status, body, err = e.run(c)
		return err
	})
	var p *problem
	switch {
	case errors.As(err, &p):
		return p.Status, p.body(requestID())
	case err != nil:
		s.world.Log.Error("bitgo", "operation", e.operation, "error", err)
		return errInternal.Status, errInternal.body(requestID())
	}
	return status, body
}

// spend counts a request against the user's minute.
func (s *Simulator) spend(who user, now time.Time) bool {
	if who.Unlimited {
		return true
	}
	most := s.currentSettings().Requests
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.spent[who.ID]
	if now.Sub(m.began) >= time.Minute {
		m = minute{began: now}
	}
	m.count++
	s.spent[who.ID] = m
	return m.count <= most
}

// sends reports whether the operation moves coin.
func sends(operation string) bool { return operation == "sendcoins" || operation == "sendmany" }

// takeTricks uses up the faults armed for the request.
func (s *Simulator) takeTricks(operation string, subjects []string) (t tricks) {
	take := func(codes ...string) sandbox.Fault {
		fault, _ := s.world.Faults.TakeCode("bitgo", operation, codes, subjects...)
		return fault
	}
	if fault := take("decline"); fault.Code != "" {
		t.refuse = declined(fault.Arg)
		return t
	}
	if !sends(operation) {
		return t
	}
	if take("insufficient").Code != "" {
		t.refuse = insufficient("")
		return t
	}
	t.approval = take("approval").Code != ""
	fate := take("failed", "replaced", "removed")
	t.fate, t.final, t.dies = fate.Code, fate.Arg == "final", fate.Arg == "failed"
	t.lag = time.Duration(take("lag").Seconds()) * time.Second
	t.unmined = time.Duration(take("unmined").Seconds()) * time.Second
	return t
}

// subjects are what a fault can be aimed at.
func subjects(r *http.Request, f fields) []string {
	list := []string{}
	for _, text := range []string{f.text("sequenceId"), f.text("address"), f.text("amount"), r.PathValue("seqid"), r.PathValue("id"), r.PathValue("wallet"), r.PathValue("coin")} {
		if text != "" {
			list = append(list, text)
		}
	}
	recipients, _ := f["recipients"].([]any)
	for _, entry := range recipients {
		if one, ok := entry.(map[string]any); ok {
			list = append(list, fields(one).text("address"), fields(one).text("amount"))
		}
	}
	return list
}

// write sends a JSON answer, signed if the request was.
func (s *Simulator) write(rw http.ResponseWriter, r *http.Request, who user, status int, body any, injected string) {
	switch injected {
	case "rate_limit":
		body = errRate.body(requestID())
	case "internal":
		body = (&problem{Status: status, Text: http.StatusText(status)}).body(requestID())
	}
	raw, err := json.Marshal(body)
	if err != nil {
		s.world.Log.Error("bitgo answer", "error", err)
		status, raw = http.StatusInternalServerError, []byte(`{"error":"internal server error"}`)
	}
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	who.signAnswer(rw.Header(), r, status, raw)
	rw.WriteHeader(status)
	_, _ = rw.Write(raw)
}

// newID derives 32 hex digits from a name, always the same.
func newID(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:16])
}

func randomHex(bytes int) string {
	raw := make([]byte, bytes)
	_, _ = rand.Read(raw)
	return hex.EncodeToString(raw)
}

func requestID() string { return randomHex(12) }
