package voucher

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	executionapi "github.com/tradepost/tradepost/api/execution"
	"github.com/tradepost/tradepost/api/rest"
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

// The limits of tried codes: by one customer, and from one address. Valid and invalid ones
// count alike, before they are looked up, so that parallel attempts do not exceed the
// limit.
var (
	CodesPerUser    = store.RateLimit{Burst: 10, Every: time.Minute}
	codesPerAddress = store.RateLimit{Burst: 30, Every: 20 * time.Second}
	limitNoted      = store.RateLimit{Burst: 1, Every: time.Minute}
)

// tryCode counts a code that is about to be looked up, for all replicas together. Callers
// who reach the limit are recorded, at intervals.
func (h *Handlers) tryCode(ctx context.Context) error {
	userID := rest.PrincipalOf(ctx).UserID
	for key, limit := range map[string]store.RateLimit{"voucher:user:" + userID: CodesPerUser, "voucher:address:" + rest.RequestOf(ctx).IP: codesPerAddress} {
		limit.Burst *= h.RateScale
		limit.Every /= time.Duration(h.RateScale)
		wait, err := h.DB.Allow(ctx, key, limit)
		if err != nil {
			return err
		}
		if wait == 0 {
			continue
		}
		if silent, err := h.DB.Allow(ctx, "voucher:noted:"+userID, limitNoted); err == nil && silent == 0 {
			h.noteCode(ctx, "voucher.codes_limited")
		}
		return rest.Limited(wait, nil)
	}
	return nil
}

// noteCode records an attempt at codes in the audit log.
func (h *Handlers) noteCode(ctx context.Context, action string) {
	who := rest.PrincipalOf(ctx)
	err := audit.Audit(ctx, h.DB, audit.AuditEntry{ActorID: who.UserID, ActorRole: rest.ActorRole(who), Action: action, ObjectKind: "user", ObjectID: who.UserID, RequestID: rest.RequestID(ctx)})
	if err != nil {
		h.Log.WarnContext(ctx, "a tried voucher code could not be written down", "error", err)
	}
}

// wrongCode writes a refused code down and passes the refusal on.
func (h *Handlers) wrongCode(ctx context.Context, err error) error {
	if store.ReasonOf(err) == "voucher_not_found" {
		h.noteCode(ctx, "voucher.wrong_code")
	}
	return err
}

type voucherCodeInput struct{ Body VoucherCode }

// ValidateVoucher returns a code's value to a customer who could redeem it.
func (h *Handlers) ValidateVoucher(ctx context.Context, in *voucherCodeInput) (*rest.Body[VoucherFound], error) {
	if err := voucher.CheckVoucherCode(in.Body.Code); err != nil {
		return nil, err
	}
	if err := h.tryCode(ctx); err != nil {
		return nil, err
	}
	found, err := voucher.FindVoucher(ctx, h.DB, h.Vault, rest.PrincipalOf(ctx).UserID, in.Body.Code, h.Vouchers.Terms)
	if err != nil {
		return nil, h.wrongCode(ctx, err)
	}
	v := found.Voucher
	out := VoucherFound{Amount: v.Currency.Format(v.Amount), Currency: VoucherCurrency(v.Currency), ExpiresAt: v.ExpiresAt, MarginPercent: "0",
		NeedsIdentity: found.NeedsIdentity, Options: []VoucherEstimate{}}
	if v.Currency == money.USD {
		out.MarginPercent = h.Vouchers.Terms.MarginPercent.String()
	}
	for _, asset := range voucher.VoucherTypes(h.Offer, v.Currency) {
		option := VoucherEstimate{CryptoType: VoucherCoin(asset)}
		for _, e := range found.Estimates {
			if e.Asset == asset {
				text := asset.Format(e.Amount)
				option.Amount = &text
			}
		}
		out.Options = append(out.Options, option)
	}
	return &rest.Body[VoucherFound]{Body: out}, nil
}

type redeemInput struct {
	Key  string `header:"Idempotency-Key" minLength:"8" maxLength:"100" doc:"once per intent; a repeat gets the same answer"`
	Body VoucherRedemption
}

