package identity

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// authorize begins a sign-in. A request that cannot be read, or not be answered at the
// client, ends on a page of the provider; any other fault is returned to the client.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	in, fault := parseRequest(r.URL.RawQuery)
	if fault == "" {
		fault = s.protocol.returnFault(in)
	}
	if fault != "" {
		lead := textsOf(r.Context()).NotFoundLead
		if fault != "query" {
			lead = fmt.Sprintf(textsOf(r.Context()).RequestBadLead, fault)
		}
		s.views.fail(w, r, http.StatusBadRequest, textsOf(r.Context()).RequestBadTitle, lead)
		return
	}
	address := visitOf(r.Context()).address
	if err := s.limits.take(r.Context(), limitBegin, address, nil, address); err != nil {
		s.broken(w, r, err)
		return
	}
	if err := s.protocol.check(r.Context(), in); err != nil {
		why := refusalOf(err)
		if why.code == codeServerError {
			s.broken(w, r, err)
			return
		}
		s.log.WarnContext(r.Context(), "sign-in request rejected", "code", why.code, "error", err)
		sendBackError(w, r, in.RedirectURI, in.State, why)
		return
	}
	request, err := s.requests.create(r.Context(), in, visitOf(r.Context()).browser)
	if err != nil {
		s.broken(w, r, err)
		return
	}
	http.Redirect(w, r, s.protocol.client.LoginURL(request.GetID()), http.StatusFound)
}

// callback gives the client its code, once the person has signed in.
func (s *Server) callback(w http.ResponseWriter, r *http.Request) {
	request, ok := s.openRequest(w, r, r.URL.Query().Get("id"))
	if !ok {
		return
	}
	if !request.Done() {
		why := &refusal{"interaction_required", refusalTexts["interaction_required"]}
		sendBackError(w, r, request.RedirectURI, request.State, why)
		return
	}
	code, err := op.CreateAuthRequestCode(r.Context(), request, s.protocol.Storage(), s.protocol.Crypto())
	switch {
	case errors.Is(err, errNoRequest):
		s.leadOn(w, r, request.GetID())
	case err != nil:
		s.broken(w, r, err)
	default:
		sendBack(w, r, request.RedirectURI, request.State, url.Values{"code": {code}})
	}
}

// openRequest returns the authorisation request this browser is answering, or
// shows why there is none.
func (s *Server) openRequest(w http.ResponseWriter, r *http.Request, id string) (*authRequest, bool) {
	request, err := s.requests.open(r.Context(), id, visitOf(r.Context()).browser)
	switch {
	case errors.Is(err, errNoRequest):
		s.leadOn(w, r, id)
	case err != nil:
		s.broken(w, r, err)
	default:
		return request, true
	}
	return nil, false
}

// leadOn answers for a request that is finished or expired: Back after a sign-in, a second tab, a page left open. Its
// own browser goes back to the client, which knows where the person wanted to go; for any other there is no request.
func (s *Server) leadOn(w http.ResponseWriter, r *http.Request, id string) {
	request, err := s.requests.begun(r.Context(), id, visitOf(r.Context()).browser)
	switch {
	case errors.Is(err, errNoRequest):
		texts := textsOf(r.Context())
		s.views.fail(w, r, http.StatusBadRequest, texts.RequestGoneTitle, texts.RequestGoneLead, s.views.startLink(r))
	case err != nil:
		s.broken(w, r, err)
	default:
		why := &refusal{"interaction_required", refusalTexts["interaction_required"]}
		sendBackError(w, r, request.RedirectURI, request.State, why)
	}
}

// optionalRequest is openRequest for pages that also work without one.
func (s *Server) optionalRequest(w http.ResponseWriter, r *http.Request) (*authRequest, bool) {
	id := r.FormValue("request")
	if id == "" {
		return nil, true
	}
	return s.openRequest(w, r, id)
}

// current returns the live session of this browser, or nil.
func (s *Server) current(w http.ResponseWriter, r *http.Request) (*session, bool) {
	found, err := s.sessions.byToken(r.Context(), visitOf(r.Context()).session)
	if errors.Is(err, errNoSession) {
		return nil, true
	}
	if err != nil {
		s.broken(w, r, err)
		return nil, false
	}
	return found, true
}

// enough reports whether a session answers a request without a password.
func (a *authRequest) enough(found *session) bool {
	if found == nil || slices.Contains(a.Prompts, oidc.PromptLogin) {
		return false
	}
	return a.MaxAge == nil || found.Age <= time.Duration(*a.MaxAge)*time.Second
}

// continueRequest redirects a new request: to the client when the browser is signed in,
// else to sign-in or, where the client requested it, to sign-up.
func (s *Server) continueRequest(w http.ResponseWriter, r *http.Request) {
	request, ok := s.openRequest(w, r, r.URL.Query().Get("request"))
	if !ok {
		return
	}
	found, ok := s.current(w, r)
	if !ok {
		return
	}
	create := slices.Contains(request.Prompts, promptCreate)
	switch {
	case request.enough(found) && !create:
		s.finish(w, r, request.ID, found)
	case slices.Contains(request.Prompts, oidc.PromptNone):
		sendBackError(w, r, request.RedirectURI, request.State, &refusal{"login_required", "nobody is signed in"})
	case create:
		http.Redirect(w, r, withRequest(pathSignUp, request), http.StatusFound) //nolint:gosec // a path of ours and a UUID from the database
	default:
		http.Redirect(w, r, withRequest(pathSignIn, request), http.StatusFound) //nolint:gosec // a path of ours and a UUID from the database
	}
}

// continueSigned answers a request with the session the browser has: the button on a
// sign-up page opened by a signed-in user.
func (s *Server) continueSigned(w http.ResponseWriter, r *http.Request) {
	request, ok := s.openRequest(w, r, r.PostFormValue("request"))
	if !ok {
		return
	}
	found, ok := s.current(w, r)
	if !ok {
		return
	}
	if !request.enough(found) {
		http.Redirect(w, r, withRequest(pathSignIn, request), http.StatusSeeOther)
		return
	}
	s.finish(w, r, request.ID, found)
}

// finish binds the signed-in person to the request and redirects to callback.
func (s *Server) finish(w http.ResponseWriter, r *http.Request, id uuid.UUID, found *session) {
	err := s.requests.complete(r.Context(), id, visitOf(r.Context()).browser, found)
	if errors.Is(err, errNoRequest) {
		s.views.fail(w, r, http.StatusBadRequest, textsOf(r.Context()).RequestGoneTitle, textsOf(r.Context()).RequestGoneLead, s.views.startLink(r))
		return
	}
	if err != nil {
		s.broken(w, r, err)
		return
	}
	http.Redirect(w, r, pathCallback+"?id="+url.QueryEscape(id.String()), http.StatusSeeOther)
}

// withRequest keeps the request in a page's address; nil keeps none.
func withRequest(path string, request *authRequest) string {
	if request == nil {
		return path
	}
	return path + "?request=" + url.QueryEscape(request.ID.String())
}

// requestID is the request's id for a form, or "".
func requestID(request *authRequest) string {
	if request == nil {
		return ""
	}
	return request.ID.String()
}
