package api

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/store"
)

// begin starts a sign-in and gives the request that the browser sends to the issuer.
func (v *visitor) begin() url.Values {
	v.Helper()
	request := v.asked("/api/login")
	require.Equal(v, "S256", request.Get("code_challenge_method"))
	return request
}

// asked is what a path of ours sends the browser to the issuer with.
func (v *visitor) asked(path string) url.Values {
	v.Helper()
	to, err := url.Parse(v.get(path).is(http.StatusSeeOther).header.Get("Location"))
	require.NoError(v, err)
	return to.Query()
}

// arrive comes back from the issuer with a code.
func (v *visitor) arrive(code, state string, headers ...string) *answer {
	v.Helper()
	return v.get("/api/login/callback?"+url.Values{"code": {code}, "state": {state}}.Encode(), headers...)
}

// signIn goes the whole way and gives the user's id.
func (v *visitor) signIn(who map[string]any) string {
	v.Helper()
	request := v.begin()
	v.arrive(v.issuer.approve(request, who), request.Get("state")).is(http.StatusSeeOther)
	return v.get("/api/auth/user").is(http.StatusOK).text("id")
}

func (v *visitor) sessionCookie() string { return v.cookie(rest.SessionCookie) }

// cookie is what the visitor's browser keeps under a name.
func (v *visitor) cookie(name string) string {
	v.Helper()
	site, err := url.Parse(v.origin)
	require.NoError(v, err)
	for _, c := range v.client.Jar.Cookies(site) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

func TestSignUpRecordsWhatWasAccepted(t *testing.T) {
	h := open(t)
	id := h.visitor().signIn(person("s1", "ada@example.com", true))
	require.Equal(t, "2026-01-01 US 2026-01-02 03:04:05+00 2026-01-02 03:04:05+00",
		one[string](h, `SELECT terms_version || ' ' || country || ' ' || terms_accepted_at || ' ' || adult_confirmed_at FROM users WHERE id = $1`, id))
}

func TestBar06ASessionFromBeforeSignInIsWorthless(t *testing.T) {
	h := open(t)
	v := h.visitor()
	v.signIn(person("s1", "ada@example.com", true))
	before := v.sessionCookie()
	v.signIn(person("s1", "ada@example.com", true))
	require.NotEqual(t, before, v.sessionCookie())
	old := h.visitor()
	old.get("/api/auth/user", "Cookie", rest.SessionCookie+"="+before).is(http.StatusUnauthorized)
	v.get("/api/auth/user").is(http.StatusOK)
}

func TestBar07EndingAnAccountOrRoleCountsOnEveryReplicaAtOnce(t *testing.T) {
	h := open(t)
	admin := h.customer("admin")
	second := h.serve()
	elsewhere := *admin
	elsewhere.origin = second.URL
	elsewhere.client = &http.Client{Jar: jarFor(admin, second.URL)}
	elsewhere.get("/api/admin/orders").is(http.StatusOK)

	h.customer("admin") // the last one stays
	h.exec(`DELETE FROM user_roles WHERE user_id = $1`, admin.userID)
	elsewhere.get("/api/admin/orders").is(http.StatusForbidden)
	h.exec(`UPDATE users SET disabled_at = clock_now() WHERE id = $1`, admin.userID)
	elsewhere.get("/api/auth/user").is(http.StatusUnauthorized, asvs.Claim(t, "7.4.2"))

	v := h.visitor()
	v.signIn(person("s2", "bea@example.com", true))
	token := v.sessionCookie()
	v.get("/api/logout", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate").is(http.StatusOK) // asks
	v.post("/api/logout", "", "Origin", "https://evil.example").refused(http.StatusForbidden, "cross_origin")
	v.get("/api/auth/user").is(http.StatusOK)
	v.get("/api/logout", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "navigate").is(http.StatusSeeOther)
	h.visitor().get(second.URL+"/api/auth/user", "Cookie", rest.SessionCookie+"="+token).is(http.StatusUnauthorized, asvs.Claim(t, "7.2.1", "7.4.1"))
}

func TestBar08NoSessionForAnythingThatWasTamperedWith(t *testing.T) {
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	claim := func(name string, value any) func(*issuer) {
		return func(i *issuer) { i.twist = func(c map[string]any) { c[name] = value } }
	}
	for name, lie := range map[string]func(*issuer){
		"nonce":     claim("nonce", "another"),
		"issuer":    claim("iss", "https://evil.example"),
		"audience":  claim("aud", "somebody-else"),
		"expired":   claim("exp", 1),
		"signature": func(i *issuer) { i.signer = other },
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			v := h.visitor()
			lie(h.issuer)
			request := v.begin()
			v.arrive(h.issuer.approve(request, person("s1", "ada@example.com", true)), request.Get("state")).is(http.StatusForbidden, asvs.Claim(t, "6.8.2", "9.1.1", "9.1.3", "9.2.1", "9.2.3", "10.5.1", "10.5.4"))
			v.noSession()
		})
	}
	t.Run("state, code and browser", func(t *testing.T) {
		h := open(t)
		v := h.visitor()
		request := v.begin()
		v.arrive(h.issuer.approve(request, person("s1", "ada@example.com", true)), "tampered").is(http.StatusForbidden, asvs.Claim(t, "10.2.1"))
		thief := h.visitor()
		thief.begin()
		thief.arrive(h.issuer.approve(request, person("s1", "ada@example.com", true)), request.Get("state")).is(http.StatusForbidden, asvs.Claim(t, "10.1.2"))
		thief.noSession()
		v.noSession()

		request = v.begin()
		code := h.issuer.approve(request, person("s1", "ada@example.com", true))
		v.arrive(code, request.Get("state")).is(http.StatusSeeOther)
		before := v.sessionCookie()
		v.arrive(code, request.Get("state")).is(http.StatusSeeOther)
		require.Equal(t, before, v.sessionCookie(), "a code is worth one session")
		require.Equal(t, 1, one[int](h, `SELECT count(*) FROM sessions`))
	})
}

