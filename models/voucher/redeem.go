package voucher

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lib/pq"
	"github.com/shopspring/decimal"
	"gorm.io/gorm/clause"

	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/kyc"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/risk"
	"github.com/tradepost/tradepost/models/store"
)

// VoucherTerms are on which terms vouchers are redeemed.
type VoucherTerms struct {
	MarginPercent decimal.Decimal // on vouchers whose dollars are converted
	IdentityAbove money.Units     // cents a voucher may be worth before its redeemer must be verified
	DayAbove      money.Units     // cents that a customer's vouchers of one day may sum up to before; zero is no bound
	Offer         money.Offer     // what they are paid in
}

// notRedeemed refuses a code where vouchers are not offered.
func (t VoucherTerms) notRedeemed() error {
	if !t.Offer.Takes(pricing.RailVoucher) {
		return store.Invalid("code", "not_offered", "Vouchers can't be redeemed here")
	}
	return nil
}

// noVoucher is the one answer to a code that cannot be redeemed (specification §8): it does not reveal the reason to
// an attacker.
const noVoucher = "Voucher code not found or already redeemed"

// voucherDigits normalises a typed code: dashes and blanks do not count.
func voucherDigits(text string) (string, error) {
	digits := typed.Code(text)
	if len(digits) != VoucherCodeDigits || strings.Trim(digits, "0123456789") != "" {
		return "", store.Invalid("code", "bad_code", "Please enter a valid 16-digit voucher code")
	}
	return digits, nil
}

// CheckVoucherCode refuses what cannot be a code, with the text of specification §5.
func CheckVoucherCode(typed string) error {
	_, err := voucherDigits(typed)
	return err
}

// Redeemable is a voucher that its finder can redeem, and what it would pay now.
type Redeemable struct {
	Voucher       *Voucher
	Worth         money.Units // cents, now
	NeedsIdentity bool        // and its finder is not verified
	Estimates     []Converted // one for each coin with a price
}

// Converted is a voucher's value in a coin.
type Converted struct {
	Asset     money.Currency
	Amount    money.Units
	UnitPrice decimal.Decimal
	BasePrice money.Units // what the coin costs, in cents
}

// FindVoucher finds a voucher by its code: one lookup in one index, however many vouchers there are.
func FindVoucher(ctx context.Context, db *store.DB, keys *secret.Keys, userID, code string, terms VoucherTerms) (Redeemable, error) {
	hashes, err := codeHashes(keys, code)
	if err := store.FirstError(terms.notRedeemed(), err); err != nil {
		return Redeemable{}, err
	}
	var v Voucher
	result := db.ORM(ctx).Raw("SELECT * FROM vouchers WHERE code_hash = ANY(?)", hashes).Scan(&v)
	if result.Error != nil {
		return Redeemable{}, fmt.Errorf("look the voucher up: %w", result.Error)
	}
	customer, now, err := kyc.ReadTerms(ctx, db, userID)
	if err != nil {
		return Redeemable{}, err
	}
	if result.RowsAffected == 0 {
		return Redeemable{}, unknownVoucher()
	}
	if err := redeemable(ctx, db, &v, userID, now); err != nil {
		return Redeemable{}, err
	}
	found := Redeemable{Voucher: &v}
	markets, err := pricing.Markets(ctx, db)
	if err != nil {
		return Redeemable{}, err
	}
	if found.Worth, err = v.worth(markets[v.Currency]); err != nil {
		return Redeemable{}, err
	}
	needs, err := needsIdentity(ctx, db, userID, found.Worth, terms, now)
	if err != nil {
		return Redeemable{}, err
	}
	found.NeedsIdentity = needs != nil && !customer.Verified()
	for _, asset := range VoucherTypes(terms.Offer, v.Currency) {
		if m := markets[asset]; m != nil && m.Quotable(now) == nil {
			found.Estimates = append(found.Estimates, convert(&v, m, terms.MarginPercent))
		}
	}
	return found, nil
}

