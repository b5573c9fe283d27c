package identity

import (
	"errors"
	"net/http"

	"github.com/jackc/pgx/v5"
)

func (s *Server) forgotPage(w http.ResponseWriter, r *http.Request) {
	s.views.show(w, r, http.StatusOK, "forgot", view{Title: textsOf(r.Context()).ForgotTitle, Lead: textsOf(r.Context()).ForgotLead})
}

// forgot queues a reset mail for the address. Whether it has an account is
// found out as the mail leaves, so that this answer cannot tell.
func (s *Server) forgot(w http.ResponseWriter, r *http.Request) {
	ctx, from := r.Context(), visitOf(r.Context())
	email := r.PostFormValue("email")
	key := emailKey(email)
	if fault := emailFault(textsOf(ctx), key); fault != "" {
		s.views.show(w, r, http.StatusUnprocessableEntity, "forgot", view{
			Title: textsOf(r.Context()).ForgotTitle, Lead: textsOf(r.Context()).ForgotLead,
			Values: map[string]string{"email": email}, Faults: map[string]string{"email": fault},
		})
		return
	}
	err := s.limits.take(ctx, limitResetAddress, from.address, nil, from.address)
	if err == nil {
		err = s.limits.take(ctx, limitReset, key, nil, from.address)
	}
	if err == nil {
		err = queueMail(ctx, s.db, mailReset, key)
	}
	if err == nil {
		err = s.events.add(ctx, eventResetAsked, nil, from.address)
	}
	if err != nil {
		s.broken(w, r, err)
		return
	}
	s.outbox.wake()
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
	return who, true
}

func (s *Server) linkGone(w http.ResponseWriter, r *http.Request, purpose string) {
	if purpose == linkReset {
		s.views.fail(w, r, http.StatusGone, textsOf(r.Context()).ResetGoneTitle, textsOf(r.Context()).ResetGoneLead,
			pageLink{Href: pathForgot, Text: textsOf(r.Context()).ForgotTitle}, pageLink{Href: pathSignIn, Text: textsOf(r.Context()).BackToSignIn})
		return
	}
	s.views.fail(w, r, http.StatusGone, textsOf(r.Context()).VerifyGoneTitle, textsOf(r.Context()).VerifyGoneLead,
		pageLink{Href: pathAccount, Text: textsOf(r.Context()).AccountTitle}, s.views.homeLink(r))
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
		s.outbox.wake()
		s.guard.setCookie(w, cookieSession, "", 0)
		http.Redirect(w, r, pathSignIn+"?notice=reset", http.StatusSeeOther)
	}
}

// verifyPage asks for the button: a GET confirms nothing.
func (s *Server) verifyPage(w http.ResponseWriter, r *http.Request) {
	token := r.URL.Query().Get("token")
	if who, ok := s.openLink(w, r, linkVerify, token); ok {
		s.views.show(w, r, http.StatusOK, "verify", view{Title: textsOf(r.Context()).VerifyTitle, Lead: textsOf(r.Context()).VerifyLead, Token: token, Signed: who})
	}
}

// verify uses the link up and marks the address as confirmed.
func (s *Server) verify(w http.ResponseWriter, r *http.Request) {
	ctx, token := r.Context(), r.PostFormValue("token")
	who, ok := s.openLink(w, r, linkVerify, token)
	if !ok {
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
		Links: []pageLink{s.views.homeLink(r), {Href: pathAccount, Text: textsOf(r.Context()).AccountTitle, Quiet: true}},
	})
}
