package identity

import (
	"errors"
	"net/http"

	"github.com/jackc/pgx/v5"
)

func (s *Server) forgotPage(w http.ResponseWriter, r *http.Request) {
	s.views.show(w, r, http.StatusOK, "forgot", view{Title: textsOf(r.Context()).ForgotTitle, Lead: textsOf(r.Context()).ForgotLead})
}

// forgot queues a reset mail for the address. Whether it has an account is looked up as the
// mail is sent, so that this answer does not disclose it.
func (s *Server) forgot(w http.ResponseWriter, r *http.Request) {
	ctx, from := r.Context(), visitOf(r.Context())
	email := r.PostFormValue("email")
	if fault := emailFault(textsOf(ctx), emailKey(email)); fault != "" {
		s.views.show(w, r, http.StatusUnprocessableEntity, "forgot", view{
			Title: textsOf(r.Context()).ForgotTitle, Lead: textsOf(r.Context()).ForgotLead,
			Values: map[string]string{"email": email}, Faults: map[string]string{"email": fault},
		})
		return
	}
	key, err := s.accounts.keyOf(ctx, email)
	if err == nil {
		err = s.limits.take(ctx, limitResetAddress, from.address, nil, from.address)
	}
	if err == nil {
		err = s.limits.take(ctx, limitReset, key, nil, from.address)
	}
	if err == nil {
		err = queueMail(ctx, s.db, mailReset, key)
	}
	if err == nil {
		err = s.events.add(ctx, eventResetRequested, nil, from.address)
	}
	if err != nil {
		s.broken(w, r, err)
		return
	}
	s.outbox.signal()
	http.Redirect(w, r, pathSent, http.StatusSeeOther)
}

func (s *Server) forgotSent(w http.ResponseWriter, r *http.Request) {
	s.views.show(w, r, http.StatusOK, "message", view{
		Title: textsOf(r.Context()).ForgotSentTitle, Lead: textsOf(r.Context()).ForgotSentLead, Notice: textsOf(r.Context()).ForgotSentHint,
		Links: []pageLink{{Href: pathSignIn, Text: textsOf(r.Context()).BackToSignIn}, {Href: pathForgot, Text: textsOf(r.Context()).ForgotAgain, Quiet: true}},
	})
}

// resetPage shows the form of a link that still works. It changes nothing: mail
// scanners open links too.
func (s *Server) resetPage(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("token")
	if _, ok := s.openLink(w, r, linkReset, token); ok {
		s.views.show(w, r, http.StatusOK, "reset", view{Title: textsOf(r.Context()).ResetTitle, Lead: textsOf(r.Context()).ResetLead, Token: token})
	}
}

// openLink returns the account of a link that still works, or shows that it
// does not.
func (s *Server) openLink(w http.ResponseWriter, r *http.Request, purpose, token string) (*account, bool) {
	from := visitOf(r.Context())
	if err := s.limits.take(r.Context(), limitLinkAddress, from.address, nil, from.address); err != nil {
		s.broken(w, r, err)
		return nil, false
	}
	who, err := s.links.peek(r.Context(), s.accounts, purpose, token)
	if errors.Is(err, errLinkGone) {
		s.linkGone(w, r, purpose)
		return nil, false
	}
	if err != nil {
		s.broken(w, r, err)
		return nil, false
	}
	// What is counted is guesses: a whole office may confirm its addresses from one.
	if err := s.limits.giveBack(r.Context(), limitLinkAddress, from.address); err != nil {
		s.broken(w, r, err)
		return nil, false
	}
	return who, true
}

// linkGone answers a link that does not work: one whose step is finished leads on, and any other offers a new mail.
func (s *Server) linkGone(w http.ResponseWriter, r *http.Request, purpose string) {
	done, err := s.links.done(r.Context(), purpose, r.FormValue("token"))
	if err != nil {
		s.broken(w, r, err)
		return
	}
	if done {
		s.linkDone(w, r, purpose)
		return
	}
	if purpose == linkReset {
		s.views.fail(w, r, http.StatusGone, textsOf(r.Context()).ResetGoneTitle, textsOf(r.Context()).ResetGoneLead,
			pageLink{Href: pathForgot, Text: textsOf(r.Context()).ForgotTitle}, pageLink{Href: pathSignIn, Text: textsOf(r.Context()).BackToSignIn})
		return
	}
	s.views.fail(w, r, http.StatusGone, textsOf(r.Context()).VerifyGoneTitle, textsOf(r.Context()).VerifyGoneLead,
		pageLink{Href: pathAccount, Text: textsOf(r.Context()).AccountTitle}, s.views.homeLink(r))
}

// linkDone shows the finished step of a link that is followed again, and the next one.
func (s *Server) linkDone(w http.ResponseWriter, r *http.Request, purpose string) {
	if purpose == linkVerify {
		s.verified(w, r)
		return
	}
	t := textsOf(r.Context())
	s.views.show(w, r, http.StatusOK, "message", view{Title: t.ResetDoneTitle, Lead: t.ResetDoneLead,
		Links: []pageLink{{Href: pathSignIn, Text: t.SignInLink}, {Href: pathForgot, Text: t.ForgotLink, Quiet: true}}})
}

