package identity

import (
	"context"
	"net/http"
	"regexp"
	"slices"

	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// Paths of the protocol, as discovery names them.
const (
	pathDiscovery  = "/.well-known/openid-configuration"
	pathAuthorize  = "/authorize"
	pathCallback   = "/authorize/callback"
	pathToken      = "/oauth/token" //nolint:gosec // a path, not a token
	pathUserinfo   = "/userinfo"
	pathKeys       = "/keys"
	pathEndSession = "/end_session"
	pathErasure    = "/oauth/erasure"
)

// maxParameter bounds each parameter of an authorisation request, in bytes.
const maxParameter = 2048

// maxMaxAge bounds max_age, in seconds: a year.
const maxMaxAge = 365 * 24 * 60 * 60

// promptCreate requests the sign-up page (OpenID Connect "Initiating User Registration").
const promptCreate = "create"

// s256Challenge is the form of SHA-256 in base64url (RFC 7636, 4.2).
var s256Challenge = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// protocol is the library's provider behind our own, shorter route table: what
// is not routed here (implicit flow, refresh, introspection, device codes,
// client assertions, token exchange) does not exist.
type protocol struct {
	*op.Provider
	client *client
}

func newProtocol(s *settings, store *storage) (*protocol, error) {
	key, err := derive(s.keys[0], purposeCodes)
	if err != nil {
		return nil, err
	}
	config := &op.Config{CryptoKey: key, CodeMethodS256: true, DefaultLogoutRedirectURI: pathSignedOut}
	var options []op.Option
	if s.Mode == ModeLocal {
		options = append(options, op.WithAllowInsecure())
	}
	provider, err := op.NewProvider(config, store, op.StaticIssuer(s.URL), options...)
	if err != nil {
		return nil, err
	}
	return &protocol{Provider: provider, client: store.client}, nil
}

// withIssuer puts the issuer where the library reads it.
func (p *protocol) withIssuer(next http.HandlerFunc) http.Handler {
	return op.NewIssuerInterceptor(p.IssuerFromRequest).Handler(next)
}

// returnFault names the parameter that keeps us from sending an error back to the client:
// such a request ends on a page of the provider.
func (p *protocol) returnFault(in *oidc.AuthRequest) string {
	if in.ClientID != p.client.id {
		return "client_id"
	}
	if !slices.Contains(p.client.redirects, in.RedirectURI) {
		return "redirect_uri"
	}
	return ""
}

// check makes PKCE with S256 and the code flow the only way, and narrows the scopes of in to
// those that are offered. Refusals are sent back to the client.
func (p *protocol) check(ctx context.Context, in *oidc.AuthRequest) error {
	if err := checkRequest(in); err != nil {
		return err
	}
	_, err := op.ValidateAuthRequestClient(ctx, in, p.client, p.IDTokenHintVerifier(ctx))
	return err
}

func checkRequest(in *oidc.AuthRequest) error {
	bad := func(text string) error { return &refusal{"invalid_request", text} }
	switch {
	case in.ResponseType != oidc.ResponseTypeCode:
		return &refusal{"unauthorized_client", "response_type: only code is offered"}
	case in.CodeChallenge == "":
		return bad("code_challenge: PKCE is required")
	case in.CodeChallengeMethod != oidc.CodeChallengeMethodS256:
		return bad("code_challenge_method: must be S256")
	case !s256Challenge.MatchString(in.CodeChallenge):
		return bad("code_challenge: is not a SHA-256 hash in base64url")
	case in.State == "":
		return bad("state: is required")
	case in.Nonce == "":
		return bad("nonce: is required")
	case !slices.Contains(in.Scopes, oidc.ScopeOpenID):
		return &refusal{"invalid_scope", "scope: must contain openid"}
	case in.ResponseMode != "" && in.ResponseMode != oidc.ResponseModeQuery:
		return bad("response_mode: only query is offered")
	case in.RequestParam != "":
		return &refusal{"request_not_supported", "request: is not offered"}
	case in.MaxAge != nil && *in.MaxAge > maxMaxAge:
		return bad("max_age: is too large")
	case len(in.Prompt) > 1 && slices.Contains(in.Prompt, oidc.PromptNone):
		return bad("prompt: none goes with no other value")
	}
	return nil
}

// discovery is the provider's description of itself.
func (p *protocol) discovery(w http.ResponseWriter, r *http.Request) {
	issuer := p.IssuerFromRequest(r)
	writeJSON(w, http.StatusOK, map[string]any{
		"issuer":                                issuer,
		"authorization_endpoint":                issuer + pathAuthorize,
		"token_endpoint":                        issuer + pathToken,
		"userinfo_endpoint":                     issuer + pathUserinfo,
		"end_session_endpoint":                  issuer + pathEndSession,
		"account_erasure_endpoint":              issuer + pathErasure, // ours, beside the standard
		"jwks_uri":                              issuer + pathKeys,
		"scopes_supported":                      []string{oidc.ScopeOpenID, oidc.ScopeProfile, oidc.ScopeEmail},
		"response_types_supported":              []string{string(oidc.ResponseTypeCode)},
		"response_modes_supported":              []string{string(oidc.ResponseModeQuery)},
		"grant_types_supported":                 []string{string(oidc.GrantTypeCode)},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{"RS256"},
		"token_endpoint_auth_methods_supported": []string{string(oidc.AuthMethodBasic)},
		"code_challenge_methods_supported":      []string{string(oidc.CodeChallengeMethodS256)},
		"prompt_values_supported":               []string{oidc.PromptNone, oidc.PromptLogin, promptCreate},
		"claims_supported": []string{
			"sub", "iss", "aud", "exp", "iat", "auth_time", "nonce", "amr", "azp", "at_hash", "c_hash",
			"email", "email_verified", "email_verified_at", "name", "given_name", "family_name", "locale",
			"country", "terms_version", "terms_accepted_at", "adult_confirmed_at",
		},
		"request_parameter_supported":          false,
		"request_uri_parameter_supported":      false,
		"backchannel_logout_supported":         true,
		"backchannel_logout_session_supported": false,
	})
}