// RedeemVoucher reserves a voucher and starts the workflow that pays its coin.
func (h *Handlers) RedeemVoucher(ctx context.Context, in *redeemInput) (*rest.Body[RedeemedVoucher], error) {
	wanted, err := h.redemption(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	canonical, err := json.Marshal(in.Body)
	if err != nil {
		return nil, err
	}
	// The hash is keyed: a code is not found again by trying all there are.
	sum, err := h.Vault.Index("voucher redemption", canonical)
	if err != nil {
		return nil, err
	}
	intent := store.IdempotencyKey{UserID: wanted.UserID, Key: in.Key, Route: "redeemVoucher", BodyHash: sum}
	answer, found, err := h.DB.EarlierAnswer(ctx, intent)
	if err == nil && !found {
		answer, err = h.newRedemption(ctx, intent, wanted)
	}
	if err != nil {
		return nil, h.wrongCode(ctx, err)
	}
	var out RedeemedVoucher
	if err := json.Unmarshal([]byte(answer.Body), &out); err != nil {
		return nil, err
	}
	return &rest.Body[RedeemedVoucher]{Body: out}, nil
}

// redemption reads the form; none of it is looked up yet.
func (h *Handlers) redemption(ctx context.Context, in VoucherRedemption) (voucher.NewRedemption, error) {
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
	if h.Offer.Takes(pricing.RailVoucher) && !slices.Contains(voucher.VoucherTypes(h.Offer, money.USD), asset) {
		return voucher.NewRedemption{}, rest.FieldProblem("cryptoType", "unknown_asset", "Choose a cryptocurrency that vouchers pay")
	}
	place, err := h.OfferedPlace(asset, in.WalletAddress)
	var wrong *address.Error
	if errors.As(err, &wrong) {
		return voucher.NewRedemption{}, rest.FieldProblem("walletAddress", string(wrong.Code), executionapi.AddressTexts[wrong.Code])
	}
	return voucher.NewRedemption{UserID: rest.PrincipalOf(ctx).UserID, Code: in.Code, Asset: asset, Network: place.Network, Address: place.Normalised,
		Terms: h.Vouchers.Terms}, err
}

func (h *Handlers) newRedemption(ctx context.Context, intent store.IdempotencyKey, wanted voucher.NewRedemption) (store.Answer, error) {
	if err := h.tryCode(ctx); err != nil {
		return store.Answer{}, err
	}
	var made *voucher.Redemption
	answer, _, err := h.DB.Once(ctx, intent, func(tx *store.DB) (store.Answer, error) {
		row, err := voucher.RedeemVoucher(ctx, tx, h.Vault, wanted)
		if err != nil {
			return store.Answer{}, err
		}
		made = row
		text, err := json.Marshal(redeemedVoucher(row))
		return store.Answer{Status: http.StatusCreated, Body: string(text)}, err
	})
	if err == nil && made != nil {
		h.StartCase(ctx, voucher.KindVoucher, made.ID)
	}
	return answer, err
}

// ListVouchers answers GET /api/vouchers.
func (h *Handlers) ListVouchers(ctx context.Context, in *rest.Paging) (*rest.Page[RedeemedVoucher], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	userID := rest.PrincipalOf(ctx).UserID
	rows, next, err := voucher.Redemptions(ctx, h.DB, userID, wanted)
	if err != nil {
		return nil, err
	}
	total, err := voucher.CountRedemptions(ctx, h.DB, userID)
	if err != nil {
		return nil, err
	}
	return &rest.Page[RedeemedVoucher]{Link: rest.LinkTo(ctx, next, in.Limit), Total: total, Body: rest.Mapped(rows, redeemedVoucher)}, nil
}

// GetVoucher answers GET /api/vouchers/{id}.
func (h *Handlers) GetVoucher(ctx context.Context, in *rest.ObjectID) (*rest.Body[RedeemedVoucherDetail], error) {
	row, err := voucher.RedemptionOf(ctx, h.DB, rest.PrincipalOf(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	events, err := casework.CaseEvents(ctx, h.DB, voucher.KindVoucher, row.ID)
	if err != nil {
		return nil, err
	}
	out := RedeemedVoucherDetail{RedeemedVoucher: redeemedVoucher(row), Events: caseworkapi.CustomerEvents(events, voucherEvent)}
	return &rest.Body[RedeemedVoucherDetail]{Body: out}, nil
}

// redeemedVoucher is a redemption as its customer sees it.
func redeemedVoucher(r *voucher.Redemption) RedeemedVoucher {
	return RedeemedVoucher{ID: r.ID, Reference: r.Reference, Amount: r.Currency.Format(r.Value), Currency: VoucherCurrency(r.Currency), CryptoType: VoucherCoin(r.Asset),
		CryptoAmount: r.Asset.Format(r.Amount), WalletAddress: r.DestAddress, Network: r.Network, Status: string(r.Status), LegacyStatus: r.Legacy(),
		Delayed: r.Waits(), TxID: money.ShownTransaction(r.Network, r.TxID), UnitPrice: r.UnitPrice.String(), MarginPercent: trimmed(r.MarginPercent), CreatedAt: r.CreatedAt, SentAt: r.SentAt, ConfirmedAt: r.ConfirmedAt}
}

// trimmed is a percentage without the zeros its column adds.
func trimmed(d decimal.Decimal) string {
	text := d.String()
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

func voucherEvent(e *casework.StoredEvent) VoucherEvent {
	return VoucherEvent{ID: e.ID, At: e.At, Kind: VoucherEventKind(e.Kind), Actor: string(e.Actor), Internal: e.Internal, Data: e.Fields()}
}

// ResealVouchers reseals what an earlier key sealed.
func (h *Handlers) ResealVouchers(ctx context.Context) error {
	n, err := voucher.ResealVouchers(ctx, h.DB, h.Vault)
	if n > 0 {
		h.Log.InfoContext(ctx, "vouchers are sealed with the current key", "vouchers", n)
	}
	return err
}
