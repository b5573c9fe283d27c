package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/address"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
)

// VoucherSettings are an installation's terms for vouchers.
type VoucherSettings struct {
	Terms  voucher.VoucherTerms
	Limits voucher.VoucherLimits
}

// Codes may be tried so often: by one customer, and from one address. Right and
// wrong ones count alike, before they are looked up, so that many at once are
// no more than that.
var (
	codesPerUser    = store.RateLimit{Burst: 10, Every: time.Minute}
	codesPerAddress = store.RateLimit{Burst: 30, Every: 20 * time.Second}
	limitNoted      = store.RateLimit{Burst: 1, Every: time.Minute}
)

// tryCode counts a code that is about to be looked up, for all replicas
// together. Who meets the limit is written down, now and then.
func (s *Server) tryCode(ctx context.Context) error {
	userID := principalOf(ctx).UserID
	for key, limit := range map[string]store.RateLimit{"voucher:user:" + userID: codesPerUser, "voucher:address:" + requestOf(ctx).ip: codesPerAddress} {
		limit.Burst *= s.RateScale
		limit.Every /= time.Duration(s.RateScale)
		wait, err := s.DB.Allow(ctx, key, limit)
		if err != nil {
			return err
		}
		if wait == 0 {
			continue
		}
		if silent, err := s.DB.Allow(ctx, "voucher:noted:"+userID, limitNoted); err == nil && silent == 0 {
			s.noteCode(ctx, "voucher.codes_limited")
		}
		return limited(wait, nil)
	}
	return nil
}

// noteCode writes down that somebody tries codes.
func (s *Server) noteCode(ctx context.Context, action string) {
	who := principalOf(ctx)
	err := audit.Audit(ctx, s.DB, audit.AuditEntry{ActorID: who.UserID, ActorRole: actorRole(who), Action: action, ObjectKind: "user", ObjectID: who.UserID, RequestID: requestID(ctx)})
	if err != nil {
		s.Log.WarnContext(ctx, "a tried voucher code could not be written down", "error", err)
	}
}

// wrongCode writes a refused code down and passes the refusal on.
func (s *Server) wrongCode(ctx context.Context, err error) error {
	if store.ReasonOf(err) == "voucher_not_found" {
		s.noteCode(ctx, "voucher.wrong_code")
	}
	return err
}

type voucherCodeInput struct{ Body VoucherCode }

// validateVoucher says what a code is worth, to who could redeem it.
func (s *Server) validateVoucher(ctx context.Context, in *voucherCodeInput) (*body[VoucherFound], error) {
	if err := voucher.CheckVoucherCode(in.Body.Code); err != nil {
		return nil, err
	}
	if err := s.tryCode(ctx); err != nil {
		return nil, err
	}
	found, err := voucher.FindVoucher(ctx, s.DB, s.Vault, principalOf(ctx).UserID, in.Body.Code, s.Vouchers.Terms)
	if err != nil {
		return nil, s.wrongCode(ctx, err)
	}
	v := found.Voucher
	out := VoucherFound{Amount: v.Currency.Format(v.Amount), Currency: string(v.Currency), ExpiresAt: v.ExpiresAt, MarginPercent: "0",
		NeedsIdentity: found.NeedsIdentity, Options: []VoucherEstimate{}}
	if v.Currency == money.USD {
		out.MarginPercent = s.Vouchers.Terms.MarginPercent.String()
	}
	for _, asset := range voucher.VoucherTypes(s.Quoter.Offer(), v.Currency) {
		option := VoucherEstimate{CryptoType: string(asset)}
		for _, e := range found.Estimates {
			if e.Asset == asset {
				text := asset.Format(e.Amount)
				option.Amount = &text
			}
		}
		out.Options = append(out.Options, option)
	}
	return &body[VoucherFound]{out}, nil
}

type redeemInput struct {
	Key  string `header:"Idempotency-Key" minLength:"8" maxLength:"100" doc:"once per intent; a repeat gets the same answer"`
	Body VoucherRedemption
}

