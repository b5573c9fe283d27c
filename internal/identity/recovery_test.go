package identity_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/tradepost/tradepost/internal/local/asvs"
)

const nextPassword = "copper-meadow-satellite-7"

// forgot asks for a reset and returns the link that came by mail.
func (s *stack) forgot(t *testing.T, email string) string {
	t.Helper()
	b := newBrowser(t)
	p := b.submit(b.open(s.idp.URL+"/forgot"), "/forgot", map[string]string{"email": email})
	require.Equal(t, "/forgot/sent", p.url.Path)
	message := s.mail.next(t, email, "Set a new password")
	require.Contains(t, message.HTML, "/reset?token=")
	return linkPattern.FindString(message.Text)
}

// A reset link works once, also in a race; it ends every session and every other link,
// lifts the lock and proves the address.
func TestResetLinkIsSingleUse(t *testing.T) {
	s := start(t)
	old := newBrowser(t)
	s.signUp(t, old, "reset@example.com")
	for range 12 {
		newBrowser(t).signIn(s, "reset@example.com", "wrong")
	}
	require.Equal(t, http.StatusTooManyRequests, newBrowser(t).signIn(s, "reset@example.com", goodPassword).status)
	older, link := s.forgot(t, "reset@example.com"), s.forgot(t, "reset@example.com")
	weak := newBrowser(t)
	p := weak.submit(weak.open(link), "/reset", map[string]string{"new_password": "reset@example.com"})
	require.Equal(t, http.StatusUnprocessableEntity, p.status, "a weak password does not use the link up")

	var mu sync.Mutex
	var crowd sync.WaitGroup
	ends := map[string]int{}
	browsers, forms := make([]*browser, 8), make([]page, 8)
	for i := range browsers {
		browsers[i] = newBrowser(t)
		forms[i] = browsers[i].open(link)
	}
	for i, b := range browsers {
		crowd.Go(func() {
			p := b.submit(forms[i], "/reset", map[string]string{"new_password": nextPassword})
			mu.Lock()
			defer mu.Unlock()
			ends[p.url.Path]++
		})
	}
	crowd.Wait()
	require.Equal(t, map[string]int{"/signin": 1, "/reset": 7}, ends, asvs.Claim(t, "6.4.1"))
	for name, done := range map[string]string{"it was used": link, "older links die with it": older} {
		again := newBrowser(t).open(done) // leads on
		require.Equal(t, http.StatusOK, again.status, name)
		require.Contains(t, again.body, "Your password is already changed", name)
		require.Contains(t, again.body, `href="/signin"`, name)
		require.NotContains(t, again.body, "new_password", name)
	}
	late := browsers[0].submit(forms[0], "/reset", map[string]string{"new_password": goodPassword})
	require.Equal(t, "/reset", late.url.Path)
	require.Contains(t, late.body, "Your password is already changed")
	require.Equal(t, "/signin", old.open(s.idp.URL+"/account").url.Path, "sessions ended")
	require.Equal(t, http.StatusUnauthorized, newBrowser(t).signIn(s, "reset@example.com", goodPassword).status)
	in := newBrowser(t)
	require.Equal(t, "/api/login", in.signIn(s, "reset@example.com", nextPassword).url.Path)
	require.Contains(t, in.open(s.idp.URL+"/account").body, "Confirmed")
	s.mail.next(t, "reset@example.com", "was changed")
}

func TestExpiredAndForeignLinks(t *testing.T) {
	s := start(t)
	link := s.forgot(t, "casey@example.com")
	require.Equal(t, http.StatusGone, newBrowser(t).open(strings.Replace(link, "/reset", "/verify", 1)).status, "another purpose")
	_, err := s.db.Exec(t.Context(), `UPDATE mail_links SET expires_at = now()`)
	require.NoError(t, err)
	require.Equal(t, http.StatusGone, newBrowser(t).open(link).status)
	require.Equal(t, http.StatusGone, newBrowser(t).open(s.idp.URL+"/reset").status)
}

// A password does not expire by its age (ASVS 6.2.10).
func TestPasswordsDoNotExpire(t *testing.T) {
	s := start(t)
	_, err := s.db.Exec(t.Context(), `UPDATE users SET password_changed_at = now() - interval '10 years'`)
	require.NoError(t, err)
	require.Equal(t, "/api/login", newBrowser(t).signIn(s, "casey@example.com", demoPassword).url.Path, asvs.Claim(t, "6.2.10"))
}

