package stripe

import (
	"errors"
	"net/http"
	"strings"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// failedChallenge is Stripe's error when 3-D Secure is not passed.
const failedChallenge = "We are unable to authenticate your payment method. Please choose a different payment method and try again."

// showChallenge shows the bank's 3-D Secure step, of a checkout page or of a
// PaymentIntent confirmed over the API.
func (s *Simulator) showChallenge(rw http.ResponseWriter, r *http.Request) {
	v, err := s.challenged(r.PathValue("id"))
	if err != nil || v.Intent == nil || v.Intent.Status != "requires_action" {
		if v.Session != nil {
			http.Redirect(rw, r, "/pay/"+v.Session.ID, http.StatusSeeOther)
			return
		}
		s.render(rw, http.StatusNotFound, "gone.html", view{Problem: "There is no payment to authenticate here."})
		return
	}
	s.render(rw, http.StatusOK, "challenge.html", v)
}

func (s *Simulator) challenged(id string) (view, error) {
	if strings.HasPrefix(id, "cs_") {
		return s.view(id)
	}
	v := view{}
	err := s.world.Store.View(func(tx *sandbox.Tx) error {
		pi, err := load[intentDoc](tx, intents, "id", id)
		if err == nil {
			v.Intent, v.Total, v.Result = pi, money(pi.Amount, pi.Currency), returnOf(pi)
		}
		return err
	})
	return v, err
}

// answerChallenge completes or fails the step.
func (s *Simulator) answerChallenge(rw http.ResponseWriter, r *http.Request) {
	id, passed := r.PathValue("id"), r.FormValue("result") == "complete"
	if strings.HasPrefix(id, "cs_") {
		next, err := s.pay(id, func(c *change, cs *sessionDoc) error {
			if cs.PaymentIntent == nil {
				return nil
			}
			return c.answer(*cs.PaymentIntent, passed, func(_ *intentDoc, method *methodDoc) error { return c.submit(cs, method, true) })
		})
		s.follow(rw, r, next, err)
		return
	}
	next := "/pay/" + id + "/authenticate"
	err := s.world.Store.Update(func(tx *sandbox.Tx) error {
		c := &change{sim: s, tx: tx, now: s.world.Clock.Now()}
		err := c.answer(id, passed, func(pi *intentDoc, method *methodDoc) error {
			next = returnOf(pi)
			return c.attempt(pi, method, "", true)
		})
		var declined *apiError
		if errors.As(err, &declined) {
			return nil
		}
		return err
	})
	s.follow(rw, r, next, err)
}

// answer resumes a payment that waits for 3-D Secure, or fails it.
func (c *change) answer(id string, passed bool, proceed func(*intentDoc, *methodDoc) error) error {
	pi, err := load[intentDoc](c.tx, intents, "id", id)
	if err != nil || pi.Status != "requires_action" {
		return err
	}
	method, err := load[methodDoc](c.tx, methods, "id", *pi.PaymentMethod)
	if err != nil {
		return err
	}
	if passed {
		return proceed(pi, method)
	}
	return c.fail(pi, "", method, "payment_intent_authentication_failure", "", failedChallenge)
}

// returnOf is the return_url that a confirmation over the API gave.
func returnOf(pi *intentDoc) string {
	redirect, _ := pi.NextAction["redirect_to_url"].(map[string]any)
	if address, ok := redirect["return_url"].(string); ok {
		return address
	}
	return "/"
}