// reset stores the new password and uses the link up, in one transaction. It
// ends every session of the account and proves the e-mail address.
func (s *Server) reset(w http.ResponseWriter, r *http.Request) {
	ctx, token, password := r.Context(), r.PostFormValue("token"), r.PostFormValue("new_password")
	who, ok := s.openLink(w, r, linkReset, token)
	if !ok {
		return
	}
	if fault := passwordFault(textsOf(ctx), password, who.Email, who.GivenName, who.FamilyName, s.settings.Brand); fault != "" {
		s.views.show(w, r, http.StatusUnprocessableEntity, "reset", view{
			Title: textsOf(r.Context()).ResetTitle, Lead: textsOf(r.Context()).ResetLead, Token: token, Faults: map[string]string{"new_password": fault},
		})
		return
	}
	hash, err := s.hasher.hash(ctx, password)
	if err != nil {
		s.broken(w, r, err)
		return
	}
	err = pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		if err := useLink(ctx, tx, linkReset, token); err != nil {
			return err
		}
		if err := confirmEmail(ctx, tx, who.ID); err != nil {
			return err
		}
		if err := setPassword(ctx, tx, who.ID, hash, nil); err != nil {
			return err
		}
		return (&eventLog{tx}).add(ctx, eventPasswordReset, &who.ID, visitOf(ctx).address)
	})
	s.afterReset(w, r, who, err)
}

func (s *Server) afterReset(w http.ResponseWriter, r *http.Request, who *account, err error) {
	if err == nil {
		err = s.limits.forget(r.Context(), limitPassword, who.EmailKey)
	}
	switch {
	case errors.Is(err, errLinkGone):
		s.linkGone(w, r, linkReset)
	case err != nil:
		s.broken(w, r, err)
	default:
		s.outbox.signal()
		s.guard.setCookie(w, cookieSession, "", 0)
		http.Redirect(w, r, pathSignIn+"?notice=reset", http.StatusSeeOther)
	}
}

// verifyPage shows the button: a GET confirms nothing.
func (s *Server) verifyPage(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("token")
	who, ok := s.openLink(w, r, linkVerify, token)
	if !ok {
		return
	}
	own, ok := s.signedInTo(w, r, who)
	if ok {
		s.showVerify(w, r, http.StatusOK, verifyView{token: token, who: who, own: own})
	}
}

// verifyView is what the page that confirms an address shows.
type verifyView struct {
	token, fault string
	who          *account
	own          bool // the browser is signed in to this very account
}

func (s *Server) showVerify(w http.ResponseWriter, r *http.Request, status int, v verifyView) {
	t := textsOf(r.Context())
	data := view{Title: t.VerifyTitle, Lead: t.VerifyLead, Token: v.token, Subject: v.who.Email}
	if !v.own {
		data.Lead, data.AsksPassword = t.VerifyPasswordLead, true
	}
	if v.fault != "" {
		data.Faults = map[string]string{"password": v.fault}
	}
	s.views.show(w, r, status, "verify", data)
}

// signedInTo reports whether the browser has a session of this account; ok is false
// when the answer was given.
func (s *Server) signedInTo(w http.ResponseWriter, r *http.Request, who *account) (own, ok bool) {
	found, ok := s.current(w, r)
	return found != nil && found.account.ID == who.ID, ok
}

// mayConfirm requires proof that the person who follows the link owns the account: the
// mailbox's owner may not be who opened the account with its address, and must not confirm
// it for them. ok is false when the answer was given.
func (s *Server) mayConfirm(w http.ResponseWriter, r *http.Request, token string, who *account) (ok bool) {
	own, ok := s.signedInTo(w, r, who)
	if own || !ok {
		return ok
	}
	asked := verifyView{token: token, who: who, fault: textsOf(r.Context()).PasswordMissing}
	password := r.PostFormValue("password")
	if password == "" {
		s.showVerify(w, r, http.StatusUnprocessableEntity, asked)
		return false
	}
	_, err := s.checkPassword(r, who.EmailKey, password)
	if errors.Is(err, errWrongPassword) {
		asked.fault = textsOf(r.Context()).VerifyPasswordWrong
		s.showVerify(w, r, http.StatusUnprocessableEntity, asked)
		return false
	}
	if err != nil {
		s.broken(w, r, err)
		return false
	}
	return true
}

// verify uses the link up and marks the address as confirmed.
func (s *Server) verify(w http.ResponseWriter, r *http.Request) {
	ctx, token := r.Context(), r.PostFormValue("token")
	who, ok := s.openLink(w, r, linkVerify, token)
	if !ok || !s.mayConfirm(w, r, token, who) {
		return
	}
	err := pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		if err := useLink(ctx, tx, linkVerify, token); err != nil {
			return err
		}
		if err := confirmEmail(ctx, tx, who.ID); err != nil {
			return err
		}
		return (&eventLog{tx}).add(ctx, eventEmailVerified, &who.ID, visitOf(ctx).address)
	})
	switch {
	case errors.Is(err, errLinkGone):
		s.linkGone(w, r, linkVerify)
	case err != nil:
		s.broken(w, r, err)
	default:
		http.Redirect(w, r, pathVerified, http.StatusSeeOther)
	}
}

func (s *Server) verified(w http.ResponseWriter, r *http.Request) {
	s.views.show(w, r, http.StatusOK, "message", view{
		Title: textsOf(r.Context()).VerifiedTitle, Lead: textsOf(r.Context()).VerifiedLead,
		Links: []pageLink{s.views.backLink(r), {Href: pathAccount, Text: textsOf(r.Context()).AccountTitle, Quiet: true}},
	})
}
