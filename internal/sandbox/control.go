package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// control serves the page that controls the simulators, and the same as a JSON API for
// tests.
type control struct {
	world      *World
	simulators []Simulator
}

func (c *control) routes(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", c.page)
	mux.HandleFunc("GET /control/faults", c.listFaults)
	mux.HandleFunc("POST /control/faults", c.armFault)
	mux.HandleFunc("DELETE /control/faults", c.clearFaults)
	mux.HandleFunc("DELETE /control/faults/{id}", c.clearFaults)
	mux.HandleFunc("POST /control/faults/clear", c.clearFaults)
	mux.HandleFunc("GET /control/operations", c.listOperations)
	mux.HandleFunc("GET /control/effects", c.listEffects)
	mux.HandleFunc("GET /control/clock", c.readClock)
	mux.HandleFunc("POST /control/clock", c.advanceClock)
	mux.HandleFunc("GET /control/hooks", c.listHooks)
	mux.HandleFunc("POST /control/hooks/{id}/again", c.sendAgain)
	mux.HandleFunc("GET /control/state", c.state)
}

// Done answers a control action: a program gets JSON, a form goes back to the
// page with the message on it. An error is answered with 400.
func (w *World) Done(rw http.ResponseWriter, r *http.Request, message string, err error) {
	if wantsJSON(r) {
		if err != nil {
			WriteJSON(rw, http.StatusBadRequest, map[string]string{"error": err.Error()})
			return
		}
		WriteJSON(rw, http.StatusOK, map[string]string{"message": message})
		return
	}
	answer := url.Values{"done": {message}}
	if err != nil {
		answer = url.Values{"problem": {err.Error()}}
	}
	http.Redirect(rw, r, "/?"+answer.Encode(), http.StatusSeeOther)
}

// WriteJSON writes v with the status.
func WriteJSON(rw http.ResponseWriter, status int, v any) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	_ = json.NewEncoder(rw).Encode(v)
}

// Param reads a field of a control action sent as JSON (strings and numbers
// alike) or as a form.
func Param(r *http.Request) func(name string) string {
	if r.Header.Get("Content-Type") == "application/json" {
		fields := map[string]any{}
		dec := json.NewDecoder(http.MaxBytesReader(nil, r.Body, 1<<20))
		dec.UseNumber()
		_ = dec.Decode(&fields)
		return func(name string) string {
			switch v := fields[name].(type) {
			case string:
				return v
			case json.Number:
				return v.String()
			}
			return ""
		}
	}
	return r.FormValue
}

func (c *control) listFaults(rw http.ResponseWriter, _ *http.Request) {
	armed, struck := c.world.Faults.List()
	WriteJSON(rw, http.StatusOK, map[string]any{"armed": armed, "holding": c.world.Faults.Holding(), "struck": struck})
}

func (c *control) armFault(rw http.ResponseWriter, r *http.Request) {
	param := Param(r)
	count, _ := strconv.Atoi(param("count"))
	fault := Fault{
		Provider: param("provider"), Operation: param("operation"), Match: param("match"),
		Code: param("code"), Arg: param("arg"), Count: count,
	}
	err := c.reachable(fault)
	if err == nil {
		fault, err = c.world.Faults.Arm(fault)
	}
	if err == nil && wantsJSON(r) {
		WriteJSON(rw, http.StatusCreated, fault)
		return
	}
	c.world.Done(rw, r, "Fault armed.", err)
}

// reachable refuses a fault of an operation that is never called: it would stay armed for
// ever. Webhooks go by the names of events, which are the providers' own.
func (c *control) reachable(fault Fault) error {
	code, _, _ := strings.Cut(fault.Code, ":")
	if slices.Contains(hookCodes, code) || slices.Contains([]string{"", "*", "webhook"}, fault.Operation) {
		return nil
	}
	var known []string
	for _, s := range c.simulators {
		if s.Name() == fault.Provider {
			for _, o := range sorted(s.Operations()) {
				known = append(known, o.Name)
			}
		}
	}
	if known == nil || slices.Contains(known, fault.Operation) {
		return nil
	}
	return fmt.Errorf("%s has no operation %q: it has %s", fault.Provider, fault.Operation, strings.Join(known, ", "))
}

func (c *control) clearFaults(rw http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if id == "" {
		id = Param(r)("id")
	}
	c.world.Done(rw, r, "Faults cleared, held requests released.", c.world.Faults.Clear(id))
}

func (c *control) listEffects(rw http.ResponseWriter, r *http.Request) {
	effects, err := c.world.Effects.List(r.FormValue("subject"))
	if err != nil {
		c.world.Done(rw, r, "", err)
		return
	}
	WriteJSON(rw, http.StatusOK, effects)
}

func (c *control) clockNow() map[string]any {
	return map[string]any{"now": c.world.Clock.Now(), "offset": c.world.Clock.Offset().String()}
}

func (c *control) readClock(rw http.ResponseWriter, _ *http.Request) {
	WriteJSON(rw, http.StatusOK, c.clockNow())
}

func (c *control) advanceClock(rw http.ResponseWriter, r *http.Request) {
	d, err := time.ParseDuration(Param(r)("advance"))
	if err == nil {
		err = c.world.Clock.Advance(d)
	}
	if err == nil && wantsJSON(r) {
		c.readClock(rw, r)
		return
	}
	c.world.Done(rw, r, "The clock moved forward.", err)
}

func (c *control) listHooks(rw http.ResponseWriter, _ *http.Request) {
	hooks, err := c.world.Hooks.List(hookKept)
	if err != nil {
		WriteJSON(rw, http.StatusInternalServerError, map[string]string{"error": err.Error()})
		return
	}
	list := make([]map[string]any, 0, len(hooks))
	for _, d := range hooks {
		list = append(list, map[string]any{
			"id": d.ID, "provider": d.Hook.Provider, "type": d.Hook.Type, "subject": d.Hook.Subject, "url": d.Hook.URL,
			"status": d.Status, "attempts": d.Attempts, "answer": d.Answer, "error": d.Error,
			"createdAt": d.CreatedAt, "nextAt": d.NextAt, "body": string(d.Hook.Body),
		})
	}
	WriteJSON(rw, http.StatusOK, list)
}

func (c *control) sendAgain(rw http.ResponseWriter, r *http.Request) {
	c.world.Done(rw, r, "Webhook queued again.", c.world.Hooks.Again(r.PathValue("id")))
}

// state is every panel as JSON: what the control page shows.
func (c *control) state(rw http.ResponseWriter, _ *http.Request) {
	type table struct {
		Provider string     `json:"provider"`
		Title    string     `json:"title"`
		Columns  []string   `json:"columns"`
		Rows     [][]string `json:"rows"`
	}
	tables := []table{}
	for _, s := range c.simulators {
		for _, p := range s.Control() {
			t := table{Provider: s.Name(), Title: p.Title, Columns: p.Columns, Rows: [][]string{}}
			if p.Rows != nil {
				for _, row := range p.Rows() {
					t.Rows = append(t.Rows, row.Cells)
				}
			}
			tables = append(tables, t)
		}
	}
	WriteJSON(rw, http.StatusOK, map[string]any{"clock": c.clockNow(), "panels": tables})
}
