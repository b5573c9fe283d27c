package identity

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/jackc/pgx/v5"
	"github.com/zitadel/oidc/v3/pkg/op"

	"github.com/tradepost/tradepost/internal/typed"
)

// signed returns the browser's session; without one it leads to sign-in.
func (s *Server) signed(w http.ResponseWriter, r *http.Request) (*session, bool) {
	found, ok := s.current(w, r)
	if ok && found == nil {
		http.Redirect(w, r, pathSignIn, http.StatusSeeOther)
		return nil, false
	}
	return found, ok
}

func (s *Server) accountPage(w http.ResponseWriter, r *http.Request) {
	found, ok := s.signed(w, r)
	if !ok {
		return
	}
	notices := map[string]string{"changed": textsOf(r.Context()).NoticeChanged, "resent": textsOf(r.Context()).NoticeResent}
	s.views.show(w, r, http.StatusOK, "account", view{
		Title: textsOf(r.Context()).AccountTitle, Lead: fmt.Sprintf(textsOf(r.Context()).AccountLead, s.settings.Brand), Signed: found.account, Notice: notices[r.URL.Query().Get("notice")],
		Date: textsOf(r.Context()).date(found.account.PasswordChangedAt),
	})
}

// CountryName is called by templates.
func (v view) CountryName(code string) string { return v.T.country(code) }

// resend queues the verification mail again; a confirmed address needs none.
func (s *Server) resend(w http.ResponseWriter, r *http.Request) {
	found, ok := s.signed(w, r)
	if !ok {
		return
	}
	who := found.account
	if who.EmailVerifiedAt != nil {
		http.Redirect(w, r, pathAccount, http.StatusSeeOther)
		return
	}
	err := s.limits.take(r.Context(), limitVerify, who.EmailKey, &who.ID, visitOf(r.Context()).address)
	if err == nil {
		err = queueMail(r.Context(), s.db, mailVerify, who.EmailKey)
	}
	if err != nil {
		s.broken(w, r, err)
		return
	}
	s.outbox.signal()
	http.Redirect(w, r, pathAccount+"?notice=resent", http.StatusSeeOther)
}

func (s *Server) passwordPage(w http.ResponseWriter, r *http.Request) {
	if found, ok := s.signed(w, r); ok {
		s.views.show(w, r, http.StatusOK, "password", view{Title: textsOf(r.Context()).ChangeTitle, Lead: textsOf(r.Context()).ChangeLead, Signed: found.account})
	}
}

// changePassword requires the current password, ends every other session and gives this
// browser a new one.
func (s *Server) changePassword(w http.ResponseWriter, r *http.Request) {
	found, ok := s.signed(w, r)
	if !ok {
		return
	}
	who, next := found.account, r.PostFormValue("new_password")
	faults, err := s.changeFaults(r, who, next)
	if err != nil {
		s.broken(w, r, err)
		return
	}
	if len(faults) > 0 {
		s.views.show(w, r, http.StatusUnprocessableEntity, "password", view{
			Title: textsOf(r.Context()).ChangeTitle, Lead: textsOf(r.Context()).ChangeLead, Signed: who, Faults: faults,
		})
		return
	}
	if err := s.storePassword(r, found, next); err != nil {
		s.broken(w, r, err)
		return
	}
	token, err := s.sessions.start(r.Context(), who, visitOf(r.Context()))
	if err != nil {
		s.broken(w, r, err)
		return
	}
	s.outbox.signal()
	s.guard.setCookie(w, cookieSession, token, sessionLifetime)
	http.Redirect(w, r, pathAccount+"?notice=changed", http.StatusSeeOther)
}

func (s *Server) changeFaults(r *http.Request, who *account, next string) (map[string]string, error) {
	faults, now := map[string]string{}, r.PostFormValue("current_password")
	if fault := passwordFault(textsOf(r.Context()), next, who.Email, who.GivenName, who.FamilyName, s.settings.Brand); fault != "" {
		faults["new_password"] = fault
	} else if typed.Password(next) == typed.Password(now) {
		faults["new_password"] = textsOf(r.Context()).PasswordSame
	}
	if now == "" {
		faults["current_password"] = textsOf(r.Context()).PasswordMissing
		return faults, nil
	}
	_, err := s.checkPassword(r, who.EmailKey, now)
	if errors.Is(err, errWrongPassword) {
		faults["current_password"] = textsOf(r.Context()).PasswordWrong
		return faults, nil
	}
	return faults, err
}

