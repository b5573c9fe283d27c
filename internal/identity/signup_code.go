package identity

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// codePath is the page for the code of a sign-up.
func codePath(id, request string) string {
	query := url.Values{"signup": {id}}
	if request != "" {
		query.Set("request", request)
	}
	return pathSignUpCode + "?" + query.Encode()
}

func (s *Server) signUpCodePage(w http.ResponseWriter, r *http.Request) {
	if found, ok := s.openSignUp(w, r); ok {
		s.showSignUpCode(w, r, http.StatusOK, found, "")
	}
}

// openSignUp returns the sign-up that this browser began, or shows that there is none.
func (s *Server) openSignUp(w http.ResponseWriter, r *http.Request) (*signup, bool) {
	found, err := s.signups.open(r.Context(), r.FormValue("signup"), visitOf(r.Context()).browser)
	if err != nil {
		s.signUpFailed(w, r, err)
		return nil, false
	}
	return found, true
}

func (s *Server) showSignUpCode(w http.ResponseWriter, r *http.Request, status int, n *signup, fault string) {
	t := textsOf(r.Context())
	data := view{
		Title: t.CodeTitle, Lead: fmt.Sprintf(t.CodeLead, n.Email), Request: r.FormValue("request"), SignUp: n.ID.String(),
		Mailbox: s.settings.mailbox(),
	}
	if r.URL.Query().Get("notice") == "resent" {
		data.Notice = t.NoticeCodeResent
	}
	if fault != "" {
		data.Faults = map[string]string{"code": fault}
	}
	s.views.show(w, r, status, "code", data)
}

// signUpFailed answers a sign-up that cannot go on.
func (s *Server) signUpFailed(w http.ResponseWriter, r *http.Request, err error) {
	t := textsOf(r.Context())
	switch {
	case errors.Is(err, errSignupGone):
		s.views.fail(w, r, http.StatusGone, t.SignUpGoneTitle, t.SignUpGoneLead,
			pageLink{Href: pathSignUp, Text: t.SignUpLink}, pageLink{Href: pathSignIn, Text: t.BackToSignIn})
	case errors.Is(err, errEmailUsed): // shown to the mailbox's owner: the code was right
		s.views.fail(w, r, http.StatusConflict, t.EmailTakenTitle, t.EmailTakenLead,
			pageLink{Href: pathSignIn, Text: t.SignInLink}, pageLink{Href: pathForgot, Text: t.ForgotLink})
	default:
		s.broken(w, r, err)
	}
}

// signUpCode opens the account once the code is right, and signs in to it. For an
// address that has an account no code was sent, and none is right.
func (s *Server) signUpCode(w http.ResponseWriter, r *http.Request) {
	begun, ok := s.openSignUp(w, r)
	if !ok {
		return
	}
	if alert := s.site.signUpsPaused(r.Context()); alert != "" {
		s.showSignUpCode(w, r, http.StatusServiceUnavailable, begun, alert)
		return
	}
	ctx, from, t := r.Context(), visitOf(r.Context()), textsOf(r.Context())
	found, err := s.signups.try(ctx, begun.ID.String(), from.browser, r.PostFormValue("code"))
	switch {
	case errors.Is(err, errCodeWrong):
		if err := s.events.add(ctx, eventSignUpCodeFailed, nil, from.address); err != nil {
			s.broken(w, r, err)
			return
		}
		s.showSignUpCode(w, r, http.StatusUnprocessableEntity, begun, t.CodeWrong)
	case errors.Is(err, errCodeSpent):
		s.showSignUpCode(w, r, http.StatusTooManyRequests, begun, t.CodeSpent)
	case err != nil:
		s.signUpFailed(w, r, err)
	default:
		s.openAccount(w, r, found)
	}
}

// openAccount makes the account of a proven address and continues with what the browser
// came for. A request that expired meanwhile is restarted by the site.
func (s *Server) openAccount(w http.ResponseWriter, r *http.Request, proven *signup) {
	ctx, from := r.Context(), visitOf(r.Context())
	who, err := s.accounts.create(ctx, proven, from.address)
	if err != nil {
		s.signUpFailed(w, r, err)
		return
	}
	request, err := s.requests.open(ctx, r.PostFormValue("request"), from.browser)
	if err != nil && !errors.Is(err, errNoRequest) {
		s.broken(w, r, err)
		return
	}
	s.signedIn(w, r, who, request)
}

// resendSignUpCode sends another code, which replaces the one before.
func (s *Server) resendSignUpCode(w http.ResponseWriter, r *http.Request) {
	begun, ok := s.openSignUp(w, r)
	if !ok {
		return
	}
	err := s.mayMailSignUp(r.Context(), begun.EmailKey)
	if err == nil {
		err = s.signups.renew(r.Context(), begun.ID.String(), visitOf(r.Context()).browser)
	}
	if err != nil {
		s.signUpFailed(w, r, err)
		return
	}
	s.outbox.signal()
	http.Redirect(w, r, codePath(begun.ID.String(), r.PostFormValue("request"))+"&notice=resent", http.StatusSeeOther)
}