func codeHashes(keys *secret.Keys, code string) (pq.ByteaArray, error) {
	digits, err := voucherDigits(code)
	if err != nil {
		return nil, err
	}
	hashes, err := keys.Indexes(voucherHash, []byte(digits))
	if err != nil {
		return nil, fmt.Errorf("hash the code: %w", err)
	}
	return hashes, nil
}

func unknownVoucher() error {
	return &store.Error{Code: store.CodeNotFound, Field: "code", Reason: "voucher_not_found", Message: noVoucher}
}

// redeemable refuses a voucher that a user cannot redeem now, always with the same text: a guess does not reveal
// whether it is redeemed, expired, or known to them by their role.
func redeemable(ctx context.Context, db *store.DB, v *Voucher, userID string, now time.Time) error {
	if v.Status != VoucherActive || !v.ExpiresAt.After(now) {
		return unknownVoucher()
	}
	batch, err := voidedBatch(ctx, db, v.BatchID)
	if err != nil {
		return err
	}
	if batch != nil { // an earlier release restored it
		return unknownVoucher()
	}
	return store.FirstError(people.Another(ctx, db, userID, unknownVoucher(), v.CreatedBy, store.Text(v.ApprovedBy)), notExported(ctx, db, v, userID))
}

// NoteExport records in the audit log that a member of staff exports the codes of a batch, or, if batch is empty, of all
// vouchers that can be redeemed. They redeem none of them (notExported).
func NoteExport(ctx context.Context, db *store.DB, batch string, who store.Actor) error {
	return db.Tx(ctx, func(tx *store.DB) error {
		now := store.NewID() // each export is a statement of its own
		err := dualcontrol.Attest(ctx, tx, dualcontrol.Attestation{Kind: dualcontrol.CodesExported, By: who.ActorID, Subject: exportRef(batch), Source: dualcontrol.Ref{Kind: "export", ID: now}})
		if err != nil {
			return err
		}
		return audit.Audit(ctx, tx, audit.AuditEntry{ActorID: who.ActorID, ActorRole: who.ActorRole, Action: "voucher.export", ObjectKind: "voucher", ObjectID: batch, RequestID: who.RequestID})
	})
}

func exportRef(batch string) dualcontrol.Ref {
	return dualcontrol.Ref{Kind: "voucher_batch", ID: batch}
}

// notExported refuses a voucher to a user who has exported its code.
func notExported(ctx context.Context, db *store.DB, v *Voucher, userID string) error {
	takers, err := dualcontrol.Attestors(ctx, db, dualcontrol.CodesExported, v.CreatedAt, exportRef(""), exportRef(v.BatchID))
	if err != nil {
		return err
	}
	return people.Another(ctx, db, userID, unknownVoucher(), takers...)
}

// worth is what the voucher is worth in cents at a market's price.
func (v *Voucher) worth(m *pricing.Market) (money.Units, error) {
	if v.Currency == money.USD {
		return v.Amount, nil
	}
	if m == nil || !m.Ask.IsPositive() {
		return money.Units{}, store.Unavailable("price_stale", "Live prices are not available at the moment. Try again in a minute.")
	}
	return money.USD.FromDecimal(m.Ask.Mul(v.Currency.Decimal(v.Amount)), money.Up), nil
}

// convert is the voucher's value in a market's coin: its own coin as it is, dollars at the ask and the margin,
// rounded down to what the exchange sells.
func convert(v *Voucher, m *pricing.Market, margin decimal.Decimal) Converted {
	out := Converted{Asset: m.Asset, Amount: v.Amount, UnitPrice: m.Ask}
	if v.Currency == money.USD {
		dear := m.Ask.Mul(decimal.NewFromInt(100).Add(margin)).Shift(-2)
		coins, _ := money.USD.Decimal(v.Amount).QuoRem(dear, min(m.Asset.Decimals(), m.LotDecimals))
		out.Amount = m.Asset.FromDecimal(coins, money.Down)
	}
	out.BasePrice = money.USD.FromDecimal(m.Ask.Mul(m.Asset.Decimal(out.Amount)), money.Up)
	return out
}

// NewRedemption is a redeeming about to happen; the address has been checked for
// form by the caller.
type NewRedemption struct {
	UserID  string
	Code    string
	Asset   money.Currency
	Network string
	Address string
	Terms   VoucherTerms
}