// storePassword saves the new hash, also in who, so that the next session belongs to the
// new password.
func (s *Server) storePassword(r *http.Request, found *session, next string) error {
	ctx, who := r.Context(), found.account
	hash, err := s.hasher.hash(ctx, next)
	if err != nil {
		return err
	}
	who.PasswordHash = hash
	return pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
		if err := setPassword(ctx, tx, who.ID, hash, found.Hash); err != nil {
			return err
		}
		return (&eventLog{tx}).add(ctx, eventPasswordChanged, &who.ID, visitOf(ctx).address)
	})
}

func (s *Server) signOutPage(w http.ResponseWriter, r *http.Request) {
	s.askSignOut(w, r, pathSignedOut)
}

func (s *Server) askSignOut(w http.ResponseWriter, r *http.Request, returnTo string) {
	s.views.show(w, r, http.StatusOK, "signout", view{Title: textsOf(r.Context()).SignOutTitle, Lead: textsOf(r.Context()).SignOutLead, ReturnTo: returnTo})
}

// signOut ends this browser's session and redirects to an allowed page of the client, else
// to our own page.
func (s *Server) signOut(w http.ResponseWriter, r *http.Request) {
	if err := s.endThisSession(w, r); err != nil {
		s.broken(w, r, err)
		return
	}
	target := r.PostFormValue("return_to")
	if !s.protocol.client.mayReturnTo(target) {
		target = pathSignedOut
	}
	http.Redirect(w, r, target, http.StatusSeeOther)
}

func (s *Server) endThisSession(w http.ResponseWriter, r *http.Request) error {
	from := visitOf(r.Context())
	if err := s.sessions.end(r.Context(), from.session, from.address); err != nil {
		return err
	}
	s.guard.setCookie(w, cookieSession, "", 0)
	return nil
}

func (s *Server) signedOut(w http.ResponseWriter, r *http.Request) {
	s.views.show(w, r, http.StatusOK, "message", view{
		Title: textsOf(r.Context()).SignedOutTitle, Lead: textsOf(r.Context()).SignedOutLead,
		Links: []pageLink{s.views.homeLink(r), {Href: pathSignIn, Text: textsOf(r.Context()).SignInAgain, Quiet: true}},
	})
}

// endSession is the client's sign-out. With an ID token of the person who is signed in here
// it acts at once; otherwise it shows a confirmation first.
func (s *Server) endSession(w http.ResponseWriter, r *http.Request) {
	asked, err := op.ParseEndSessionRequest(r, s.protocol.Decoder())
	if err != nil {
		s.views.fail(w, r, http.StatusBadRequest, textsOf(r.Context()).RequestBadTitle, textsOf(r.Context()).NotFoundLead)
		return
	}
	end, err := op.ValidateEndSessionRequest(r.Context(), asked, s.protocol)
	if err != nil {
		s.refuseEndSession(w, r, asked.PostLogoutRedirectURI)
		return
	}
	found, ok := s.current(w, r)
	if !ok {
		return
	}
	if found != nil && end.UserID != found.account.ID.String() {
		s.askSignOut(w, r, end.RedirectURI)
		return
	}
	if err := s.endThisSession(w, r); err != nil {
		s.broken(w, r, err)
		return
	}
	http.Redirect(w, r, end.RedirectURI, http.StatusFound)
}

func (s *Server) refuseEndSession(w http.ResponseWriter, r *http.Request, target string) {
	name := "id_token_hint"
	if u, err := url.Parse(target); target != "" && (err != nil || !s.protocol.client.mayReturnTo(u.String())) {
		name = "post_logout_redirect_uri"
	}
	s.views.fail(w, r, http.StatusBadRequest, textsOf(r.Context()).RequestBadTitle, fmt.Sprintf(textsOf(r.Context()).RequestBadLead, name))
}
