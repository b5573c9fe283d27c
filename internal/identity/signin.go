package identity

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"
)

func (s *Server) home(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, pathAccount, http.StatusFound)
}

func (s *Server) signInPage(w http.ResponseWriter, r *http.Request) {
	request, ok := s.optionalRequest(w, r)
	if !ok {
		return
	}
	found, ok := s.current(w, r)
	if !ok {
		return
	}
	if request == nil && found != nil {
		http.Redirect(w, r, pathAccount, http.StatusFound)
		return
	}
	data := s.signInView(r, request)
	if r.URL.Query().Get("notice") == "reset" {
		data.Notice = textsOf(r.Context()).NoticeReset
	}
	if request != nil {
		data.Values = map[string]string{"email": request.LoginHint}
	}
	if request != nil && request.LoginHint == "" && found != nil { // asked to prove it again
		data.Values["email"] = found.account.Email
	}
	s.views.show(w, r, http.StatusOK, "signin", data)
}

func (s *Server) signInView(r *http.Request, request *authRequest) view {
	return view{Title: fmt.Sprintf(textsOf(r.Context()).SignInTitle, s.settings.Brand), Lead: textsOf(r.Context()).SignInLead, Request: requestID(request)}
}

// signIn checks e-mail and password. A wrong password, an unknown address and a disabled
// account are answered alike, in text, status and work.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request) {
	request, ok := s.optionalRequest(w, r)
	if !ok {
		return
	}
	email, password := r.PostFormValue("email"), r.PostFormValue("password")
	data := s.signInView(r, request)
	data.Values, data.Faults = map[string]string{"email": email}, map[string]string{}
	if emailKey(email) == "" {
		data.Faults["email"] = textsOf(r.Context()).EmailMissing
	}
	if strings.Contains(email, "\x00") { // which no row holds
		data.Faults["email"] = textsOf(r.Context()).EmailInvalid
	}
	if password == "" {
		data.Faults["password"] = textsOf(r.Context()).PasswordMissing
	}
	if len(data.Faults) > 0 {
		s.views.show(w, r, http.StatusUnprocessableEntity, "signin", data)
		return
	}
	key, err := s.accounts.keyOf(r.Context(), email)
	if err != nil {
		s.broken(w, r, err)
		return
	}
	who, err := s.checkPassword(r, key, password)
	if errors.Is(err, errWrongPassword) {
		data.Alert = textsOf(r.Context()).SignInWrong
		s.views.show(w, r, http.StatusUnauthorized, "signin", data)
		return
	}
	if err != nil {
		s.broken(w, r, err)
		return
	}
	s.signedIn(w, r, who, request)
}

// signedIn starts the session of who and continues with what the browser came for: the
// client's request, or the site's own start of one.
func (s *Server) signedIn(w http.ResponseWriter, r *http.Request, who *account, request *authRequest) {
	token, err := s.sessions.start(r.Context(), who, visitOf(r.Context()))
	if err != nil {
		s.broken(w, r, err)
		return
	}
	s.guard.setCookie(w, cookieSession, token, sessionLifetime)
	if request == nil {
		http.Redirect(w, r, s.settings.PublicURL+pathSiteLogin, http.StatusSeeOther)
		return
	}
	found, err := s.sessions.byToken(r.Context(), token)
	if err != nil {
		s.broken(w, r, err)
		return
	}
	s.finish(w, r, request.ID, found)
}

var errWrongPassword = errors.New("e-mail or password is wrong")

// checkPassword returns the account of key when the password is its own. The attempt is
// counted before the password is checked, and uncounted when it was right.
func (s *Server) checkPassword(r *http.Request, key, password string) (*account, error) {
	ctx, from := r.Context(), visitOf(r.Context())
	who, err := s.accounts.byEmail(ctx, key)
	if err != nil && !errors.Is(err, errNoAccount) {
		return nil, err
	}
	subject, id, hash := key, (*uuid.UUID)(nil), ""
	if who != nil {
		id, hash = &who.ID, who.PasswordHash
		if subject, err = s.guessSubject(r, who); err != nil {
			return nil, err
		}
	}
	if err := s.limits.take(ctx, limitPasswordAddress, from.address, id, from.address); err != nil {
		return nil, err
	}
	if err := s.limits.take(ctx, limitPassword, subject, id, from.address); err != nil {
		return nil, err
	}
	right, outdated, err := s.hasher.matches(ctx, password, hash)
	if err != nil {
		return nil, err
	}
	if !right {
		if err := s.events.add(ctx, eventSignInFailed, id, from.address); err != nil {
			return nil, err
		}
		return nil, errWrongPassword
	}
	if err := s.limits.giveBack(ctx, limitPasswordAddress, from.address); err != nil {
		return nil, err
	}
	if outdated {
		if err := s.renewHash(ctx, who, password); err != nil {
			return nil, err
		}
	}
	return who, s.limits.giveBack(ctx, limitPassword, subject)
}

// renewHash replaces the hash of a password that was stored in another form by that of the form in which passwords are
// stored now. The password is the same, so that no session ends.
func (s *Server) renewHash(ctx context.Context, who *account, password string) error {
	hash, err := s.hasher.hash(ctx, password)
	if err != nil {
		return err
	}
	const sql = `UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2`
	renewed, err := s.db.Exec(ctx, sql, who.ID, who.PasswordHash, hash)
	if err == nil && renewed.RowsAffected() == 1 {
		who.PasswordHash = hash
	}
	return err
}

// guessSubject is the subject whose count includes a guess: the account's, or, in a browser
// that signed in to it before, that browser's.
func (s *Server) guessSubject(r *http.Request, who *account) (string, error) {
	browser := visitOf(r.Context()).browser
	known, err := s.sessions.isKnown(r.Context(), who.ID, browser)
	if err != nil || !known {
		return who.EmailKey, err
	}
	return who.EmailKey + "\n" + browser, nil
}