// RedeemVoucher redeems a voucher for a customer, in the given transaction, at most once. From here on we owe coin,
// and its price is locked.
func RedeemVoucher(ctx context.Context, db *store.DB, keys *secret.Keys, in NewRedemption) (*Redemption, error) {
	hashes, err := codeHashes(keys, in.Code)
	if err := store.FirstError(in.Terms.notRedeemed(), err); err != nil {
		return nil, err
	}
	v, now, err := lockVoucher(ctx, db, "code_hash = ANY($1)", hashes)
	if store.CodeOf(err) == store.CodeNotFound {
		return nil, unknownVoucher()
	}
	if err != nil {
		return nil, err
	}
	if err := redeemable(ctx, db, v, in.UserID, now); err != nil {
		return nil, err
	}
	row, err := priceRedemption(ctx, db, v, in, now)
	if err != nil {
		return nil, err
	}
	was := *v
	if err := v.move(VoucherRedeemed); err != nil {
		return nil, err
	}
	if err := insertRedemption(ctx, db, row); err != nil {
		return nil, err
	}
	v.RedemptionID = &row.ID
	if err := storeVoucher(ctx, db, &was, v, now); err != nil {
		return nil, err
	}
	c := &RedemptionChange{Redemption: row, Voucher: v, Now: now, ctx: ctx, Tx: db, was: *row}
	if err := c.markBlocked(); err != nil {
		return nil, err
	}
	if err := c.post("voucher_redeemed", "redeemed", VoucherRedeemedPostings(row)...); err != nil {
		return nil, err
	}
	return row, c.event(casework.Event{Kind: "redeemed", Actor: casework.ByCustomer, Dedupe: "redeemed", Data: map[string]any{
		"value": row.Currency.Format(row.Value), "currency": row.Currency, "asset": row.Asset, "amount": row.Asset.Format(row.Amount)}})
}

// priceRedemption checks who redeems, for what and where to, and locks the price.
func priceRedemption(ctx context.Context, db *store.DB, v *Voucher, in NewRedemption, now time.Time) (*Redemption, error) {
	if !slices.Contains(VoucherTypes(in.Terms.Offer, v.Currency), in.Asset) {
		return nil, store.Invalid("cryptoType", "wrong_currency", fmt.Sprintf("A voucher in %s pays %s", v.Currency, v.Currency))
	}
	if err := deliversVouchers(ctx, db, in.Asset); err != nil {
		return nil, err
	}
	if err := risk.RefuseOwn(ctx, db, in.Network, execution.AddressKey(in.Network, in.Address)); err != nil {
		return nil, aboutWallet(err)
	}
	market, err := pricing.ReadMarket(ctx, db, in.Asset)
	if store.IsMissing(err) {
		return nil, store.Unavailable("price_stale", "Live prices are not available at the moment. Try again in a minute.")
	}
	if err == nil {
		err = market.Quotable(now)
	}
	if err != nil {
		return nil, err
	}
	worth, err := v.worth(market)
	if err != nil {
		return nil, err
	}
	needsIdentity, err := mayRedeem(ctx, db, in, worth, now)
	if err != nil {
		return nil, err
	}
	pays := convert(v, market, in.Terms.MarginPercent)
	if pays.Amount.Sign() <= 0 {
		return nil, store.Invalid("cryptoType", "too_small", fmt.Sprintf("This voucher is too small to buy %s", in.Asset))
	}
	row := &Redemption{ID: store.NewID(), VoucherID: v.ID, UserID: in.UserID, Status: RedemptionAccepted, Value: v.Amount, Currency: v.Currency,
		Asset: in.Asset, Network: in.Network, DestAddress: in.Address, Amount: pays.Amount, UnitPrice: pays.UnitPrice, PriceLimit: pays.UnitPrice,
		BasePrice: pays.BasePrice, NeedsIdentity: needsIdentity, CreatedAt: now, UpdatedAt: now}
	if !row.OwnCoin() {
		row.MarginPercent = in.Terms.MarginPercent
	}
	return row, nil
}