// A finished step is not a failure: the callback again leads where the sign-in was to lead, and opens no session;
// without a session the sign-in begins again with the same destination.
func TestACallbackAgainLeadsOn(t *testing.T) {
	h := open(t)
	v := h.visitor()
	request := v.asked("/api/login?returnTo=%2Forders%2F1")
	code := h.issuer.approve(request, person("s1", "ada@example.com", true))
	require.Equal(t, "/orders/1", v.arrive(code, request.Get("state")).is(http.StatusSeeOther).header.Get("Location"))
	before := v.sessionCookie()
	again := v.arrive(code, request.Get("state")).is(http.StatusSeeOther)
	require.Equal(t, "/orders/1", again.header.Get("Location"))
	require.Equal(t, before, v.sessionCookie())
	require.Equal(t, "/", v.arrive(code, "unknown").is(http.StatusSeeOther).header.Get("Location"))

	thief := h.visitor()
	thief.begin()
	thief.arrive(code, request.Get("state")).is(http.StatusForbidden)

	h.exec(`DELETE FROM sessions`)
	fresh, err := url.Parse(v.arrive(code, request.Get("state")).is(http.StatusSeeOther).header.Get("Location"))
	require.NoError(t, err)
	require.Equal(t, h.issuer.URL, fresh.Scheme+"://"+fresh.Host)
	code = h.issuer.approve(fresh.Query(), person("s1", "ada@example.com", true))
	require.Equal(t, "/orders/1", v.arrive(code, fresh.Query().Get("state")).is(http.StatusSeeOther).header.Get("Location"))
}

// A page of the identity provider whose sign-in has expired sends the browser back: it begins again, with the same
// destination.
func TestAnExpiredPageOfTheIssuerBeginsAgain(t *testing.T) {
	h := open(t)
	v := h.visitor()
	request := v.asked("/api/login?returnTo=%2Fbuy")
	back := v.get("/api/login/callback?" + url.Values{"error": {"interaction_required"}, "state": {request.Get("state")}}.Encode())
	fresh, err := url.Parse(back.is(http.StatusSeeOther).header.Get("Location"))
	require.NoError(t, err)
	require.NotEqual(t, request.Get("state"), fresh.Query().Get("state"))
	code := h.issuer.approve(fresh.Query(), person("s1", "ada@example.com", true))
	require.Equal(t, "/buy", v.arrive(code, fresh.Query().Get("state")).is(http.StatusSeeOther).header.Get("Location"))
}