// redeemVoucher takes a voucher and starts the workflow that pays its coin.
func (s *Server) redeemVoucher(ctx context.Context, in *redeemInput) (*body[RedeemedVoucher], error) {
	wanted, err := s.redemption(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	canonical, err := json.Marshal(in.Body)
	if err != nil {
		return nil, err
	}
	// The hash is keyed: a code is not found again by trying all there are.
	sum, err := s.Vault.Index("voucher redemption", canonical)
	if err != nil {
		return nil, err
	}
	intent := store.IdempotencyKey{UserID: wanted.UserID, Key: in.Key, Route: "redeemVoucher", BodyHash: sum}
	answer, found, err := s.DB.EarlierAnswer(ctx, intent)
	if err == nil && !found {
		answer, err = s.newRedemption(ctx, intent, wanted)
	}
	if err != nil {
		return nil, s.wrongCode(ctx, err)
	}
	var out RedeemedVoucher
	if err := json.Unmarshal([]byte(answer.Body), &out); err != nil {
		return nil, err
	}
	return &body[RedeemedVoucher]{out}, nil
}

// redemption reads the form; nothing of it is looked up yet.
func (s *Server) redemption(ctx context.Context, in VoucherRedemption) (voucher.NewRedemption, error) {
	var missing []string
	for _, given := range [][2]string{{"cryptoType", in.CryptoType}, {"walletAddress", in.WalletAddress}} {
		if strings.TrimSpace(given[1]) == "" {
			missing = append(missing, given[0])
		}
	}
	if len(missing) > 0 {
		return voucher.NewRedemption{}, store.Incomplete(missing, "Please fill in all required fields")
	}
	if err := voucher.CheckVoucherCode(in.Code); err != nil {
		return voucher.NewRedemption{}, err
	}
	asset := money.Currency(in.CryptoType)
	if s.Quoter.Offer().Takes(pricing.RailVoucher) && !slices.Contains(voucher.VoucherTypes(s.Quoter.Offer(), money.USD), asset) {
		return voucher.NewRedemption{}, fieldProblem("cryptoType", "unknown_asset", "Choose a cryptocurrency that vouchers pay")
	}
	place, err := s.offeredPlace(asset, in.WalletAddress)
	var wrong *address.Error
	if errors.As(err, &wrong) {
		return voucher.NewRedemption{}, fieldProblem("walletAddress", string(wrong.Code), addressTexts[wrong.Code])
	}
	return voucher.NewRedemption{UserID: principalOf(ctx).UserID, Code: in.Code, Asset: asset, Network: place.Network, Address: place.Normalised,
		Terms: s.Vouchers.Terms}, err
}

func (s *Server) newRedemption(ctx context.Context, intent store.IdempotencyKey, wanted voucher.NewRedemption) (store.Answer, error) {
	if err := s.tryCode(ctx); err != nil {
		return store.Answer{}, err
	}
	var made *voucher.Redemption
	answer, _, err := s.DB.Once(ctx, intent, func(tx *store.DB) (store.Answer, error) {
		row, err := voucher.RedeemVoucher(ctx, tx, s.Vault, wanted)
		if err != nil {
			return store.Answer{}, err
		}
		made = row
		text, err := json.Marshal(redeemedVoucher(row))
		return store.Answer{Status: http.StatusCreated, Body: string(text)}, err
	})
	if err == nil && made != nil {
		s.startCase(ctx, voucher.KindVoucher, made.ID)
	}
	return answer, err
}

func (s *Server) listVouchers(ctx context.Context, in *Paging) (*page[RedeemedVoucher], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	userID := principalOf(ctx).UserID
	rows, next, err := voucher.Redemptions(ctx, s.DB, userID, wanted)
	if err != nil {
		return nil, err
	}
	total, err := voucher.CountRedemptions(ctx, s.DB, userID)
	if err != nil {
		return nil, err
	}
	return &page[RedeemedVoucher]{Link: linkTo(ctx, next, in.Limit), Total: total, Body: mapped(rows, redeemedVoucher)}, nil
}

func (s *Server) getVoucher(ctx context.Context, in *ObjectID) (*body[RedeemedVoucherDetail], error) {
	row, err := voucher.RedemptionOf(ctx, s.DB, principalOf(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	events, err := casework.CaseEvents(ctx, s.DB, voucher.KindVoucher, row.ID)
	if err != nil {
		return nil, err
	}
	out := RedeemedVoucherDetail{RedeemedVoucher: redeemedVoucher(row), Events: []VoucherEvent{}}
	for i := range events {
		if !events[i].Internal {
			out.Events = append(out.Events, voucherEvent(&events[i]))
		}
	}
	return &body[RedeemedVoucherDetail]{out}, nil
}

// redeemedVoucher is a redemption as its customer sees it.
func redeemedVoucher(r *voucher.Redemption) RedeemedVoucher {
	return RedeemedVoucher{ID: r.ID, Reference: r.Reference, Amount: r.Currency.Format(r.Value), Currency: string(r.Currency), CryptoType: string(r.Asset),
		CryptoAmount: r.Asset.Format(r.Amount), WalletAddress: r.DestAddress, Network: r.Network, Status: string(r.Status), LegacyStatus: r.Legacy(),
		Delayed: r.Waits(), TxID: r.TxID, UnitPrice: r.UnitPrice.String(), MarginPercent: trimmed(r.MarginPercent), CreatedAt: r.CreatedAt, SentAt: r.SentAt, ConfirmedAt: r.ConfirmedAt}
}

// trimmed is a percentage without the zeros its column adds.
func trimmed(d decimal.Decimal) string {
	text := d.String()
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

func voucherEvent(e *casework.CaseEvent) VoucherEvent {
	data := map[string]any{}
	_ = json.Unmarshal(e.Data, &data) // an object, by the column's default and every writer
	return VoucherEvent{ID: e.ID, At: e.At, Kind: VoucherEventKind(e.Kind), Actor: string(e.Actor), Internal: e.Internal, Data: data}
}

// resealVouchers seals anew what an earlier key sealed.
func (s *Server) resealVouchers(ctx context.Context) error {
	n, err := voucher.ResealVouchers(ctx, s.DB, s.Vault)
	if n > 0 {
		s.Log.InfoContext(ctx, "vouchers are sealed with the current key", "vouchers", n)
	}
	return err
}
