package api

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	accountapi "github.com/tradepost/tradepost/api/account"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/api/site"
	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/store"
)

// phone is a person's authenticator app, and the paper with their backup codes.
type phone struct {
	seed  string
	codes []string
}

// code is what the app shows; each counts once, so a test that needs several
// makes the platform forget the last one.
func (v *visitor) code(p phone) string {
	v.Helper()
	v.exec(`UPDATE second_factors SET last_step = 0 WHERE user_id = $1`, v.userID)
	code, err := totp.GenerateCode(p.seed, time.Now())
	require.NoError(v, err)
	return code
}

// wrongCode is none of those that count now.
func (p phone) wrongCode(t *testing.T) string {
	t.Helper()
	near := map[string]bool{}
	for _, off := range []time.Duration{-90, -60, -30, 0, 30, 60, 90} {
		code, err := totp.GenerateCode(p.seed, time.Now().Add(off*time.Second))
		require.NoError(t, err)
		near[code] = true
	}
	for _, code := range []string{"111111", "222222", "333333", "444444", "555555", "666666", "777777", "888888"} {
		if !near[code] {
			return code
		}
	}
	panic("unreachable: seven codes cannot be eight")
}

// enrol sets up a second factor.
func (v *visitor) enrol() phone {
	v.Helper()
	p := phone{seed: v.post("/api/2fa/setup", "").is(http.StatusOK).text("secret")}
	var shown struct{ BackupCodes []string }
	v.post("/api/2fa/verify", `{"token":"`+v.code(p)+`"}`).is(http.StatusOK).read(&shown)
	require.Len(v, shown.BackupCodes, 10)
	p.codes = shown.BackupCodes
	v.csrf = v.get("/api/csrf-token").text("csrfToken")
	return p
}

// again is the same person signing in on another browser.
func (v *visitor) again() *visitor {
	v.Helper()
	other := v.visitor()
	other.userID = v.userID
	other.enter()
	return other
}

// pass ends a sign-in.
func (v *visitor) pass(p phone) *answer {
	v.Helper()
	return v.post("/api/2fa/login-verify", `{"token":"`+v.code(p)+`"}`)
}

func (v *visitor) account() (user accountapi.User) {
	v.Helper()
	v.get("/api/auth/user").is(http.StatusOK).read(&user)
	return user
}

func TestTwoFactorIsSetUpShownOnceAndRemoved(t *testing.T) {
	h := open(t)
	v := h.customer()
	require.False(t, v.account().Needs2FA)
	v.post("/api/2fa/verify", `{"token":"123456"}`).refused(http.StatusConflict, "two_factor_not_begun")
	var setup accountapi.TwoFactorSetup
	v.post("/api/2fa/setup", "").is(http.StatusOK).read(&setup)
	require.True(t, strings.HasPrefix(setup.QRCode, "data:image/png;base64,iVBOR"))
	require.False(t, v.account().Needs2FA, "nothing is demanded before a code came back")
	p := phone{seed: setup.Secret}
	a := v.post("/api/2fa/verify", `{"token":"`+p.wrongCode(t)+`"}`).refused(http.StatusUnprocessableEntity, "invalid_code")
	require.Equal(t, "Invalid verification code", a.text("message"))
	for _, no := range []string{`{"token":""}`, `{"token":"12345"}`, `{"token":"abcdef"}`, `{"token":"1234567890"}`, `{}`, `{"token":"1","isAdmin":true}`} {
		v.post("/api/2fa/verify", no).is(http.StatusUnprocessableEntity)
	}
	h.advance("31 minutes")
	v.post("/api/2fa/verify", `{"token":"`+v.code(p)+`"}`).refused(http.StatusConflict, "two_factor_not_begun")

	p = v.enrol()
	user := v.account()
	require.True(t, user.Needs2FA && user.TwoFactorEnabled && user.TwoFactorVerified)
	v.post("/api/2fa/setup", "").refused(http.StatusConflict, "two_factor_enabled")
	var renewed struct{ BackupCodes []string }
	require.Equal(t, "Code required", v.post("/api/2fa/regenerate-backup-codes", `{"token":""}`).is(http.StatusUnprocessableEntity).text("message"))
	v.post("/api/2fa/regenerate-backup-codes", `{"token":"`+v.code(p)+`"}`).is(http.StatusOK).read(&renewed)
	require.Len(t, renewed.BackupCodes, 10)
	other := v.again()
	other.post("/api/2fa/login-verify", `{"backupCode":"`+p.codes[0]+`"}`).refused(http.StatusUnprocessableEntity, "invalid_code")
	other.post("/api/2fa/login-verify", `{"backupCode":"`+strings.ToLower(renewed.BackupCodes[0])+`"}`).is(http.StatusOK)

	v.post("/api/2fa/disable", `{"token":"`+v.code(p)+`"}`).is(http.StatusOK)
	require.False(t, v.account().Needs2FA)
	v.again().get("/api/orders").is(http.StatusOK)
	require.Zero(t, one[int](h, `SELECT count(*) FROM backup_codes`))
	require.Equal(t, []string{"two_factor.enabled", "two_factor.codes_renewed", "two_factor.disabled"},
		one[[]string](h, `SELECT array_agg(action ORDER BY id) FROM audit_log WHERE object_id = $1`, v.userID))
}

