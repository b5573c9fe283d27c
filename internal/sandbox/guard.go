package sandbox

import (
	"net/http"
	"slices"
	"time"
)

// Guard performs one operation under the faults that are alike for every provider. do makes
// the effect and returns the answer; reply writes an answer in the provider's form, or an
// error when err is not empty (the fault's argument or "rate_limit" for 429, "internal" for
// an injected 5xx). Subjects are what a fault's Match is searched in.
//
// A dropped connection is closed without a byte of answer. A request held
// before its effect is forgotten when its client goes away.
func (w *World) Guard(rw http.ResponseWriter, r *http.Request, provider, operation string, subjects []string, reply func(status int, body any, err string), do func() (status int, body any)) {
	fault, armed := w.Faults.take(provider, []string{operation}, subjects, func(code string) bool { return slices.Contains(guardCodes, code) })
	if !armed {
		status, body := do()
		reply(status, body, "")
		return
	}
	w.Log.Info("fault strikes", "provider", provider, "operation", operation, "code", fault.Code, "arg", fault.Arg)
	if !w.before(fault, rw, r, reply) {
		return
	}
	status, body := do()
	w.after(fault, rw, r, reply, status, body)
}

// before applies the faults ahead of the effect and reports whether to continue.
func (w *World) before(fault Fault, rw http.ResponseWriter, r *http.Request, reply func(int, any, string)) bool {
	switch fault.Code {
	case "drop_before":
		drop(rw)
		return false
	case "429":
		reason := fault.Arg
		if reason == "" {
			reason = "rate_limit"
		}
		reply(http.StatusTooManyRequests, nil, reason)
		return false
	case "http":
		if status, after := fault.HTTPFault(); !after {
			reply(status, nil, "internal")
			return false
		}
	case "hold_before":
		return w.hold(fault, r)
	}
	return true
}

// after applies the faults between the effect and its answer.
func (w *World) after(fault Fault, rw http.ResponseWriter, r *http.Request, reply func(int, any, string), status int, body any) {
	switch fault.Code {
	case "drop_after":
		drop(rw)
		return
	case "http":
		injected, _ := fault.HTTPFault()
		reply(injected, nil, "internal")
		return
	case "hold_after":
		if !w.hold(fault, r) {
			return
		}
	case "slow":
		select {
		case <-time.After(time.Duration(fault.Seconds()) * time.Second):
		case <-r.Context().Done():
			return
		}
	}
	reply(status, body, "")
}

// hold waits until the fault is cleared; false when the client disconnected first.
func (w *World) hold(fault Fault, r *http.Request) bool {
	w.Faults.Wait(r.Context(), fault)
	return r.Context().Err() == nil
}

// drop closes the connection without an answer.
func drop(rw http.ResponseWriter) {
	conn, _, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	_ = conn.Close()
}
