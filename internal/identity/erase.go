package identity

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/zitadel/oidc/v3/pkg/oidc"
)

// maxErasure bounds the body of an erasure: an id and its name.
const maxErasure = 1 << 10

// eraseAccount is the client's request to erase a closed account. It comes from the site's
// server and is authenticated by the client's secret; an account that does not exist counts
// as erased.
func (s *Server) eraseAccount(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	id, secret, _ := r.BasicAuth()
	id, idErr := url.QueryUnescape(id)
	secret, secretErr := url.QueryUnescape(secret)
	if idErr != nil || secretErr != nil {
		id, secret = "", ""
	}
	err := s.knownClient(r, id, secret)
	var wrong *oidc.Error
	if errors.As(err, &wrong) {
		w.Header().Set("WWW-Authenticate", `Basic realm="client"`)
		writeJSON(w, http.StatusUnauthorized, map[string]string{"error": "invalid_client"})
		return
	}
	if err != nil {
		s.refuseCall(w, r, err)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxErasure)
	subject, err := uuid.Parse(r.PostFormValue("sub"))
	if err != nil {
		writeJSON(w, http.StatusBadRequest, map[string]string{"error": "invalid_request", "error_description": "sub: must be an account's id"})
		return
	}
	if err := s.accounts.erase(r.Context(), subject); err != nil {
		s.log.ErrorContext(r.Context(), "erasure failed", "error", err)
		writeJSON(w, http.StatusInternalServerError, map[string]string{"error": "server_error"})
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// erase removes an account with all that hangs on it: sessions, links, codes,
// and mails that wait for its address. What stays is that it happened.
func (a *accounts) erase(ctx context.Context, id uuid.UUID) error {
	return pgx.BeginFunc(ctx, a.db, func(tx pgx.Tx) error {
		var key string
		err := tx.QueryRow(ctx, `DELETE FROM users WHERE id = $1 RETURNING email_key`, id).Scan(&key)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM outbox WHERE email_key = $1`, key); err != nil {
			return err
		}
		return (&eventLog{tx}).add(ctx, eventErased, &id, "")
	})
}