func TestBar06TheSecondFactorMakesANewToken(t *testing.T) {
	h := open(t)
	v := h.customer()
	before := v.sessionCookie()
	p := v.enrol()
	require.NotEqual(t, before, v.sessionCookie(), asvs.Claim(t, "7.2.4"))
	h.visitor().get("/api/auth/user", "Cookie", rest.SessionCookie+"="+before).is(http.StatusUnauthorized)

	other := v.again()
	owing := other.sessionCookie()
	other.pass(p).is(http.StatusOK)
	require.NotEqual(t, owing, other.sessionCookie())
	h.visitor().get("/api/auth/user", "Cookie", rest.SessionCookie+"="+owing).is(http.StatusUnauthorized)
	require.Regexp(t, `^[A-Z2-7]{52}$`, other.sessionCookie(), asvs.Claim(t, "7.2.3"))
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM sessions WHERE token_hash = $1`, rest.HashToken(other.sessionCookie())), asvs.Claim(t, "7.2.3"))
	other.get("/api/orders").is(http.StatusOK)
}

// beforeTheSecondFactor are the calls rules §7 names, and those that answer
// anybody at all.
var beforeTheSecondFactor = map[string]bool{"getUser": true, "getCsrfToken": true,
	"getTwoFactorStatus": true, "setUpTwoFactor": true, "verifyTwoFactor": true, "passTwoFactor": true,
	"askTwoFactorRecovery": true, "cancelTwoFactorRecovery": true}

// owesEverywhere checks that a session which owes the second factor is refused every call
// but those.
func (v *visitor) owesEverywhere() {
	v.Helper()
	for _, op := range operations(v.T) {
		if op.permission == string(policy.Anyone) {
			continue // answers who is not signed in, too
		}
		a := v.call(op)
		required := a.status == http.StatusForbidden && (op.id == "streamEvents" || a.text("code") == "two_factor_required")
		require.Equal(v, !beforeTheSecondFactor[op.id], required, "%s: %d %s", op.id, a.status, a.body)
	}
}

func TestBar11WhoOwesTheSecondFactorReachesNothingElse(t *testing.T) {
	h := open(t)
	v := h.customer("admin", "finance", "compliance", "support")
	p := v.enrol()
	owing := v.again()
	owing.owesEverywhere()
	var session accountapi.Session
	owing.get("/api/session").is(http.StatusOK).read(&session)
	require.True(t, session.User.Needs2FA && !session.User.TwoFactorVerified)
	owing.post("/api/2fa/setup", "").refused(http.StatusConflict, "two_factor_enabled")
	owing.post("/api/2fa/disable", `{"token":"`+owing.code(p)+`"}`).refused(http.StatusForbidden, "two_factor_required")

	v.post("/api/2fa/disable", `{}`).is(http.StatusUnprocessableEntity)
	v.post("/api/2fa/disable", `{"token":"`+p.wrongCode(t)+`"}`).refused(http.StatusUnprocessableEntity, "invalid_code")
	require.True(t, v.account().TwoFactorEnabled)

	// What was shown to an earlier factor is nothing to the next.
	owing.pass(p).is(http.StatusOK)
	owing.get("/api/orders").is(http.StatusOK)
	v.post("/api/2fa/disable", `{"token":"`+v.code(p)+`"}`).is(http.StatusOK)
	h.advance("1 second")
	v.enrol()
	v.get("/api/orders").is(http.StatusOK)
	owing.get("/api/orders").refused(http.StatusForbidden, "two_factor_required", asvs.Claim(t, "6.3.4"))
}

func TestBar11StaffSetUpASecondFactorWhereItIsDemanded(t *testing.T) {
	h := open(t, func(d *Dependencies) { d.StaffNeedTwoFactor = true })
	h.customer().get("/api/orders").is(http.StatusOK)
	h.customer("support", "compliance", "finance", "admin").owesEverywhere()
	for _, role := range []string{"support", "compliance", "finance", "admin"} {
		v := h.customer(role)
		v.get("/api/admin/orders").refused(http.StatusForbidden, "two_factor_required", asvs.Claim(t, "6.3.3"))
		user := v.account()
		require.True(t, user.Needs2FA && !user.TwoFactorEnabled && !user.TwoFactorVerified)
		p := v.enrol()
		v.get("/api/admin/orders").is(http.StatusOK)
		v.post("/api/2fa/disable", `{"token":"`+v.code(p)+`"}`).is(http.StatusOK)
		v.get("/api/admin/orders").refused(http.StatusForbidden, "two_factor_required")
	}
}

// atOnce sends n requests in parallel and counts the answers by status.
func atOnce(n int, send func(i int) *answer) map[int]int {
	var all sync.WaitGroup
	var mu sync.Mutex
	got := map[int]int{}
	for i := range n {
		all.Go(func() {
			a := send(i)
			mu.Lock()
			defer mu.Unlock()
			got[a.status]++
		})
	}
	all.Wait()
	return got
}

func TestBar12ACodeCountsOnce(t *testing.T) {
	h := open(t)
	v := h.customer()
	p := v.enrol()
	first, second := v.again(), v.again()
	code := v.code(p)
	first.post("/api/2fa/login-verify", `{"token":"`+code+`"}`).is(http.StatusOK)
	second.post("/api/2fa/login-verify", `{"token":"`+code+`"}`).refused(http.StatusUnprocessableEntity, "invalid_code")
	second.post("/api/2fa/login-verify", `{"backupCode":"`+p.codes[0]+`"}`).is(http.StatusOK)
	third := v.again()
	third.post("/api/2fa/login-verify", `{"backupCode":"`+p.codes[0]+`"}`).refused(http.StatusUnprocessableEntity, "invalid_code")

	// Fifty sessions at once over two replicas, by the same code.
	replica := h.serve()
	for name, body := range map[string]string{"app": `{"token":"%"}`, "backup": `{"backupCode":"` + p.codes[1] + `"}`} {
		var sessions []*visitor
		for i := range 50 {
			s := v.again()
			if i%2 == 1 {
				s = s.at(replica.URL)
			}
			sessions = append(sessions, s)
		}
		h.exec(`UPDATE second_factors SET owing_failures = 0, owing_lockouts = 0, owing_locked_until = NULL`)
		body = strings.Replace(body, "%", v.code(p), 1)
		got := atOnce(50, func(i int) *answer { return sessions[i].post("/api/2fa/login-verify", body) })
		require.Equal(t, 1, got[http.StatusOK], "%s: %v: %s", name, got, asvs.Claim(t, "6.5.1"))
		require.Equal(t, 49, got[http.StatusUnprocessableEntity]+got[http.StatusTooManyRequests], "%s: %v", name, got)
	}
	for _, code := range p.codes {
		plain := strings.ReplaceAll(code, "-", "")
		require.Zero(t, one[int](h, `SELECT count(*) FROM backup_codes WHERE position($1::bytea in code_hash) > 0`, []byte(plain)))
	}
	require.Equal(t, 8, one[int](h, `SELECT count(*) FROM backup_codes WHERE used_at IS NULL AND length(code_hash) = 32`))
}

// at is the same browser at another replica.
func (v *visitor) at(origin string) *visitor {
	v.Helper()
	elsewhere := *v
	elsewhere.origin = origin
	elsewhere.client = &http.Client{Jar: jarFor(v, origin)}
	return &elsewhere
}

func TestBar13GuessesAreHeldOffOverAllReplicas(t *testing.T) {
	h := open(t)
	victim := h.customer()
	p := victim.enrol()
	thief := victim.again()
	replicas := []*visitor{thief, thief.at(h.serve().URL), thief.at(h.serve().URL)}
	guesses := []string{`{"token":"` + p.wrongCode(t) + `"}`, `{"backupCode":"AAAA-BBBB-CCCC-DDDD"}`}
	var waits atomic.Int32
	got := atOnce(200, func(i int) *answer {
		a := replicas[i%3].post("/api/2fa/login-verify", guesses[i%2])
		if a.status == http.StatusTooManyRequests && a.header.Get("Retry-After") != "" {
			waits.Add(1)
		}
		return a
	})
	require.Equal(t, map[int]int{http.StatusUnprocessableEntity: 5, http.StatusTooManyRequests: 195}, got)
	require.EqualValues(t, 195, waits.Load(), "each says when to come back")
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'two_factor.locked' AND object_id = $1`, victim.userID), asvs.Claim(t, "16.3.1", "16.3.3"))

	// Not even the right code, and another factor's limit is another's.
	reported := thief.pass(p).refused(http.StatusTooManyRequests, "two_factor_locked")
	require.Equal(t, "Too many wrong codes. Try again in 15 minutes.", reported.text("message"))
	bystander := h.customer()
	bystander.enrol()
	victim.get("/api/orders").is(http.StatusOK)
	victim.post("/api/orders", newOrder).is(http.StatusCreated)

	// The next lock-out is longer; a right code forgives.
	h.advance("15 minutes")
	for range 5 {
		thief.post("/api/2fa/login-verify", guesses[0]).refused(http.StatusUnprocessableEntity, "invalid_code")
	}
	h.advance("16 minutes")
	thief.pass(p).refused(http.StatusTooManyRequests, "two_factor_locked")
	h.advance("15 minutes")
	victim.again().pass(p).is(http.StatusOK)
	require.Zero(t, one[int](h, `SELECT failures + lockouts + owing_failures + owing_lockouts FROM second_factors WHERE user_id = $1`, victim.userID))
}

