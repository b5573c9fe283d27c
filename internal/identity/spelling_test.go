package identity_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/identity"
)

const (
	composed   = "violet-harbour-ma\u00f1ana-41"
	decomposed = "violet-harbour-man\u0303ana-41"
)

// A password is the same however the keyboard composes its characters, when it is set and when it is entered.
func TestAPasswordIsTheSameInEitherForm(t *testing.T) {
	s := start(t)
	b := newBrowser(t)
	form := person("nfc@example.com")
	form["new_password"] = decomposed
	p := b.submit(b.open(s.idp.URL+"/signup"), "/signup", form)
	s.confirm(t, b, p, "nfc@example.com")
	for _, password := range []string{composed, decomposed} {
		require.Equal(t, "/api/login", newBrowser(t).signIn(s, "nfc@example.com", password).url.Path, "%+q", password)
	}
	require.Equal(t, http.StatusUnauthorized, newBrowser(t).signIn(s, "nfc@example.com", strings.ReplaceAll(composed, "ñ", "n")).status)
}

// A password that was stored as it was typed still opens its account, once more in either form afterwards, and ends no
// session.
func TestAPasswordStoredAsTypedIsRenewed(t *testing.T) {
	s := start(t)
	b := newBrowser(t)
	s.signUp(t, b, "old@example.com")
	hash, err := identity.HashAsTyped(decomposed)
	require.NoError(t, err)
	_, err = s.db.Exec(t.Context(), `UPDATE users SET password_hash = $2 WHERE email_key = $1`, "old@example.com", hash)
	require.NoError(t, err)
	require.Equal(t, http.StatusUnauthorized, newBrowser(t).signIn(s, "old@example.com", composed).status, "it is not known in this form yet")
	require.Equal(t, "/api/login", newBrowser(t).signIn(s, "old@example.com", decomposed).url.Path)
	require.Equal(t, 1, s.count(t, `SELECT count(*) FROM users WHERE email_key = 'old@example.com' AND password_hash <> '`+hash+`'`))
	require.Equal(t, "/api/login", newBrowser(t).signIn(s, "old@example.com", composed).url.Path)
	require.Equal(t, http.StatusOK, b.open(s.idp.URL+"/account").status)
	require.Equal(t, "/account", b.open(s.idp.URL+"/account").url.Path, "the session from before goes on")
}

// What is checked depends on what was typed, never on whether the address has an account.
func TestTheWorkOfAPasswordInTwoFormsDisclosesNoAccount(t *testing.T) {
	s := start(t)
	s.signUp(t, newBrowser(t), "known@example.com")
	for password, want := range map[string]uint64{"wrong-" + composed: 1, "wrong-" + decomposed: 2} {
		for _, email := range []string{"known@example.com", "unknown@example.com"} {
			b := newBrowser(t)
			require.Equal(t, want, hashes(func() { require.Equal(t, http.StatusUnauthorized, b.signIn(s, email, password).status) }), "%s %+q", email, password)
		}
	}
}

// One address is one account, however its domain is spelled.
func TestADomainHasOneSpelling(t *testing.T) {
	s := start(t)
	s.signUp(t, newBrowser(t), "ana@bücher.example")
	for _, spelled := range []string{"ana@bücher.example", "Ana@XN--BCHER-KVA.example", "ana@bu\u0308cher.example", " ana@BÜCHER.example "} {
		require.Equal(t, "/api/login", newBrowser(t).signIn(s, spelled, goodPassword).url.Path, "%+q", spelled)
	}
	b := newBrowser(t)
	p := b.submit(b.open(s.idp.URL+"/signup"), "/signup", person("ana@xn--bcher-kva.example"))
	require.Equal(t, http.StatusOK, p.status)
	s.mail.next(t, "ana@bücher.example", "") // the owner is told, and no second account is made
	require.Equal(t, 1, s.count(t, `SELECT count(*) FROM users WHERE email_key = 'ana@xn--bcher-kva.example'`))
	require.Zero(t, s.count(t, `SELECT count(*) FROM users WHERE email_key ~ '[^[:ascii:]]'`))
	require.NotEmpty(t, s.forgot(t, "ana@bücher.example"))
}

