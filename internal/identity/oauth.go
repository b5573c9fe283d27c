package identity

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// refusal is an error of the protocol: a code of RFC 6749 or OpenID Connect, and our text.
// The library's own texts name its types and repeat its errors, and reach no caller.
type refusal struct{ code, text string }

func (e *refusal) Error() string { return e.code + ": " + e.text }

// refusalTexts are the texts of refusals that the library decides, by their code.
var refusalTexts = map[string]string{
	"invalid_request": "the request is incomplete or malformed", "invalid_scope": "the scope is not offered",
	"invalid_client": "the client is unknown or its secret is wrong", "invalid_grant": "the code is not valid for this exchange",
	"unauthorized_client": "the client may not do this", "unsupported_grant_type": "grant_type: only authorization_code is offered",
	"access_denied": "access is denied", "login_required": "sign in first", "interaction_required": "the sign-in is not complete",
	"request_not_supported": "request: is not offered",
}

// Codes of refusals that no library decides: a failure that is not the caller's, and too many wrong secrets from the
// caller's address.
const (
	codeServerError = "server_error"
	codeLimited     = "temporarily_unavailable"
)

// refusalOf returns err as a refusal. An error that is neither ours nor one of the protocol
// becomes codeServerError.
func refusalOf(err error) *refusal {
	var ours *refusal
	if errors.As(err, &ours) {
		return ours
	}
	var limited *limitedError
	if errors.As(err, &limited) {
		return &refusal{codeLimited, "too many wrong client secrets came from this address"}
	}
	code := string(oidc.DefaultToServerError(err, "").ErrorType)
	if text := refusalTexts[code]; text != "" {
		return &refusal{code, text}
	}
	return &refusal{codeServerError, "try again later"}
}

// requestParameters are the parameters of an authorisation request that we read. Others are
// ignored, and their names are repeated on no page.
var requestParameters = []string{"scope", "response_type", "client_id", "redirect_uri", "state", "nonce", "response_mode", "display",
	"prompt", "max_age", "ui_locales", "id_token_hint", "login_hint", "acr_values", "code_challenge", "code_challenge_method", "request"}

// parseRequest reads an authorisation request. It returns the name of a parameter that
// cannot be read, such as a doubled one, or "query" when the whole cannot.
func parseRequest(raw string) (in *oidc.AuthRequest, fault string) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return nil, "query"
	}
	for name, values := range query {
		if len(values) == 1 && len(values[0]) <= maxParameter && utf8.ValidString(values[0]) && !strings.ContainsRune(values[0], 0) {
			continue
		}
		if slices.Contains(requestParameters, name) {
			return nil, name
		}
		return nil, "query"
	}
	var maxAge *uint
	if text := query.Get("max_age"); text != "" {
		seconds, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return nil, "max_age"
		}
		value := uint(seconds)
		maxAge = &value
	}
	return &oidc.AuthRequest{
		Scopes: strings.Fields(query.Get("scope")), ResponseType: oidc.ResponseType(query.Get("response_type")),
		ClientID: query.Get("client_id"), RedirectURI: query.Get("redirect_uri"), State: query.Get("state"), Nonce: query.Get("nonce"),
		ResponseMode: oidc.ResponseMode(query.Get("response_mode")), Display: oidc.Display(query.Get("display")),
		Prompt: strings.Fields(query.Get("prompt")), MaxAge: maxAge, IDTokenHint: query.Get("id_token_hint"), LoginHint: query.Get("login_hint"),
		ACRValues: strings.Fields(query.Get("acr_values")), CodeChallenge: query.Get("code_challenge"),
		CodeChallengeMethod: oidc.CodeChallengeMethod(query.Get("code_challenge_method")), RequestParam: query.Get("request"),
	}, ""
}

// sendBack redirects to the client with its state and more parameters. target is one of the
// client's registered addresses.
func sendBack(w http.ResponseWriter, r *http.Request, target, state string, more url.Values) {
	at, err := url.Parse(target)
	if err != nil {
		panic("a registered address is none: " + err.Error()) // newSettings checks them
	}
	query := at.Query()
	for name, values := range more {
		query[name] = values
	}
	if state != "" {
		query.Set("state", state)
	}
	at.RawQuery = query.Encode()
	http.Redirect(w, r, at.String(), http.StatusFound) //nolint:gosec // a registered address of the client
}

// sendBackError tells the client why its request ends.
func sendBackError(w http.ResponseWriter, r *http.Request, target, state string, why *refusal) {
	sendBack(w, r, target, state, url.Values{"error": {why.code}, "error_description": {why.text}})
}