func TestBar14TwoFactorPostsComeFromOurOwnPage(t *testing.T) {
	h := open(t)
	v := h.customer()
	p := v.enrol()
	for _, path := range []string{"setup", "verify", "disable", "regenerate-backup-codes", "login-verify"} {
		for name, headers := range map[string][]string{"no token": {rest.CSRFHeader, ""}, "wrong token": {rest.CSRFHeader, "x"}, "another site": {"Sec-Fetch-Site", "cross-site"}} {
			require.Equal(t, http.StatusForbidden, v.post("/api/2fa/"+path, `{"token":"`+v.code(p)+`"}`, headers...).status, "%s: %s", path, name)
		}
	}
	require.True(t, v.account().TwoFactorEnabled)
}

func TestBar36ARevealNeedsAFreshCode(t *testing.T) {
	h := open(t)
	v, reviewer := h.customer(), h.customer("compliance")
	id := v.sell(regularCard, nil).is(http.StatusCreated).text("id")
	h.review(id)
	p := reviewer.enrol()
	path := "/api/admin/gift-cards/" + id + "/reveal"
	reviewer.post(path, "").refused(http.StatusForbidden, "fresh_code_required")
	reviewer.post(path, "", rest.FreshCodeHeader, p.wrongCode(t)).refused(http.StatusUnprocessableEntity, "invalid_code")
	require.Zero(t, one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'gift_card.reveal'`))
	code := reviewer.code(p)
	reviewer.post(path, "", rest.FreshCodeHeader, code).is(http.StatusOK)
	reviewer.post(path, "", rest.FreshCodeHeader, code).refused(http.StatusUnprocessableEntity, "invalid_code")
	reviewer.post(path, "", rest.FreshCodeHeader, p.codes[3]).is(http.StatusOK)
	require.Equal(t, 2, one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'gift_card.reveal'`))
}

