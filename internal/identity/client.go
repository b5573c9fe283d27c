package identity

import (
	"net/url"
	"slices"
	"time"

	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// idTokenLifetime covers the exchange; the site keeps a session of its own.
const idTokenLifetime = 10 * time.Minute

// client is the one client: the site's API. It implements op.Client.
type client struct {
	id        string
	secret    string
	redirects []string
}

var _ op.Client = (*client)(nil)

func (c *client) GetID() string                       { return c.id }
func (c *client) RedirectURIs() []string              { return c.redirects }
func (c *client) PostLogoutRedirectURIs() []string    { return c.redirects }
func (c *client) ApplicationType() op.ApplicationType { return op.ApplicationTypeWeb }
func (c *client) AuthMethod() oidc.AuthMethod         { return oidc.AuthMethodBasic }
func (c *client) ResponseTypes() []oidc.ResponseType {
	return []oidc.ResponseType{oidc.ResponseTypeCode}
}
func (c *client) GrantTypes() []oidc.GrantType        { return []oidc.GrantType{oidc.GrantTypeCode} }
func (c *client) LoginURL(id string) string           { return pathContinue + "?request=" + url.QueryEscape(id) }
func (c *client) AccessTokenType() op.AccessTokenType { return op.AccessTokenTypeBearer }
func (c *client) IDTokenLifetime() time.Duration      { return idTokenLifetime }
func (c *client) DevMode() bool                       { return false }
func (c *client) IsScopeAllowed(string) bool          { return false }

// IDTokenUserinfoClaimsAssertion keeps e-mail, name and country out of ID tokens, one of which is in the address by
// which a browser signs out (id_token_hint). The site reads them from the userinfo endpoint.
func (c *client) IDTokenUserinfoClaimsAssertion() bool { return false }

func (c *client) ClockSkew() time.Duration                     { return 0 }
func (c *client) RestrictAdditionalIdTokenScopes() scopeFilter { return sameScopes } //nolint:staticcheck // the library's spelling
func (c *client) RestrictAdditionalAccessTokenScopes() scopeFilter {
	return sameScopes
}

// scopeFilter is the library's type for narrowing scopes.
type scopeFilter = func([]string) []string

func sameScopes(scopes []string) []string { return scopes }

// mayReturnTo reports whether uri, its state parameter aside, is registered.
func (c *client) mayReturnTo(uri string) bool {
	if slices.Contains(c.redirects, uri) {
		return true
	}
	u, err := url.Parse(uri)
	if err != nil {
		return false
	}
	query := u.Query()
	query.Del("state")
	u.RawQuery = query.Encode()
	return slices.Contains(c.redirects, u.String())
}