// Changing the password asks for the current one, keeps this browser, and
// signs the others out.
func TestChangePassword(t *testing.T) {
	s := start(t)
	here, there := newBrowser(t), newBrowser(t)
	s.signUp(t, here, "change@example.com")
	there.signIn(s, "change@example.com", goodPassword)
	form := here.open(s.idp.URL + "/account/password")
	for typed, want := range map[[2]string]string{
		{"not this one", nextPassword}: "Enter your current password",
		{goodPassword, goodPassword}:   "differs from your current",
		{goodPassword, "change"}:       "at least 10",
		{"", nextPassword}:             "Enter a password",
	} {
		p := here.submit(form, "/account/password", map[string]string{"current_password": typed[0], "new_password": typed[1]})
		require.Equal(t, http.StatusUnprocessableEntity, p.status)
		require.Contains(t, p.body, want, asvs.Claim(t, "6.2.3"))
	}
	before := here.cookie(s, "identity_session")
	p := here.submit(form, "/account/password", map[string]string{"current_password": goodPassword, "new_password": nextPassword})
	require.Equal(t, "/account", p.url.Path, asvs.Claim(t, "6.2.2"))
	require.Contains(t, p.body, "signed out everywhere else")
	require.NotEqual(t, before, here.cookie(s, "identity_session"))
	require.Equal(t, "/signin", there.open(s.idp.URL+"/account").url.Path)
	for _, other := range []string{strings.ToUpper(nextPassword), nextPassword + " ", nextPassword[:len(nextPassword)-1]} {
		require.Equal(t, http.StatusUnauthorized, newBrowser(t).signIn(s, "change@example.com", other).status, asvs.Claim(t, "6.2.8"))
	}
	s.mail.next(t, "change@example.com", "was changed")
}

// A mail asked for while the mail server is down arrives once it is back.
func TestMailSurvivesOutage(t *testing.T) {
	s := start(t)
	s.mail.setDown(true)
	b := newBrowser(t)
	p := b.submit(b.open(s.idp.URL+"/signup"), "/signup", person("outage@example.com"))
	s.wait(t, `SELECT count(*) = 1 FROM outbox WHERE last_error <> ''`)
	s.mail.setDown(false)
	_, err := s.db.Exec(t.Context(), `UPDATE outbox SET next_try_at = now()`)
	require.NoError(t, err)
	require.Equal(t, "/api/login", s.confirm(t, b, p, "outage@example.com").url.Path)
	s.wait(t, `SELECT count(*) = 0 FROM outbox`)
}

// A mailbox's owner does not confirm its address for another person's account: the
// account's password has to be given, or its session.
func TestAnAddressIsConfirmedByWhoHasTheAccount(t *testing.T) {
	s := start(t)
	squatter, owner := newBrowser(t), newBrowser(t)
	for b, email := range map[*browser]string{squatter: "invited@example.com", owner: "somebody.else@example.com"} {
		s.signUp(t, b, email)
		s.unconfirm(t, email)
	}
	link := s.resend(t, squatter, "invited@example.com")
	for _, b := range []*browser{owner, newBrowser(t)} {
		form := b.open(link)
		require.Contains(t, form.body, "password")
		for _, typed := range []map[string]string{nil, {"password": nextPassword}} {
			require.Equal(t, http.StatusUnprocessableEntity, b.submit(form, "/verify", typed).status)
		}
	}
	s.wait(t, `SELECT email_verified_at IS NULL FROM users WHERE email = 'invited@example.com'`)
	form := squatter.open(link)
	require.NotContains(t, form.body, `type="password"`)
	require.Equal(t, "/verified", squatter.submit(form, "/verify", nil).url.Path)
	again := squatter.open(link)
	require.Equal(t, http.StatusOK, again.status, "a link that is followed again leads on")
	require.Contains(t, again.body, "E-mail address confirmed")
	require.NotContains(t, again.body, `action="/verify"`)
	require.NotContains(t, squatter.open(s.idp.URL+"/account").body, "/verify/resend")

	// Its owner may read mail in another browser, without a session.
	link = s.resend(t, owner, "somebody.else@example.com")
	phone := newBrowser(t)
	require.Equal(t, "/verified", phone.submit(phone.open(link), "/verify", map[string]string{"password": goodPassword}).url.Path)
	s.wait(t, `SELECT email_verified_at IS NOT NULL FROM users WHERE email = 'somebody.else@example.com'`)
	require.Equal(t, "/signin", phone.open(s.idp.URL+"/account").url.Path, "that signs nobody in")
}