// aboutWallet names the field of this form in a refusal of an address.
func aboutWallet(err error) error {
	if store.CodeOf(err) != store.CodeInvalid {
		return err
	}
	return store.Invalid("walletAddress", store.ReasonOf(err), err.Error())
}

func insertRedemption(ctx context.Context, db *store.DB, row *Redemption) error {
	for {
		row.Reference = store.Reference("VR-")
		result := db.ORM(ctx).Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "reference"}}, DoNothing: true}).Create(row)
		if store.Violates(result.Error, "voucher_redemptions_once") {
			return unknownVoucher()
		}
		if result.Error != nil {
			return fmt.Errorf("store redemption: %w", result.Error)
		}
		if result.RowsAffected == 1 {
			return nil
		}
	}
}

// Delivery is what the redemption's customer is sent.
func (r *Redemption) Delivery() execution.Delivery {
	return execution.Delivery{Asset: r.Asset, Network: r.Network, Amount: r.Amount, BasePrice: r.BasePrice, Total: r.Value}
}

// VoucherRedeemedPostings are for a voucher that was redeemed: what can be redeemed becomes what is to be delivered.
func VoucherRedeemedPostings(r *Redemption) []ledger.Posting {
	return []ledger.Posting{{From: ledger.AccountPrepaid, To: ledger.AccountVouchers, Currency: r.Currency, Amount: r.Value}}
}

// VoucherRestoredPostings are for a redemption that was given up: the voucher
// can be redeemed again.
func VoucherRestoredPostings(r *Redemption) []ledger.Posting {
	return []ledger.Posting{{From: ledger.AccountVouchers, To: ledger.AccountPrepaid, Currency: r.Currency, Amount: r.Value}}
}

// StockPostings are for coin out of what was bought for others and not sold (UnsoldPostings), at today's price.
func StockPostings(r *Redemption) []ledger.Posting {
	return []ledger.Posting{
		{From: ledger.AccountConversion, To: ledger.AccountTrading, Currency: r.Asset, Amount: r.FromStock},
		{From: ledger.AccountTrading, To: ledger.AccountConversion, Currency: money.USD, Amount: r.StockCost},
	}
}

// VoucherSentPostings are for coin that left the wallet, which pays what was owed: dollars close as an order's price
// does, and a voucher in coin books the cost of its purchase. Coin that the exchange sold beyond what was missing is
// stock from now on.
func VoucherSentPostings(r *Redemption, bought execution.Fill, fee money.Units, feeCurrency money.Currency) []ledger.Posting {
	bought.Filled, bought.Cost = bought.Filled.Add(r.FromStock), bought.Cost.Add(r.StockCost)
	if !r.OwnCoin() {
		return execution.SentPostings(r.Delivery(), bought, fee, feeCurrency)
	}
	lines := []ledger.Posting{
		{From: ledger.ReservedAccount(r.Network), To: ledger.AccountConversion, Currency: r.Asset, Amount: r.Amount},
		{From: ledger.AccountPromotions, To: ledger.AccountPrepaid, Currency: r.Currency, Amount: r.Value},
		{From: ledger.AccountConversion, To: ledger.AccountPromotions, Currency: money.USD, Amount: bought.Cost},
		{From: ledger.AccountTrading, To: ledger.AccountConversion, Currency: r.Asset, Amount: bought.Filled.Sub(r.Amount)},
	}
	if fee.Sign() > 0 {
		lines = append(lines, ledger.Posting{From: ledger.WalletAccount(r.Network), To: ledger.AccountNetworkFee, Currency: feeCurrency, Amount: fee})
	}
	return lines
}

// VoucherGivenUpPostings are for a redemption that ends without a transfer: the
// coin that was reserved is free, what was bought for it is stock.
func VoucherGivenUpPostings(r *Redemption, bought execution.Fill) []ledger.Posting {
	var lines []ledger.Posting
	if r.Status != RedemptionAccepted {
		lines = execution.ReleasePostings(r.Delivery())
	}
	all := execution.Fill{Filled: bought.Filled.Add(r.FromStock), Cost: bought.Cost.Add(r.StockCost)}
	return append(lines, execution.UnsoldPostings(r.Delivery(), all)...)
}
