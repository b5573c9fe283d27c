package account

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image/png"
	"net/http"
	"strings"

	"github.com/pquerna/otp/totp"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/store"
)

// Sizes of a seed in bytes and of its QR code in pixels.
const (
	seedSize = 20
	qrSize   = 240
)

// GetTwoFactorStatus answers GET /api/2fa/status.
func (h *Handlers) GetTwoFactorStatus(ctx context.Context, _ *rest.Nothing) (*rest.Body[TwoFactorStatus], error) {
	who := rest.PrincipalOf(ctx)
	status, err := account.ReadTwoFactorStatus(ctx, h.DB, who)
	if err != nil {
		return nil, err
	}
	recovery, err := account.OpenRecovery(ctx, h.DB, who.UserID)
	if err != nil {
		return nil, err
	}
	return &rest.Body[TwoFactorStatus]{Body: TwoFactorStatus{Enabled: status.EnabledAt != nil, EnabledAt: status.EnabledAt, BackupCodesLeft: status.CodesLeft,
		LockedUntil: status.LockedUntil, Demanded: h.StaffNeedTwoFactor && rest.IsStaff(who), Recovery: ownRecovery(recovery)}}, nil
}

// SetUpTwoFactor shows a new seed, once; it is not in force until a code made with it is
// entered.
func (h *Handlers) SetUpTwoFactor(ctx context.Context, _ *rest.Nothing) (*rest.Body[TwoFactorSetup], error) {
	who := rest.PrincipalOf(ctx)
	key, err := totp.Generate(totp.GenerateOpts{Issuer: h.Brand, AccountName: who.Email, SecretSize: seedSize})
	if err != nil {
		return nil, fmt.Errorf("make a seed: %w", err)
	}
	picture, err := key.Image(qrSize, qrSize)
	if err != nil {
		return nil, fmt.Errorf("draw the QR code: %w", err)
	}
	var drawn bytes.Buffer
	if err := png.Encode(&drawn, picture); err != nil {
		return nil, fmt.Errorf("draw the QR code: %w", err)
	}
	if err := account.SetUpTwoFactor(ctx, h.DB, h.Vault, who, key.Secret()); err != nil {
		return nil, err
	}
	return &rest.Body[TwoFactorSetup]{Body: TwoFactorSetup{QRCode: "data:image/png;base64," + base64.StdEncoding.EncodeToString(drawn.Bytes()), Secret: key.Secret()}}, nil
}

type twoFactorInput struct{ Body TwoFactorToken }

// renewed is an answer with which a session continues under a new token.
type renewed[T any] struct {
	SetCookie []http.Cookie `header:"Set-Cookie"`
	Body      T
}

// VerifyTwoFactor answers POST /api/2fa/verify.
func (h *Handlers) VerifyTwoFactor(ctx context.Context, in *twoFactorInput) (*renewed[BackupCodes], error) {
	token := rest.NewToken()
	codes, err := account.EnableTwoFactor(ctx, h.DB, h.Vault, rest.PrincipalOf(ctx), in.Body.Token, rest.HashToken(token))
	if err != nil {
		return nil, err
	}
	return &renewed[BackupCodes]{SetCookie: h.sessionCookies(token), Body: BackupCodes{codes}}, nil
}

type passTwoFactorInput struct{ Body TwoFactorProof }

// PassTwoFactor is the second step of signing in.
func (h *Handlers) PassTwoFactor(ctx context.Context, in *passTwoFactorInput) (*renewed[TwoFactorPassed], error) {
	token := rest.NewToken()
	proof := account.Proof{Token: in.Body.Token, BackupCode: in.Body.BackupCode}
	left, err := account.PassTwoFactor(ctx, h.DB, h.Vault, rest.PrincipalOf(ctx), proof, rest.HashToken(token))
	if err != nil {
		return nil, err
	}
	return &renewed[TwoFactorPassed]{SetCookie: h.sessionCookies(token), Body: TwoFactorPassed{UsedBackupCode: proof.BackupCode != "", BackupCodesLeft: left}}, nil
}

func (h *Handlers) sessionCookies(token string) []http.Cookie {
	return []http.Cookie{h.Cookie(rest.SessionCookie, token, account.SessionLifetime)}
}

// DisableTwoFactor answers POST /api/2fa/disable.
func (h *Handlers) DisableTwoFactor(ctx context.Context, in *twoFactorInput) (*rest.Body[TwoFactorStatus], error) {
	if err := account.DisableTwoFactor(ctx, h.DB, h.Vault, rest.PrincipalOf(ctx), rest.ProofOf(in.Body.Token)); err != nil {
		return nil, err
	}
	return h.GetTwoFactorStatus(ctx, nil)
}

// RegenerateBackupCodes answers POST /api/2fa/regenerate-backup-codes.
func (h *Handlers) RegenerateBackupCodes(ctx context.Context, in *twoFactorInput) (*rest.Body[BackupCodes], error) {
	if strings.TrimSpace(in.Body.Token) == "" {
		return nil, store.Invalid("token", "required", "Code required")
	}
	codes, err := account.RenewBackupCodes(ctx, h.DB, h.Vault, rest.PrincipalOf(ctx), rest.ProofOf(in.Body.Token))
	if err != nil {
		return nil, err
	}
	return &rest.Body[BackupCodes]{Body: BackupCodes{codes}}, nil
}

// ResealSeeds seals second factors with the current key.
func (h *Handlers) ResealSeeds(ctx context.Context) error {
	n, err := account.ResealSeeds(ctx, h.DB, h.Vault)
	if n > 0 {
		h.Log.InfoContext(ctx, "second factors are sealed with the current key", "people", n)
	}
	return err
}
