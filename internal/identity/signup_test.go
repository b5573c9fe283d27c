package identity_test

import (
	"fmt"
	"html"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/oauth2"

	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/internal/mail"
)

// wrong is six digits that are not this code.
func wrong(code string) string {
	if code == "000000" {
		return "000001"
	}
	return "000000"
}

// Sign-up answers alike, in text, status and work, whether an address has an account or
// not: the page of the form, the one of the code, and a new code. The mail discloses it to
// the mailbox's owner alone.
func TestSignUpDoesNotRevealWhoHasAnAccount(t *testing.T) {
	s := start(t)
	_, err := s.db.Exec(t.Context(), `UPDATE users SET disabled_at = now() WHERE email_key = 'bob@example.com'`)
	require.NoError(t, err)
	walk := func(email string) (answers []string) {
		b := newBrowser(t)
		form := b.open(s.idp.URL + "/signup")
		var p page
		hashed := hashes(func() { p = b.submit(form, "/signup", person(email)) })
		require.EqualValues(t, 1, hashed, "%s costs one hash", email)
		for _, answer := range []page{p, b.submit(p, "/signup/code", map[string]string{"code": "12 34"}), b.submit(p, "/signup/code/resend", nil)} {
			answers = append(answers, fmt.Sprint(answer.status, answer.url.Path, len(answer.header), plain(answer, email)))
		}
		return answers
	}
	free := walk("free@example.com")
	for _, taken := range []string{"Casey@example.com", "bob@example.com"} {
		require.Equal(t, free, walk(taken), taken)
	}
	require.Contains(t, free[0], "Check your e-mail")

	message := s.mail.next(t, "casey@example.com", "already have a Tradepost account")
	require.NotRegexp(t, codePattern, message.Text)
	require.Contains(t, message.Text, s.idp.URL+"/signin")
	require.Contains(t, message.Text, "Forgot password?")
	s.mail.next(t, "casey@example.com", "already have a Tradepost account")
	s.mailedCode(t, "free@example.com")
	s.wait(t, `SELECT count(*) = 0 FROM outbox`)
	s.mail.mu.Lock()
	require.False(t, slices.ContainsFunc(s.mail.got, func(m mail.Message) bool { return m.To == "bob@example.com" }), "a disabled account hears nothing")
	s.mail.mu.Unlock()
	require.Equal(t, 4, s.count(t, `SELECT count(*) FROM users`))
}

// A code opens one account once, in the browser that requested it alone, also in a race;
// and the account is the one that was typed there.
func TestACodeIsForOneBrowserAndWorksOnce(t *testing.T) {
	s := start(t)
	b, thief := newBrowser(t), newBrowser(t)
	f := newFlow()
	p := b.submit(b.open(s.authorizeURL(f, oauth2.SetAuthURLParam("prompt", "create"))), "/signup", person("once@example.com"))
	code := s.mailedCode(t, "once@example.com")
	require.Zero(t, s.count(t, `SELECT count(*) FROM users WHERE email_key = 'once@example.com'`), "no account before the code")
	require.Equal(t, http.StatusUnauthorized, newBrowser(t).signIn(s, "once@example.com", goodPassword).status)

	form := thief.open(s.idp.URL + "/signup")
	stolen := hiddenFields(t, form.body, "/signup")
	stolen.Set("signup", p.url.Query().Get("signup"))
	stolen.Set("code", code)
	require.Equal(t, http.StatusGone, thief.do(http.MethodPost, s.idp.URL+"/signup/code", stolen).status)
	require.Equal(t, http.StatusGone, thief.open(p.url.String()).status)

	again := s.idp.URL + "/signup?signup=" + p.url.Query().Get("signup")
	require.Contains(t, html.UnescapeString(b.open(again).body), `value="O’Neil-Núñez"`, "another address: what was typed stays")
	require.NotContains(t, html.UnescapeString(thief.open(again).body), "Núñez")

	var mu sync.Mutex
	var crowd sync.WaitGroup
	ends := map[int]int{}
	b.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for range 5 {
		crowd.Go(func() {
			end := b.submit(p, "/signup/code", map[string]string{"code": code[:3] + " " + code[3:]})
			mu.Lock()
			defer mu.Unlock()
			ends[end.status]++
		})
	}
	crowd.Wait()
	require.Equal(t, 1, ends[http.StatusSeeOther], "%v: %s", ends, asvs.Claim(t, "6.6.2"))
	require.Equal(t, 1, s.count(t, `SELECT count(*) FROM users WHERE email_key = 'once@example.com' AND email_verified_at IS NOT NULL`))
	require.Zero(t, s.count(t, `SELECT count(*) FROM signups`))
	require.Equal(t, "/api/login", newBrowser(t).signIn(s, "once@example.com", goodPassword).url.Path)
}

