package account

import (
	"context"
	"net/http"
	"net/url"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
)

type logoutNoticeInput struct {
	RawBody []byte `contentType:"application/x-www-form-urlencoded"`
}

type logoutNoticeAnswer struct {
	Status int `statuses:"200"`
}

// BackchannelLogout receives the identity provider's request to end a person's sessions,
// for instance after a change of password. It comes from the provider's server, not from a
// browser, and is authenticated by its signature alone.
func (h *Handlers) BackchannelLogout(ctx context.Context, in *logoutNoticeInput) (*logoutNoticeAnswer, error) {
	form, err := url.ParseQuery(string(in.RawBody))
	if err != nil || form.Get("logout_token") == "" {
		return nil, rest.NewProblem(http.StatusBadRequest, "invalid_request", "logout_token is missing")
	}
	subject, err := h.SignIn.ended(ctx, form.Get("logout_token"))
	if err != nil {
		h.Log.WarnContext(ctx, "logout notice refused", "error", err, "request_id", rest.RequestID(ctx))
		return nil, rest.NewProblem(http.StatusBadRequest, "invalid_request", "logout_token cannot be believed")
	}
	ended, err := account.EndSessionsOf(ctx, h.DB, h.SignIn.Issuer(), subject)
	if err != nil {
		return nil, err
	}
	h.Log.InfoContext(ctx, "sessions ended by the identity provider", "sessions", ended)
	return &logoutNoticeAnswer{Status: http.StatusOK}, nil
}