// Bar 35: neither seed nor backup codes are plain in a dump, or in the log.
func TestBar35SeedsAndBackupCodesAreNowherePlain(t *testing.T) {
	h := open(t)
	v := h.customer()
	pending := v.post("/api/2fa/setup", "").is(http.StatusOK).text("secret")
	p := v.enrol()
	v.again().post("/api/2fa/login-verify", `{"backupCode":"`+p.codes[0]+`"}`).is(http.StatusOK)
	v.again().post("/api/2fa/login-verify", `{"backupCode":"`+p.codes[0]+`"}`).is(http.StatusUnprocessableEntity)
	for _, code := range p.codes { // sixteen letters of five bits
		require.Regexp(t, `^[A-Z2-7]{4}(-[A-Z2-7]{4}){3}$`, code, asvs.Claim(t, "6.5.4"))
	}
	seen := one[string](h, `SELECT string_agg(row_to_json(f)::text, '') FROM second_factors f`) +
		one[string](h, `SELECT string_agg(row_to_json(c)::text, '') FROM backup_codes c`) +
		one[string](h, `SELECT string_agg(row_to_json(a)::text, '') FROM audit_log a`) + h.log.String()
	for _, secret := range append([]string{pending, p.seed, v.sessionCookie()}, p.codes...) {
		require.NotContains(t, seen, secret, asvs.Claim(t, "6.5.2"))
		require.NotContains(t, seen, strings.ReplaceAll(secret, "-", ""))
	}
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	h := open(t)
	v := h.customer()
	other, third := v.again(), v.again()
	stranger := h.customer()
	h.exec(`UPDATE sessions SET user_agent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0', ip = '203.0.113.7' WHERE token_hash = $1`,
		rest.HashToken(other.sessionCookie()))
	var rows []accountapi.ActiveSession
	v.get("/api/sessions").is(http.StatusOK).read(&rows)
	require.Len(t, rows, 3, asvs.Claim(t, "7.1.2"))
	var id string
	current := 0
	for _, row := range rows {
		if row.Current {
			current++
		}
		if row.IP == "203.0.113.7" {
			require.Equal(t, "Firefox Windows", row.Browser+" "+row.System)
			id = row.ID
		}
	}
	require.Equal(t, 1, current)
	stranger.post("/api/sessions/"+id+"/end", "").is(http.StatusNotFound)
	stranger.post("/api/sessions/end-others", "").is(http.StatusOK)
	other.get("/api/auth/user").is(http.StatusOK)
	v.post("/api/sessions/"+id+"/end", "").is(http.StatusOK)
	v.post("/api/sessions/"+id+"/end", "").is(http.StatusNotFound)
	other.get("/api/auth/user").is(http.StatusUnauthorized, asvs.Claim(t, "7.5.2"))
	third.get("/api/auth/user").is(http.StatusOK)
	require.Contains(t, string(v.post("/api/sessions/end-others", "").is(http.StatusOK).body), `"ended":1`)
	third.get("/api/auth/user").is(http.StatusUnauthorized)
	v.get("/api/auth/user").is(http.StatusOK)
}