// When a session ends, every tab of the browser goes to the issuer at once; the person signs in in any of them.
func TestEveryTabThatBeganASignInMayEndIt(t *testing.T) {
	h := open(t)
	v := h.visitor()
	v.signIn(person("s1", "ada@example.com", true))
	v.get("/api/logout", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "navigate").is(http.StatusSeeOther)

	tab := *v // both ask before either has an answer
	tab.client = &http.Client{Jar: jarFor(v, v.origin), CheckRedirect: v.client.CheckRedirect}
	first, second := v.begin(), tab.begin()
	for _, request := range []url.Values{first, second} {
		v.arrive(h.issuer.approve(request, person("s1", "ada@example.com", true)), request.Get("state")).is(http.StatusSeeOther)
		v.get("/api/auth/user").is(http.StatusOK)
	}
}

func (v *visitor) noSession() {
	v.Helper()
	require.Empty(v, v.sessionCookie())
	v.get("/api/auth/user").is(http.StatusUnauthorized)
	require.Zero(v, one[int](v.testServer, `SELECT count(*) FROM sessions`))
}

func TestBar10AccountsAreKeyedByIssuerAndSubject(t *testing.T) {
	h := open(t)
	h.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'https://another.example', 's1', 'ada@example.com', true)`, store.NewID())
	first := h.visitor().signIn(person("s1", "ada@example.com", true))
	require.Equal(t, h.issuer.URL, one[string](h, `SELECT issuer FROM users WHERE id = $1`, first), asvs.Claim(t, "6.8.1", "10.5.2", "10.3.3"))
	again := h.visitor().signIn(person("s1", "moved@example.com", true))
	require.Equal(t, first, again, "a new address does not make a new account")
	namesake := h.visitor().signIn(person("s2", "ada@example.com", true))
	require.NotEqual(t, first, namesake)
}

func TestPromisedRolesNeedAVerifiedAddress(t *testing.T) {
	h := open(t)
	_, err := account.GrantRole(t.Context(), h.db, h.issuer.URL, "boss@example.com", "admin", "test")
	require.NoError(t, err)
	impostor := h.visitor()
	impostor.signIn(person("x", "boss@example.com", false))
	impostor.get("/api/admin/orders").is(http.StatusForbidden)
	boss := h.visitor()
	boss.signIn(person("b", "boss@example.com", true))
	boss.get("/api/admin/orders").is(http.StatusOK)
	late := h.visitor()
	late.signIn(person("y", "boss@example.com", true))
	late.get("/api/admin/orders").is(http.StatusForbidden)
}

// An address that was proved before a role was promised to it may be a squatter's.
func TestAPromisedRoleNeedsAProofAfterThePromise(t *testing.T) {
	h := open(t)
	proved := func(subject string, at time.Time) map[string]any {
		who := person(subject, "boss@example.com", true)
		who["email_verified_at"] = at.UTC().Format(time.RFC3339Nano)
		return who
	}
	_, err := account.GrantRole(t.Context(), h.db, h.issuer.URL, "boss@example.com", "admin", "test")
	require.NoError(t, err)
	squatter, boss := h.visitor(), h.visitor()
	squatter.signIn(proved("x", time.Now().Add(-time.Hour)))
	squatter.get("/api/admin/orders").is(http.StatusForbidden)
	boss.signIn(proved("b", time.Now().Add(time.Second)))
	boss.get("/api/admin/orders").is(http.StatusOK)
}

// The issuer alone may end a person's sessions without the browser, and by no other token.
func TestBar07TheIssuerEndsSessionsOnEveryReplica(t *testing.T) {
	h := open(t)
	v, other := h.visitor(), h.visitor()
	v.signIn(person("s1", "ada@example.com", true))
	other.signIn(person("s2", "bob@example.com", true))
	stranger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)

	logout := func(twist func(map[string]any), signer *ecdsa.PrivateKey) *answer {
		claims := map[string]any{"iss": h.issuer.URL, "aud": "tradepost", "sub": "s1", "jti": rest.NewToken(), "iat": time.Now().Unix(),
			"exp": time.Now().Add(time.Minute).Unix(), "events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}}
		twist(claims)
		h.issuer.signer = signer
		defer func() { h.issuer.signer = h.issuer.key }()
		return h.visitor().notice(url.Values{"logout_token": {h.issuer.sign(claims)}})
	}
	straight := func(map[string]any) {}
	for name, twist := range map[string]func(map[string]any){
		"audience": func(c map[string]any) { c["aud"] = "another" },
		"issuer":   func(c map[string]any) { c["iss"] = "https://evil.example" },
		"expired":  func(c map[string]any) { c["exp"] = time.Now().Add(-time.Minute).Unix() },
		"ID token": func(c map[string]any) { c["nonce"] = "n" },
		"no event": func(c map[string]any) { delete(c, "events") },
		"nobody":   func(c map[string]any) { delete(c, "sub"); c["sid"] = "1" },
	} {
		require.Equal(t, http.StatusBadRequest, logout(twist, h.issuer.key).status, name+" "+asvs.Claim(t, "9.2.2", "10.5.5"))
	}
	require.Equal(t, http.StatusBadRequest, logout(straight, stranger).status)
	h.visitor().notice(url.Values{}).is(http.StatusBadRequest)
	v.get("/api/auth/user").is(http.StatusOK)

	require.Equal(t, http.StatusOK, logout(straight, h.issuer.key).status)
	v.get("/api/auth/user").is(http.StatusUnauthorized, asvs.Claim(t, "7.4.3"))
	other.get("/api/auth/user").is(http.StatusOK)
}

// notice is an issuer's logout request: a form, from no browser.
func (v *visitor) notice(form url.Values) *answer {
	v.Helper()
	return v.send(http.MethodPost, "/api/logout/backchannel", form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
}

// A session that was ended stays ended: the issuer's session in that browser still exists,
// and would sign in again without a password. A person who is prompted for it there, and
// gives it, is signed in.
func TestAnEndedSessionTakesThePasswordAgain(t *testing.T) {
	for name, end := range map[string]func(h *testServer, owner *visitor, id string){
		"one of one's own": func(_ *testServer, owner *visitor, id string) {
			owner.post("/api/sessions/"+id+"/end", "").is(http.StatusOK)
		},
		"all others of one's own": func(_ *testServer, owner *visitor, _ string) {
			owner.post("/api/sessions/end-others", "").is(http.StatusOK)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			thief, owner := h.visitor(), h.visitor()
			begun := time.Now().Add(-time.Minute)
			who := person("s1", "ada@example.com", true)
			user := thief.signIn(who)
			session := one[string](h, `SELECT id::text FROM sessions WHERE user_id = $1`, user)
			owner.signIn(who)
			owner.csrf = owner.get("/api/csrf-token").text("csrfToken")
			end(h, owner, session)
			thief.get("/api/auth/user").is(http.StatusUnauthorized)

			known := func(claims map[string]any) { claims["auth_time"] = begun.Unix() } // the issuer asks for nothing
			h.issuer.twist = known
			request := thief.begin()
			require.Empty(t, request.Get("prompt"))
			sent := thief.arrive(h.issuer.approve(request, who), request.Get("state")).is(http.StatusSeeOther)
			to, err := url.Parse(sent.header.Get("Location"))
			require.NoError(t, err)
			again := to.Query()
			require.Equal(t, "login 0", again.Get("prompt")+" "+again.Get("max_age"), asvs.Claim(t, "7.6.1"))
			thief.get("/api/auth/user").is(http.StatusUnauthorized)

			h.issuer.twist = func(claims map[string]any) { claims["auth_time"] = begun.Add(-time.Hour).Unix() }
			thief.arrive(h.issuer.approve(again, who), again.Get("state")).is(http.StatusForbidden) // an issuer that did not ask
			thief.get("/api/auth/user").is(http.StatusUnauthorized)

			h.issuer.twist = func(claims map[string]any) {
				claims["auth_time"] = one[int64](h, `SELECT floor(extract(epoch FROM sign_in_after))::bigint FROM users`)
			}
			request = thief.begin() // the same second: it may have been before
			thief.arrive(h.issuer.approve(request, who), request.Get("state")).is(http.StatusSeeOther)
			thief.get("/api/auth/user").is(http.StatusUnauthorized)
			h.issuer.twist = func(claims map[string]any) { claims["auth_time"] = time.Now().Add(time.Second).Unix() }
			thief.signIn(who)
			owner.get("/api/auth/user").is(http.StatusOK)
		})
	}
}

// Ending a session that is not there changes nothing: the next sign-in needs no new authentication.
func TestEndingAnUnknownSessionChangesNothing(t *testing.T) {
	h := open(t)
	v, other := h.customer(), h.customer()
	const mark = `SELECT sign_in_after IS NOT NULL FROM users WHERE id = $1`
	foreign := one[string](h, `SELECT id::text FROM sessions WHERE user_id = $1`, other.userID)
	ended := v.again()
	id := one[string](h, `SELECT id::text FROM sessions WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1`, v.userID)
	for _, unknown := range []string{store.NewID(), foreign} {
		v.post("/api/sessions/"+unknown+"/end", "").is(http.StatusNotFound)
		require.False(t, one[bool](h, mark, v.userID))
	}
	other.get("/api/auth/user").is(http.StatusOK)
	v.post("/api/sessions/"+id+"/end", "").is(http.StatusOK)
	require.True(t, one[bool](h, mark, v.userID))
	ended.get("/api/auth/user").is(http.StatusUnauthorized)
}

// A frozen member of staff has no power on any replica from the next request on, also in a session that begins
// afterwards, and keeps what a frozen customer has. Once unfrozen they are staff again.
func TestFrozenStaffHaveNoPower(t *testing.T) {
	h := open(t, unscaled)
	admin, fin := h.customer("admin"), h.customer("finance", "support")
	order := h.customer().order("domestic_wire")
	second := fin.at(h.serve().URL)
	payment := "/api/admin/payments/" + order + "/confirm"
	fin.get("/api/admin/orders/" + order).is(http.StatusOK)
	admin.post("/api/admin/customers/"+fin.userID+"/freeze", `{"reason":"under suspicion"}`).is(http.StatusOK)
	for name, v := range map[string]*visitor{"same session": fin, "other replica": second, "signed in again": fin.again()} {
		for _, path := range []string{"/api/admin/orders/" + order, "/api/admin/customers", "/api/admin/ledger/postings", "/api/admin/queues"} {
			v.get(path).refused(http.StatusForbidden, "forbidden")
		}
		v.post(payment, `{"amount":"1.00","receivedOn":"2026-01-01","reference":"x"}`).refused(http.StatusForbidden, "forbidden")
		v.post("/api/admin/orders/"+order+"/fulfill", `{}`).refused(http.StatusForbidden, "forbidden")
		user := v.account()
		require.False(t, user.IsAdmin, name)
		require.Empty(t, user.Roles, name)
		require.NotContains(t, user.Permissions, "read_customers", name)
		require.Equal(t, "frozen", user.Hold)
		v.get("/api/orders").is(http.StatusOK)
	}
	var members []struct {
		ID     string
		Frozen bool
	}
	admin.get("/api/admin/team").is(http.StatusOK).read(&members)
	for _, m := range members {
		require.Equal(t, m.ID == fin.userID, m.Frozen)
	}
	require.Len(t, members, 2, "they are still listed")
	admin.post("/api/admin/customers/"+fin.userID+"/unfreeze", `{"reason":"cleared"}`).is(http.StatusOK)
	second.get("/api/admin/orders/" + order).is(http.StatusOK)
	require.Equal(t, []string{"finance", "support"}, fin.account().Roles)
}
