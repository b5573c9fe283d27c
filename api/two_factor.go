package api

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image/png"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/pquerna/otp/totp"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/store"
)

// freshCodeHeader carries a code of the second factor beside a call that asks
// for one.
const freshCodeHeader = "x-two-factor-code"

// Sizes of a seed in bytes and of its QR code in pixels.
const (
	seedSize = 20
	qrSize   = 240
)

// needsTwoFactor reports whether somebody's sessions must show a second factor:
// they have one, or their role demands it here.
func (s *Server) needsTwoFactor(who *account.Principal) bool {
	return who.Enrolled || s.StaffNeedTwoFactor && isStaff(who)
}

// owes reports whether somebody has yet to show their second factor.
func (s *Server) owes(who *account.Principal) bool {
	return who != nil && !who.Proven && s.needsTwoFactor(who)
}

// settled refuses all but what anyone may call, and what leads to the second
// factor, to who owes it (rules §7).
func (s *Server) settled(who *account.Principal, p permission) error {
	if p == anyone || p == ownSession || !s.owes(who) {
		return nil
	}
	return problem(http.StatusForbidden, "two_factor_required", "Enter a code from your authenticator app first.")
}

// requireFreshCode is the step-up: a handler calls it before an act that a
// session alone must not be enough for (revealing secrets, paying out, deleting
// an account). It reads the code from the header x-two-factor-code, a six-digit
// code of the authenticator app or a backup code, and uses it up: call it once
// every other check of the input has passed, and before any effect. Who has no
// second factor passes. The answers are 403 fresh_code_required without a code,
// 422 invalid_code with a wrong one and 429 two_factor_locked after too many;
// the web app's step-up dialog understands all three. Register the route with
// the option asksFreshCode, which documents the header.
func (s *Server) requireFreshCode(ctx context.Context) error {
	who := principalOf(ctx)
	if !who.Enrolled {
		return nil
	}
	code := headerOf(ctx, freshCodeHeader)
	if code == "" {
		return problem(http.StatusForbidden, "fresh_code_required", "Enter a code from your authenticator app.")
	}
	return account.FreshCode(ctx, s.DB, s.Vault, who, proofOf(code))
}

// movesMoney marks a call of staff that moves money or coin, or lets either go: who has
// a second factor has shown it within account.CodeCounts, or shows it now. add holds
// every call to it that carries the mark.
func movesMoney(op *huma.Operation) {
	asksFreshCode(op)
	op.Extensions[moneyMark] = true
}

const moneyMark = "x-moves-money"

// recentCode stands before every call that moves money, after the guard and before
// anything of the call is read.
func (s *Server) recentCode(ctx huma.Context, next func(huma.Context)) {
	if err := s.requireRecentCode(ctx.Context()); err != nil {
		c := humagin.Unwrap(ctx)
		writeProblem(c.Writer, c.Request, asProblem(ctx.Context(), err))
		return
	}
	next(ctx)
}

// requireRecentCode answers 403 recent_code_required to who has to show the factor
// again; the web app asks for a code then, and sends the call again with it.
func (s *Server) requireRecentCode(ctx context.Context) error {
	who := principalOf(ctx)
	code := headerOf(ctx, freshCodeHeader)
	switch {
	case !who.Enrolled || code == "" && who.ShownLately:
		return nil
	case code == "":
		return problem(http.StatusForbidden, "recent_code_required", "Enter a code from your authenticator app. It is valid for ten minutes.")
	}
	return account.FreshCode(ctx, s.DB, s.Vault, who, proofOf(code))
}

// asksFreshCode documents that a call asks for a fresh code of who has a second
// factor; its handler calls requireFreshCode.
func asksFreshCode(op *huma.Operation) {
	op.Parameters = append(op.Parameters, &huma.Param{Name: freshCodeHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString},
		Description: "a code of the authenticator app, or a backup code: for who has a second factor"})
}

// proofOf tells a backup code from a code of the app by its form.
func proofOf(code string) account.Proof {
	if len(strings.ReplaceAll(code, " ", "")) > len("000000") {
		return account.Proof{BackupCode: code}
	}
	return account.Proof{Token: code}
}

