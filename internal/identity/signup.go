package identity

import (
	"context"
	"net/http"
	"net/mail"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tradepost/tradepost/internal/typed"
)

// Bounds of what a person types, in characters.
const (
	maxEmailLength = 254
)

func (s *Server) signUpPage(w http.ResponseWriter, r *http.Request) {
	request, ok := s.optionalRequest(w, r)
	if !ok {
		return
	}
	found, ok := s.current(w, r)
	if !ok {
		return
	}
	data := s.signUpView(r, request)
	if found != nil && request != nil {
		data.Signed = found.account
	}
	if request != nil {
		data.Values = map[string]string{"email": request.LoginHint}
	}
	if again, err := s.signups.open(r.Context(), r.FormValue("signup"), visitOf(r.Context()).browser); err == nil {
		data.Values = again.values()
	}
	data.Alert = s.site.signUpsPaused(r.Context())
	s.views.show(w, r, http.StatusOK, "signup", data)
}

func (s *Server) signUpView(r *http.Request, request *authRequest) view {
	return view{
		Title: textsOf(r.Context()).SignUpTitle, Lead: textsOf(r.Context()).SignUpLead, Request: requestID(request),
		Countries: textsOf(r.Context()).countries(), Terms: s.settings.termsVersion(),
	}
}

// signUp stores the form and sends a code to the address. The answer is the same, and costs
// the same work, whether the address has an account or not.
func (s *Server) signUp(w http.ResponseWriter, r *http.Request) {
	request, ok := s.optionalRequest(w, r)
	if !ok {
		return
	}
	form := readSignUp(r)
	data := s.signUpView(r, request)
	data.Values, data.Faults = form.values(), form.faults(s.settings, textsOf(r.Context()))
	if len(data.Faults) > 0 {
		s.views.show(w, r, http.StatusUnprocessableEntity, "signup", data)
		return
	}
	if data.Alert = s.site.signUpsPaused(r.Context()); data.Alert != "" {
		s.views.show(w, r, http.StatusServiceUnavailable, "signup", data)
		return
	}
	begun, err := s.beginSignUp(r, form)
	if err != nil {
		s.broken(w, r, err)
		return
	}
	s.outbox.signal()
	http.Redirect(w, r, codePath(begun.ID.String(), requestID(request)), http.StatusSeeOther)
}

func (s *Server) beginSignUp(r *http.Request, form signUpForm) (*signup, error) {
	ctx, from := r.Context(), visitOf(r.Context())
	n := &signup{
		ID: uuid.New(), Email: form.email, EmailKey: emailKey(form.email),
		GivenName: form.givenName, FamilyName: form.familyName, Country: form.country, TermsVersion: form.termsVersion,
	}
	if err := s.mayMailSignUp(ctx, n.EmailKey); err != nil {
		return nil, err
	}
	hash, err := s.hasher.hash(ctx, form.password)
	if err != nil {
		return nil, err
	}
	n.PasswordHash = hash
	return n, s.signups.begin(ctx, n, from)
}

// mayMailSignUp counts a mail of a sign-up, by requester and by recipient.
func (s *Server) mayMailSignUp(ctx context.Context, key string) error {
	from := visitOf(ctx)
	if err := s.limits.take(ctx, signupLimit(s.settings.SignupsHourly), from.address, nil, from.address); err != nil {
		return err
	}
	return s.limits.take(ctx, limitSignupMail, key, nil, from.address)
}

// signUpForm is what a person typed, trimmed.
type signUpForm struct {
	email, password, givenName, familyName, country, termsVersion string
	adult, terms                                                  bool
}

func readSignUp(r *http.Request) signUpForm {
	text := func(field string) string { return strings.TrimSpace(r.PostFormValue(field)) }
	name := func(field string) string {
		clean, _ := typed.Name(r.PostFormValue(field))
		return clean
	}
	return signUpForm{
		email: typed.Email(text("email")), password: typed.Password(r.PostFormValue("new_password")),
		givenName: name("given_name"), familyName: name("family_name"), country: text("country"),
		termsVersion: text("terms_version"), adult: text("adult") == "yes", terms: text("terms") == "yes",
	}
}

// values is what the form shows again. The password has to be typed again.
func (f signUpForm) values() map[string]string {
	values := map[string]string{"email": f.email, "given_name": f.givenName, "family_name": f.familyName, "country": f.country}
	if f.adult {
		values["adult"] = "yes"
	}
	if f.terms {
		values["terms"] = "yes"
	}
	return values
}

// values is what the form shows to a person who changes the address; both boxes were
// ticked.
func (n *signup) values() map[string]string {
	return signUpForm{email: n.Email, givenName: n.GivenName, familyName: n.FamilyName, country: n.Country, adult: true, terms: true}.values()
}

// faults names what is missing or wrong, by control.
func (f signUpForm) faults(s *settings, t *catalogue) map[string]string {
	faults := map[string]string{
		"email":        emailFault(t, f.email),
		"new_password": passwordFault(t, f.password, f.email, f.givenName, f.familyName, s.Brand),
		"given_name":   nameFault(t, f.givenName, t.GivenNameMissing),
		"family_name":  nameFault(t, f.familyName, t.FamilyNameMissing),
	}
	if !knownCountry(f.country) {
		faults["country"] = t.CountryMissing
	}
	if !f.adult {
		faults["adult"] = t.AdultMissing
	}
	switch {
	case !f.terms:
		faults["terms"] = t.TermsMissing
	case f.termsVersion != s.termsVersion():
		faults["terms"] = t.TermsChanged
	}
	for name, fault := range faults {
		if fault == "" {
			delete(faults, name)
		}
	}
	return faults
}

// emailFault returns what is wrong with an address, or "". Only mail to it
// proves that it exists.
func emailFault(t *catalogue, email string) string {
	if email == "" {
		return t.EmailMissing
	}
	parsed, err := mail.ParseAddress(email)
	if err != nil || parsed.Address != email || len(email) > maxEmailLength {
		return t.EmailInvalid
	}
	local, domain, _ := strings.Cut(email, "@")
	if len(local) > 64 || !strings.Contains(strings.Trim(domain, "."), ".") || strings.ContainsAny(email, "\"[]\x00") {
		return t.EmailInvalid
	}
	ascii := typed.ASCIIDomain(domain) // what no relay could be given has no mailbox
	if len(local)+1+len(ascii) > maxEmailLength || strings.ContainsFunc(ascii, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return t.EmailInvalid
	}
	return ""
}

// nameFault returns what is wrong with a name, or "".
func nameFault(t *catalogue, name, missing string) string {
	switch _, fault := typed.Name(name); fault {
	case typed.NameEmpty:
		return missing
	case typed.NameLong:
		return t.NameLong
	case typed.NameControl:
		return t.NameInvalid
	}
	return ""
}