// Five wrong codes end one, the right one included; a new code replaces it, and the number
// of both is bounded by address.
func TestBar13CodesAreNotGuessed(t *testing.T) {
	s := start(t)
	b := newBrowser(t)
	p := b.submit(b.open(s.idp.URL+"/signup"), "/signup", person("guess@example.com"))
	code := s.mailedCode(t, "guess@example.com")
	for range 5 {
		answer := b.submit(p, "/signup/code", map[string]string{"code": wrong(code)})
		require.Equal(t, http.StatusUnprocessableEntity, answer.status)
		require.Contains(t, answer.body, "This isn’t the code")
	}
	answer := b.submit(p, "/signup/code", map[string]string{"code": code})
	require.Equal(t, http.StatusTooManyRequests, answer.status, asvs.Claim(t, "6.3.1")+" "+asvs.Claim(t, "6.6.3"))
	require.Equal(t, 5, s.count(t, `SELECT count(*) FROM events WHERE kind = 'sign_up_code_failed'`))

	again := b.submit(answer, "/signup/code/resend", nil)
	require.Contains(t, again.body, "An earlier code no longer works")
	second := s.mailedCode(t, "guess@example.com")
	require.NotEqual(t, code, second)
	require.Equal(t, http.StatusUnprocessableEntity, b.submit(p, "/signup/code", map[string]string{"code": code}).status)
	for range 3 {
		require.Equal(t, http.StatusOK, b.submit(p, "/signup/code/resend", nil).status)
	}
	require.Equal(t, http.StatusTooManyRequests, b.submit(p, "/signup/code/resend", nil).status)
	require.Equal(t, http.StatusTooManyRequests, newBrowser(t).begins(s, "guess@example.com").status, "whoever asks")
}

func (b *browser) begins(s *stack, email string) page {
	b.t.Helper()
	return b.submit(b.open(s.idp.URL+"/signup"), "/signup", person(email))
}

// Two people may begin with one address: the first right code has it, and the second is
// informed only once they have shown that they read its mail. A sign-up ends with its hour.
func TestTheFirstRightCodeHasTheAddress(t *testing.T) {
	s := start(t)
	first, second, late := newBrowser(t), newBrowser(t), newBrowser(t)
	one, two := first.begins(s, "both@example.com"), second.begins(s, "both@example.com")
	codes := []string{s.mailedCode(t, "both@example.com"), s.mailedCode(t, "both@example.com")}
	require.NotEqual(t, codes[0], codes[1])
	require.Equal(t, "/api/login", first.submit(one, "/signup/code", map[string]string{"code": codes[0]}).url.Path)
	require.Equal(t, http.StatusUnprocessableEntity, second.submit(two, "/signup/code", map[string]string{"code": codes[0]}).status)
	reported := second.submit(two, "/signup/code", map[string]string{"code": codes[1]})
	require.Equal(t, http.StatusConflict, reported.status)
	require.Contains(t, reported.body, "You already have an account")

	over := late.begins(s, "late@example.com")
	code := s.mailedCode(t, "late@example.com")
	_, err := s.db.Exec(t.Context(), `UPDATE signups SET expires_at = now()`)
	require.NoError(t, err)
	require.Equal(t, http.StatusGone, late.submit(over, "/signup/code", map[string]string{"code": code}).status)
	require.Equal(t, http.StatusGone, late.submit(over, "/signup/code/resend", nil).status)
	require.Zero(t, s.count(t, `SELECT count(*) FROM users WHERE email_key = 'late@example.com'`))
}

// A request that ran out while the mail was on its way opens the account all the same,
// and the site begins another one. The mail is in the language of the page.
func TestASignUpOutlivesItsRequest(t *testing.T) {
	s := start(t)
	b := newBrowser(t)
	p := b.open(s.authorizeURL(newFlow(), oauth2.SetAuthURLParam("prompt", "create"), oauth2.SetAuthURLParam("ui_locales", "es")))
	p = b.submit(p, "/signup", person("slow@example.com"))
	require.Contains(t, p.body, "Revisa tu correo")
	code := codePattern.FindString(s.mail.next(t, "slow@example.com", "Tu código de confirmación").Text)
	_, err := s.db.Exec(t.Context(), `UPDATE auth_requests SET expires_at = now()`)
	require.NoError(t, err)
	require.Equal(t, "/api/login", b.submit(p, "/signup/code", map[string]string{"code": code}).url.Path)
	require.Contains(t, b.open(s.idp.URL+"/account").body, "slow@example.com")
	require.False(t, strings.Contains(s.log.String(), code), "no code in the log")
}