func (s *Server) getTwoFactorStatus(ctx context.Context, _ *nothing) (*body[TwoFactorStatus], error) {
	who := principalOf(ctx)
	status, err := account.ReadTwoFactorStatus(ctx, s.DB, who)
	if err != nil {
		return nil, err
	}
	recovery, err := account.OpenRecovery(ctx, s.DB, who.UserID)
	if err != nil {
		return nil, err
	}
	return &body[TwoFactorStatus]{TwoFactorStatus{Enabled: status.EnabledAt != nil, EnabledAt: status.EnabledAt, BackupCodesLeft: status.CodesLeft,
		LockedUntil: status.LockedUntil, Demanded: s.StaffNeedTwoFactor && isStaff(who), Recovery: ownRecovery(recovery)}}, nil
}

// setUpTwoFactor shows a new seed, once; it counts for nothing until a code made
// with it comes back.
func (s *Server) setUpTwoFactor(ctx context.Context, _ *nothing) (*body[TwoFactorSetup], error) {
	who := principalOf(ctx)
	key, err := totp.Generate(totp.GenerateOpts{Issuer: s.Brand, AccountName: who.Email, SecretSize: seedSize})
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
	if err := account.SetUpTwoFactor(ctx, s.DB, s.Vault, who, key.Secret()); err != nil {
		return nil, err
	}
	return &body[TwoFactorSetup]{TwoFactorSetup{QRCode: "data:image/png;base64," + base64.StdEncoding.EncodeToString(drawn.Bytes()), Secret: key.Secret()}}, nil
}

type twoFactorInput struct{ Body TwoFactorToken }

// renewed is an answer with which a session goes on under a new token.
type renewed[T any] struct {
	SetCookie []http.Cookie `header:"Set-Cookie"`
	Body      T
}

func (s *Server) verifyTwoFactor(ctx context.Context, in *twoFactorInput) (*renewed[BackupCodes], error) {
	token := newToken()
	codes, err := account.EnableTwoFactor(ctx, s.DB, s.Vault, principalOf(ctx), in.Body.Token, hashToken(token))
	if err != nil {
		return nil, err
	}
	return &renewed[BackupCodes]{SetCookie: s.sessionCookies(token), Body: BackupCodes{codes}}, nil
}

type passTwoFactorInput struct{ Body TwoFactorProof }

// passTwoFactor is the second half of signing in.
func (s *Server) passTwoFactor(ctx context.Context, in *passTwoFactorInput) (*renewed[TwoFactorPassed], error) {
	token := newToken()
	proof := account.Proof{Token: in.Body.Token, BackupCode: in.Body.BackupCode}
	left, err := account.PassTwoFactor(ctx, s.DB, s.Vault, principalOf(ctx), proof, hashToken(token))
	if err != nil {
		return nil, err
	}
	return &renewed[TwoFactorPassed]{SetCookie: s.sessionCookies(token), Body: TwoFactorPassed{UsedBackupCode: proof.BackupCode != "", BackupCodesLeft: left}}, nil
}

func (s *Server) sessionCookies(token string) []http.Cookie {
	return []http.Cookie{s.cookie(sessionCookie, token, account.SessionLifetime)}
}

func (s *Server) disableTwoFactor(ctx context.Context, in *twoFactorInput) (*body[TwoFactorStatus], error) {
	if err := account.DisableTwoFactor(ctx, s.DB, s.Vault, principalOf(ctx), proofOf(in.Body.Token)); err != nil {
		return nil, err
	}
	return s.getTwoFactorStatus(ctx, nil)
}

func (s *Server) regenerateBackupCodes(ctx context.Context, in *twoFactorInput) (*body[BackupCodes], error) {
	if strings.TrimSpace(in.Body.Token) == "" {
		return nil, store.Invalid("token", "required", "Code required")
	}
	codes, err := account.RenewBackupCodes(ctx, s.DB, s.Vault, principalOf(ctx), proofOf(in.Body.Token))
	if err != nil {
		return nil, err
	}
	return &body[BackupCodes]{BackupCodes{codes}}, nil
}

func (s *Server) resealSeeds(ctx context.Context) error {
	n, err := account.ResealSeeds(ctx, s.DB, s.Vault)
	if n > 0 {
		s.Log.InfoContext(ctx, "second factors are sealed with the current key", "people", n)
	}
	return err
}