// Accounts from before are found by any spelling. Where two accounts have one address, each keeps its own spelling.
func TestAccountsFromBeforeAreJoined(t *testing.T) {
	s := start(t)
	for _, email := range []string{"one@example.com", "two@example.com", "three@example.com"} {
		s.signUp(t, newBrowser(t), email)
	}
	rename := func(from, to string) {
		_, err := s.db.Exec(t.Context(), `UPDATE users SET email = $2, email_key = $2 WHERE email_key = $1`, from, to)
		require.NoError(t, err)
	}
	rename("one@example.com", "one@bücher.example")
	rename("two@example.com", "both@bücher.example")
	rename("three@example.com", "both@xn--bcher-kva.example")
	_, err := s.db.Exec(t.Context(), `INSERT INTO outbox (kind, email_key, expires_at) VALUES ('reset', 'one@bücher.example', now() + '1 hour')`)
	require.NoError(t, err)
	_, err = s.db.Exec(t.Context(), `DELETE FROM goose_db_version WHERE version_id = 5`)
	require.NoError(t, err)
	require.NoError(t, identity.Migrate(t.Context(), s.db))

	id := func(key string) (id uuid.UUID) {
		require.NoError(t, s.db.QueryRow(t.Context(), `SELECT id FROM users WHERE email_key = $1`, key).Scan(&id), key)
		return id
	}
	id("one@xn--bcher-kva.example")
	require.NotEqual(t, id("both@bücher.example"), id("both@xn--bcher-kva.example"))
	for _, spelled := range []string{"one@bücher.example", "one@xn--bcher-kva.example", "both@bücher.example", "both@xn--bcher-kva.example"} {
		require.Equal(t, "/api/login", newBrowser(t).signIn(s, spelled, goodPassword).url.Path, "%+q", spelled)
	}
	s.mail.next(t, "one@bücher.example", "")
}

// Names are refused for what is not displayed alone.
func TestNamesAreTakenAsPeopleHaveThem(t *testing.T) {
	s := start(t)
	for i, name := range []string{"Col·lell", "ジョン・スミス", "می\u200cخواهم", "\u201cJack\u201d O\u2018Brien", "Jean\u2011Luc", "Jean\u00a0Luc"} {
		b := newBrowser(t)
		form := person(fmt.Sprintf("names%d@example.com", i))
		form["given_name"] = name
		p := b.submit(b.open(s.idp.URL+"/signup"), "/signup", form)
		require.Equal(t, http.StatusOK, p.status, "%+q", name)
	}
	for _, name := range []string{"a\u202eb", "\u200b", "a\u0007b", "a\u2067b"} {
		b := newBrowser(t)
		form := person("names@example.com")
		form["family_name"] = name
		require.Equal(t, http.StatusUnprocessableEntity, b.submit(b.open(s.idp.URL+"/signup"), "/signup", form).status, "%+q", name)
	}
}

// Blanks at the ends of a password count, and so does each character of a long one.
func TestAPasswordCountsWhole(t *testing.T) {
	s := start(t)
	long := " violet harbour lantern " + strings.Repeat("ñ", 100) + "1 "
	b := newBrowser(t)
	form := person("whole@example.com")
	form["new_password"] = long
	s.confirm(t, b, b.submit(b.open(s.idp.URL+"/signup"), "/signup", form), "whole@example.com")
	require.Equal(t, "/api/login", newBrowser(t).signIn(s, "whole@example.com", long).url.Path)
	for _, wrong := range []string{strings.TrimSpace(long), long[:72], strings.Replace(long, "1 ", "2 ", 1)} {
		refused := newBrowser(t).signIn(s, "whole@example.com", wrong)
		require.Equal(t, http.StatusUnauthorized, refused.status, "%q", wrong)
	}
}
