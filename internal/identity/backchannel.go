package identity

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/uuid"
	"github.com/zitadel/oidc/v3/pkg/crypto"
	"github.com/zitadel/oidc/v3/pkg/oidc"
)

// noticeSignedOut is queued like a mail, for the site instead of the person.
const noticeSignedOut = "signed_out"

// pathSiteLogout is where the site receives logouts, unless configuration names another
// address.
const pathSiteLogout = "/api/logout/backchannel"

// logoutTokenLife covers one delivery; each try makes a token of its own
// (OpenID Connect Back-Channel Logout 1.0, 2.4 recommends two minutes at most).
const logoutTokenLife = 2 * time.Minute

// site is our one client, which is notified, without the browser, that a person's sessions
// there must end (OpenID Connect Back-Channel Logout 1.0).
type site struct {
	settings *settings
	keys     *keys
	client   *http.Client
}

func newSite(s *settings, k *keys) *site {
	return &site{s, k, &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// signedOut notifies the site that every session of who must end. A repeat is harmless.
func (s *site) signedOut(ctx context.Context, who uuid.UUID) error {
	token, err := s.logoutToken(ctx, who)
	if err != nil {
		return err
	}
	body := strings.NewReader(url.Values{"logout_token": {token}}.Encode())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.settings.LogoutURL, body)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := s.client.Do(request)
	if err != nil {
		return err
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusNoContent {
		return fmt.Errorf("the site answered %d", answer.StatusCode)
	}
	return nil
}

// signUpsPaused is why the site accepts no new accounts, in its own text and the reader's
// language; "" while it does. A site that cannot be reached decides at the sign-in itself.
func (s *site) signUpsPaused(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, askSite)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(s.settings.LogoutURL, pathSiteLogout)+"/api/public/notices", http.NoBody)
	if err != nil {
		return ""
	}
	request.Header.Set("Accept-Language", textsOf(ctx).Code)
	answer, err := s.client.Do(request)
	if err != nil {
		return ""
	}
	defer func() { _ = answer.Body.Close() }()
	var reply struct {
		SignUps string `json:"signUps"`
	}
	if answer.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(answer.Body, 4<<10)).Decode(&reply) != nil {
		return ""
	}
	return reply.SignUps
}

// askSite is how long a sign-up waits for the site.
const askSite = 2 * time.Second

// logoutToken names no session of the site: all of the person's sessions end.
func (s *site) logoutToken(ctx context.Context, who uuid.UUID) (string, error) {
	key, _, err := s.keys.current(ctx)
	if err != nil {
		return "", err
	}
	options := (&jose.SignerOptions{}).WithType("logout+jwt").WithHeader("kid", key.id)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: key.SignatureAlgorithm(), Key: key.private}, options)
	if err != nil {
		return "", err
	}
	claims := oidc.NewLogoutTokenClaims(s.settings.URL, who.String(), oidc.Audience{s.settings.ClientID},
		time.Now().Add(logoutTokenLife), uuid.NewString(), "", 0)
	return crypto.Sign(claims, signer)
}