func init() {
	decide := func(ctx context.Context, db *store.DB, id, decisionID string) error {
		return account.DecideRecovery(ctx, db, id, decisionID)
	}
	for _, kind := range account.RecoveryDecisions {
		caseSteps["two_factor."+kind] = decide
	}
}

// A person who lost the factor requests its removal from a session that owes it; every
// session of the account can stop it; only two admins remove it after the delay.
func TestBar05ALostFactorIsLiftedByTwoAdmins(t *testing.T) {
	h := open(t, func(d *Dependencies) { d.RecoveryDelay = 72 * time.Hour })
	v, first, second, support := h.customer(), h.customer("admin"), h.customer("admin"), h.customer("support", "compliance", "finance")
	v.post("/api/2fa/recovery", "").refused(http.StatusConflict, "two_factor_not_enabled")
	v.enrol()
	owing := v.again()
	id := owing.post("/api/2fa/recovery", "").is(http.StatusCreated).text("id")
	require.Equal(t, id, owing.post("/api/2fa/recovery", "").is(http.StatusCreated).text("id"))
	var status accountapi.TwoFactorStatus
	v.get("/api/2fa/status").is(http.StatusOK).read(&status)
	require.Equal(t, "asked", status.Recovery.Status)
	owing.post("/api/2fa/recovery/cancel", "").is(http.StatusOK)
	owing.post("/api/2fa/recovery/cancel", "").is(http.StatusNotFound)

	id = owing.post("/api/2fa/recovery", "").is(http.StatusCreated).text("id")
	path, because := "/api/admin/recoveries/"+id, `{"reason":"seen on video"}`
	support.post(path+"/vouch", because).refused(http.StatusForbidden, "forbidden")
	first.post("/api/admin/recoveries/"+store.NewID()+"/vouch", because).is(http.StatusNotFound)
	require.Equal(t, "reason", first.post(path+"/vouch", `{"reason":" "}`).is(http.StatusUnprocessableEntity).text("field"))
	first.post(path+"/approve", because).refused(http.StatusConflict, "recovery_state")
	p := first.enrol()
	first.post(path+"/vouch", because).refused(http.StatusForbidden, "fresh_code_required")
	first.post(path+"/vouch", because, rest.FreshCodeHeader, first.code(p)).is(http.StatusOK)
	second.post(path+"/approve", because).refused(http.StatusConflict, "too_early")
	h.advance("73 hours")
	first.enter()
	first.pass(p).is(http.StatusOK)
	first.csrf = first.get("/api/csrf-token").text("csrfToken")
	first.post(path+"/approve", because, rest.FreshCodeHeader, first.code(p)).refused(http.StatusForbidden, "second_person", asvs.Claim(t, "6.4.4"))
	second.enter()
	var rows []accountapi.AdminRecovery
	second.get("/api/admin/recoveries").is(http.StatusOK).read(&rows)
	require.Equal(t, []string{"approve", "refuse"}, rows[0].Actions)
	require.Equal(t, "seen on video", *rows[0].VouchedHow, "the second admin decides on what the first found")
	first.get("/api/admin/recoveries").is(http.StatusOK).read(&rows)
	require.Equal(t, []string{"refuse"}, rows[0].Actions)
	second.post(path+"/approve", because).is(http.StatusOK)
	v.get("/api/auth/user").is(http.StatusUnauthorized)
	back := v.again()
	back.get("/api/orders").is(http.StatusOK)
	require.False(t, back.account().Needs2FA)
}

