package api

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/api/rest"
)

// issuer is an OpenID provider that can be configured to lie.
type issuer struct {
	*httptest.Server
	t   *testing.T
	key *ecdsa.PrivateKey

	mu     sync.Mutex
	codes  map[string]url.Values // code → the authorisation request
	person map[string]any        // who signs in next
	// twist changes the ID token's claims; signer signs it.
	twist  func(map[string]any)
	signer *ecdsa.PrivateKey
}

func newIssuer(t *testing.T) *issuer {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	i := &issuer{t: t, key: key, signer: key, codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token",
			"jwks_uri": i.URL + "/keys", "userinfo_endpoint": i.URL + "/userinfo", "end_session_endpoint": i.URL + "/end",
			"id_token_signing_alg_values_supported": []string{"ES256"}})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: i.key.Public(), KeyID: "1", Algorithm: "ES256", Use: "sig"}}})
	})
	mux.HandleFunc("POST /token", i.token)
	mux.HandleFunc("GET /userinfo", func(w http.ResponseWriter, _ *http.Request) { reply(w, i.person) })
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// approve is the person signing in: it gives the code for an authorisation
// request.
func (i *issuer) approve(request url.Values, person map[string]any) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	code := rest.NewToken()
	i.codes[code], i.person = request, person
	return code
}

func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	request, known := i.codes[r.PostFormValue("code")]
	delete(i.codes, r.PostFormValue("code")) // a code is used once
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !known || base64.RawURLEncoding.EncodeToString(sum[:]) != request.Get("code_challenge") {
		w.WriteHeader(http.StatusBadRequest)
		reply(w, map[string]any{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{"iss": i.URL, "aud": "tradepost", "sub": i.person["sub"], "nonce": request.Get("nonce"),
		"iat": time.Now().Unix(), "auth_time": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix()}
	if i.twist != nil {
		i.twist(claims)
	}
	reply(w, map[string]any{"access_token": "at", "token_type": "Bearer", "expires_in": 60, "id_token": i.sign(claims)})
}

func (i *issuer) sign(claims map[string]any) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: i.signer, KeyID: "1"}}, nil)
	require.NoError(i.t, err)
	body, err := json.Marshal(claims)
	require.NoError(i.t, err)
	signed, err := signer.Sign(body)
	require.NoError(i.t, err)
	text, err := signed.CompactSerialize()
	require.NoError(i.t, err)
	return text
}

// person are an issuer's claims about a person.
func person(subject, email string, verified bool) map[string]any {
	return map[string]any{"sub": subject, "email": email, "email_verified": verified, "given_name": "Ada", "family_name": "Lovelace",
		"country": "US", "terms_version": "2026-01-01", "terms_accepted_at": "2026-01-02T03:04:05Z", "adult_confirmed_at": "2026-01-02T03:04:05Z"}
}