// Sign-up names each field that is wrong and keeps what was typed, save the
// password.
func TestSignUpFaults(t *testing.T) {
	s := start(t)
	b := newBrowser(t)
	form := b.open(s.idp.URL + "/signup")
	cases := map[string]struct{ value, want string }{
		"email":         {"not an address", "name@example.com"},
		"new_password":  {"tradepost123", "easy to guess"},
		"given_name":    {"<script>alert(1)</script>\u202e", "not displayed"},
		"family_name":   {strings.Repeat("é", 61), "at most 60"},
		"country":       {"XX", "Select your country"},
		"adult":         {"", "18 or older to open"},
		"terms":         {"", "Accept the terms"},
		"terms_version": {"1999-01-01", "terms have changed"},
	}
	for name, c := range cases {
		typed := person("faults@example.com")
		typed[name] = c.value
		p := b.submit(form, "/signup", typed)
		require.Equal(t, http.StatusUnprocessableEntity, p.status, name)
		require.Contains(t, p.body, c.want, name+" "+asvs.Claim(t, "6.2.11"))
		require.NotContains(t, p.body, "<script>alert")
		require.NotContains(t, p.body, goodPassword)
	}
	require.Zero(t, s.count(t, `SELECT count(*) FROM users WHERE NOT demo`)+s.count(t, `SELECT count(*) FROM signups`))
}

// What opens an account appears in no log line and nowhere readable in the
// database (the part of bar 35 that is ours).
func TestBar35SecretsStayOut(t *testing.T) {
	s := start(t)
	b := newBrowser(t)
	s.signUp(t, b, "canary@example.com")
	reset := s.forgot(t, "canary@example.com")
	f := newFlow()
	b.open(s.authorizeURL(f))
	code := s.code(t, f)
	newBrowser(t).signIn(s, "canary@example.com", "canary-wrong-password")
	b.open(s.idp.URL + "/reset?token=canary-wrong-token")
	link, err := url.Parse(reset)
	require.NoError(t, err)
	secrets := []string{goodPassword, "canary-wrong-password", "canary-wrong-token", link.Query().Get("token"), code, f.verifier,
		b.cookie(s, "identity_session"), b.cookie(s, "identity_browser"), s.config.ClientSecret, s.config.SecretKey}
	_, err = s.oauth.Exchange(t.Context(), code)
	require.Error(t, err)
	dump := s.log.String()
	require.Contains(t, dump, `path=/signup`)
	rows, err := s.db.Query(t.Context(), `SELECT query_to_xml(format('SELECT * FROM identity.%I', relname), false, false, '')::text
		FROM pg_class WHERE relnamespace = 'identity'::regnamespace AND relkind = 'r'`)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		dump += text
	}
	require.NoError(t, rows.Err())
	require.Contains(t, dump, "canary@example.com")
	for _, secret := range secrets {
		require.NotEmpty(t, secret)
		require.NotContains(t, dump, secret)
	}
}

// Bar 7: what was begun with the old password is void after a new one: both a sign-in that
// only has to be fetched, and a code that was.
func TestBar07ANewPasswordEndsWhatWasBegunWithTheOld(t *testing.T) {
	s := start(t)
	owner := newBrowser(t)
	owner.signIn(s, "casey@example.com", demoPassword)
	begun := func() (thief *browser, f flow, callback string) {
		thief, f = newBrowser(t), newFlow()
		p := thief.open(s.authorizeURL(f))
		thief.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		p = thief.submit(p, "/signin", map[string]string{"email": "casey@example.com", "password": demoPassword})
		require.Equal(t, http.StatusSeeOther, p.status)
		return thief, f, s.idp.URL + p.header.Get("Location")
	}
	waiting, _, fetch := begun()
	holding, f, fetched := begun()
	sent := holding.open(fetched)
	to, err := url.Parse(sent.header.Get("Location"))
	require.NoError(t, err)
	require.NotEmpty(t, to.Query().Get("code"))

	owner.submit(owner.open(s.idp.URL+"/account/password"), "/account/password", map[string]string{"current_password": demoPassword, "new_password": nextPassword})
	answer, err := url.Parse(waiting.open(fetch).header.Get("Location"))
	require.NoError(t, err)
	require.Empty(t, answer.Query().Get("code"))
	require.Equal(t, "interaction_required", answer.Query().Get("error"), "the client begins a sign-in anew")
	_, err = s.oauth.Exchange(t.Context(), to.Query().Get("code"), oauth2.VerifierOption(f.verifier))
	require.Error(t, err)
}