// Two admins at once: one effect.
func TestBar18ARecoveryIsDecidedOnce(t *testing.T) {
	h := open(t)
	v := h.customer()
	v.enrol()
	id := v.post("/api/2fa/recovery", "").is(http.StatusCreated).text("id")
	admins := []*visitor{h.customer("admin"), h.customer("admin")}
	got := atOnce(20, func(i int) *answer {
		return admins[i%2].post("/api/admin/recoveries/"+id+"/refuse", `{"reason":"not them"}`)
	})
	require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusConflict: 19}, got)
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM audit_log WHERE object_id = $1`, id))
}

func TestANewBrowserIsReportedByMail(t *testing.T) {
	h := open(t)
	v := h.visitor()
	v.signIn(person("s1", "ada@example.com", true))
	v.signIn(person("s1", "ada@example.com", true))
	require.Zero(t, one[int](h, `SELECT count(*) FROM mails`), "the first browser, and the same again, are no surprise")
	h.visitor().signIn(person("s1", "ada@example.com", true))
	require.Equal(t, "sign_in_new_device", one[string](h, `SELECT string_agg(kind, ' ') FROM mails`))
	require.Equal(t, "Firefox on Windows", accountapi.DeviceName("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0"))
	require.Equal(t, "A browser on an unknown system", accountapi.DeviceName("<b>call+1-555</b> at https://evil.example"))
}

// owingFields are those that the dialog needs which asks for the second factor.
var owingFields = []string{"id", "needs2FA", "twoFactorEnabled", "twoFactorVerified"}

// A session that owes the second factor is shown no detail of the person: neither by a call nor in a page. Once it has
// shown it, it has every field of the specification.
func TestWhoOwesTheSecondFactorSeesNoDetails(t *testing.T) {
	dir := builtSite(t, site.SitePage{Pattern: "/dashboard", Access: "customer"})
	for _, folder := range []string{dir, filepath.Join(dir, "es")} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "index.html"), []byte(`<html><head><!--head--><script nonce="__CSP_NONCE__"></script><script id="session">null</script></head><body><!--notices--><!--prerendered--></body></html>`), 0o600))
	}
	h := open(t, func(d *Dependencies) { d.WebDir = dir })
	v := h.customer("admin")
	p := v.enrol()
	h.exec(`UPDATE users SET country = 'CH' WHERE id = $1`, v.userID)
	shown := func(v *visitor) [3]map[string]any {
		var called map[string]any
		var read, paged struct{ User map[string]any }
		v.get("/api/auth/user").is(http.StatusOK).read(&called)
		v.get("/api/session").is(http.StatusOK).read(&read)
		page := string(v.get("/dashboard").is(http.StatusOK).body)
		_, embedded, found := strings.Cut(page, `<script id="session">`)
		require.True(t, found, page)
		text, _, _ := strings.Cut(embedded, "</script>")
		require.NoError(t, json.Unmarshal([]byte(text), &paged))
		return [3]map[string]any{called, read.User, paged.User}
	}
	owing := v.again()
	for _, user := range shown(owing) {
		require.ElementsMatch(t, owingFields, slices.Collect(maps.Keys(user)))
		require.Equal(t, []any{v.userID, true, true, false}, []any{user["id"], user["needs2FA"], user["twoFactorEnabled"], user["twoFactorVerified"]})
	}
	owing.pass(p).is(http.StatusOK)
	for _, user := range shown(owing) {
		for _, field := range append([]string{"email", "firstName", "lastName", "profileImageUrl", "isAdmin", "accountBalance", "kycStatus", "country", "kycLevel", "volumeTier", "roles", "permissions"}, owingFields...) {
			require.Contains(t, user, field)
		}
	}
}