// exchange is the token endpoint: one grant, the authorisation code.
func (s *Server) exchange(w http.ResponseWriter, r *http.Request) {
	response, err := s.exchangeCode(r)
	if err != nil {
		s.refuseCall(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, response)
}

func (s *Server) exchangeCode(r *http.Request) (*oidc.AccessTokenResponse, error) {
	p := s.protocol
	if err := r.ParseForm(); err != nil {
		return nil, &refusal{"invalid_request", refusalTexts["invalid_request"]}
	}
	r.Form = r.PostForm // a secret or a code is not taken from the address
	for _, values := range r.PostForm {
		if len(values) > 1 {
			return nil, &refusal{"invalid_request", "a parameter is given twice"}
		}
	}
	if r.PostFormValue("grant_type") != string(oidc.GrantTypeCode) {
		return nil, &refusal{"unsupported_grant_type", refusalTexts["unsupported_grant_type"]}
	}
	in, err := op.ParseAccessTokenRequest(r, p.Decoder())
	if err != nil {
		return nil, err
	}
	if in.Code == "" {
		return nil, &refusal{"invalid_request", "code: is required"}
	}
	if err := s.authenticate(r, in); err != nil {
		return nil, err
	}
	request, client, err := op.ValidateAccessTokenRequest(r.Context(), in, p)
	if err != nil {
		return nil, err
	}
	return op.CreateTokenResponse(r.Context(), request, client, p, true, in.Code, "")
}

// authenticate checks the client's secret before the library reads the code: a client with a wrong secret is rejected
// with invalid_client, regardless of the code (RFC 6749, 3.2.1). It also uses the code up, as the library does before it
// checks the client: a code that reached another client must not be exchanged. An address that is limited leaves the
// code as it is.
func (s *Server) authenticate(r *http.Request, in *oidc.AccessTokenRequest) error {
	refused := s.knownClient(r, in.ClientID, in.ClientSecret)
	var wrong *oidc.Error
	if !errors.As(refused, &wrong) {
		return refused
	}
	if _, err := s.protocol.Storage().AuthRequestByCode(r.Context(), in.Code); err != nil {
		return errors.Join(refused, err)
	}
	return refused
}

// knownClient checks the secret of the site's server; a wrong one is an *oidc.Error. Wrong ones are counted by the
// address they come from. With too many of them, no secret of that address is looked at: it gets a *limitedError, so
// that a right guess is not seen either. Right ones are not counted: all sign-ins of the site come from one address.
func (s *Server) knownClient(r *http.Request, id, secret string) error {
	ctx, address := r.Context(), addressKey(s.guard.address(r))
	if err := s.limits.reached(ctx, limitClientSecret, address, address); err != nil {
		return err
	}
	refused := s.protocol.Storage().AuthorizeClientIDSecret(ctx, id, secret)
	if refused == nil {
		return nil
	}
	if err := s.limits.take(ctx, limitClientSecret, address, nil, address); err != nil {
		return err
	}
	return refused
}

// userinfo returns the claims of the person whose access token it is given.
func (s *Server) userinfo(w http.ResponseWriter, r *http.Request) {
	token, err := op.ParseUserinfoRequest(r, s.protocol.Decoder())
	if err != nil || token == "" {
		refuseToken(w, "an access token is required")
		return
	}
	info := new(oidc.UserInfo)
	err = s.protocol.fillUserinfo(r.Context(), info, token)
	switch {
	case errors.Is(err, errRefused), errors.Is(err, errNoAccount), errors.Is(err, oidc.ErrAccessDenied()):
		refuseToken(w, "the access token is unknown or has expired")
	case err != nil:
		s.refuseCall(w, r, err)
	default:
		writeJSON(w, http.StatusOK, info)
	}
}

// fillUserinfo reads the claims that an access token opens. It returns errRefused if the
// token is not ours.
func (p *protocol) fillUserinfo(ctx context.Context, info *oidc.UserInfo, token string) error {
	plain, err := p.Crypto().Decrypt(token)
	if err != nil {
		return errRefused
	}
	id, subject, found := strings.Cut(plain, ":")
	if !found {
		return errRefused
	}
	return p.Storage().SetUserinfoFromToken(ctx, info, id, subject, "")
}

// refuseToken answers a call whose access token is missing or opens nothing (RFC 6750, 3).
func refuseToken(w http.ResponseWriter, text string) {
	w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
	writeJSON(w, http.StatusUnauthorized, map[string]string{"error": "invalid_token", "error_description": text})
}

// publicKeys lists the keys with which ID tokens are checked.
func (s *Server) publicKeys(w http.ResponseWriter, r *http.Request) {
	keys, err := s.protocol.Storage().KeySet(r.Context())
	if err != nil {
		s.refuseCall(w, r, err)
		return
	}
	set := jose.JSONWebKeySet{Keys: make([]jose.JSONWebKey, len(keys))}
	for i, key := range keys {
		set.Keys[i] = jose.JSONWebKey{KeyID: key.ID(), Algorithm: string(key.Algorithm()), Use: key.Use(), Key: key.Key()}
	}
	writeJSON(w, http.StatusOK, set)
}

// refuseCall answers a call of the client's server with a refusal, and logs the cause.
func (s *Server) refuseCall(w http.ResponseWriter, r *http.Request, err error) {
	why, status, level := refusalOf(err), http.StatusBadRequest, slog.LevelWarn
	switch why.code {
	case "invalid_client":
		status = http.StatusUnauthorized
		if r.Header.Get("Authorization") != "" { // RFC 6749, 5.2; without it a browser would ask for a password
			w.Header().Set("WWW-Authenticate", `Basic realm="token"`)
		}
	case codeLimited:
		var limited *limitedError
		if errors.As(err, &limited) {
			w.Header().Set("Retry-After", strconv.Itoa(limited.seconds()))
		}
		status = http.StatusTooManyRequests
	case codeServerError:
		status, level = http.StatusInternalServerError, slog.LevelError
	}
	s.log.Log(r.Context(), level, "call rejected", "code", why.code, "error", err)
	writeJSON(w, status, map[string]string{"error": why.code, "error_description": why.text})
}
