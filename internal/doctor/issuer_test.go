package doctor

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/identity"
	"github.com/tradepost/tradepost/internal/local/testbed"
	"github.com/tradepost/tradepost/internal/mail"
)

// embed has the product's own identity provider sign people in, on a database of its own.
func (i *installation) embed() {
	i.Helper()
	database := testbed.EmptyDB(i.T).Identity
	pool, err := identity.OpenPool(i.Context(), database)
	require.NoError(i, err)
	i.Cleanup(pool.Close)
	require.NoError(i, identity.Migrate(i.Context(), pool))
	server := httptest.NewUnstartedServer(nil)
	i.Cleanup(server.Close)
	sender, err := mail.New("smtp://127.0.0.1:1", "no-reply@"+shop)
	require.NoError(i, err)
	site := i.env["PUBLIC_URL"]
	provider, err := identity.New(i.Context(), identity.Config{URL: "http://" + server.Listener.Addr().String(), DatabaseURL: database,
		SecretKey: i.env["IDENTITY_SECRET_KEY"], Redirects: []string{site + "/api/login/callback", site + "/"}, ClientID: "tradepost", ClientSecret: clientSecret,
		SMTPURL: "smtp://127.0.0.1:1", MailFrom: "no-reply@" + shop, Brand: "Tradepost", PublicURL: site, SignupsHourly: 120, Mode: identity.ModeLocal},
		pool, sender, slog.New(slog.DiscardHandler))
	require.NoError(i, err)
	server.Config.Handler = provider.Handler()
	server.Start()
	i.env["OIDC_ISSUER"] = server.URL
}

// others are ways in which identity providers answer a client. header and body are the secrets that a request has there.
var others = map[string]struct {
	token, revoke func(header, body string) (int, string)
}{
	"looks at the client first": {token: func(header, _ string) (int, string) {
		return refusedUnless(header == clientSecret, http.StatusUnauthorized, "invalid_client")
	}},
	"takes the secret in the body alone": {token: func(_, body string) (int, string) {
		return refusedUnless(body == clientSecret, http.StatusBadRequest, "invalid_client")
	}},
	"denies access": {token: func(header, _ string) (int, string) {
		return refusedUnless(header == clientSecret, http.StatusForbidden, "access_denied")
	}},
	"looks at the code first, and revokes": {token: codeFirst, revoke: func(header, _ string) (int, string) {
		if header == clientSecret {
			return http.StatusOK, ""
		}
		return http.StatusUnauthorized, "invalid_client"
	}},
}

func refusedUnless(known bool, status int, code string) (int, string) {
	if known {
		return http.StatusBadRequest, "invalid_grant"
	}
	return status, code
}

func codeFirst(string, string) (int, string) { return http.StatusBadRequest, "invalid_grant" }

// other has another provider sign people in, which answers so.
func (i *installation) other(token, revoke func(header, body string) (int, string)) {
	i.env["OIDC_ISSUER"] = i.serve(func(rw http.ResponseWriter, r *http.Request) {
		_, header, _ := r.BasicAuth()
		ways := map[string]func(string, string) (int, string){"/token": token, "/revoke": revoke}
		rw.Header().Set("Content-Type", "application/json")
		if ways[r.URL.Path] == nil {
			described := map[string]string{"issuer": "http://" + r.Host, "token_endpoint": "http://" + r.Host + "/token"}
			if revoke != nil {
				described["revocation_endpoint"] = "http://" + r.Host + "/revoke"
			}
			_ = json.NewEncoder(rw).Encode(described)
			return
		}
		status, code := ways[r.URL.Path](header, r.PostFormValue("client_secret"))
		rw.WriteHeader(status)
		_ = json.NewEncoder(rw).Encode(map[string]string{"error": code})
	})
}

// ids are the ids of what a check found.
func ids(r Result) (found []string) {
	for _, f := range r.Findings {
		found = append(found, f.ID)
	}
	return found
}

// A wrong client secret is found at the embedded provider and at others, and a right one is not reported; where no answer
// of a provider depends on it, neither is called well.
func TestAWrongClientSecretIsFoundAtEachProvider(t *testing.T) {
	i := install(t)
	look := func(secret string) Result {
		i.env["OIDC_CLIENT_SECRET"] = secret
		return i.examine("issuer").Results[0]
	}
	told := func(name string) {
		right := look(clientSecret)
		require.Equal(t, OK, right.Level, "%s: %+v", name, right)
		require.Equal(t, []string{"issuer_client_refused"}, ids(look("another-secret-0123456789")), name)
	}
	i.embed()
	told("embedded")
	for name, way := range others {
		i.other(way.token, way.revoke)
		told(name)
	}
	i.other(codeFirst, nil)
	for _, secret := range []string{clientSecret, "another-secret-0123456789"} {
		blind := look(secret)
		require.Equal(t, Warning, blind.Level)
		require.Equal(t, []string{"issuer_client_unseen"}, ids(blind))
	}
	i.other(func(string, string) (int, string) { return http.StatusInternalServerError, "server_error" }, nil)
	require.Equal(t, []string{"issuer_unreachable"}, ids(look(clientSecret)))
	i.other(func(string, string) (int, string) { return http.StatusTooManyRequests, "temporarily_unavailable" }, nil)
	require.Equal(t, []string{"issuer_limited"}, ids(look(clientSecret)))
}
