package giftcard

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"gocloud.dev/gcerrors"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/bucket"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// GetGiftCardCatalogue answers GET /api/gift-cards/catalogue.
func (h *Handlers) GetGiftCardCatalogue(context.Context, *rest.Nothing) (*rest.Body[GiftCardCatalogue], error) {
	const day = 24 * time.Hour
	out := GiftCardCatalogue{ExchangeRate: fmt.Sprintf("0.%d", pricing.CardRatePercent), FlatFee: money.USD.Format(money.FromInt(pricing.CardFlatFee)),
		MaxValue: money.USD.Format(money.FromInt(pricing.MaxCardValue)), MaxImages: giftcard.MaxCardImages, ReviewDays: int((h.CardReview + day - 1) / day)}
	out.Brands = []GiftCardBrand{}
	for _, b := range giftcard.BrandsOf(h.Offer) {
		out.Brands = append(out.Brands, GiftCardBrand(b))
	}
	return &rest.Body[GiftCardCatalogue]{Body: out}, nil
}

// cardForm is the specification's form. Its rate and payout are ignored: the server
// computes both.
type cardForm struct {
	Brand          string          `form:"brand" required:"false" maxLength:"64"`
	Value          string          `form:"value" required:"false" maxLength:"50"`
	CardCode       string          `form:"cardCode" required:"false" maxLength:"256" doc:"blanks, dashes and invisible characters do not count"`
	CardType       string          `form:"cardType" required:"false" maxLength:"16" doc:"regular or prepaid"`
	ExchangeRate   string          `form:"exchangeRate" required:"false" maxLength:"20" doc:"not looked at"`
	PayoutAmount   string          `form:"payoutAmount" required:"false" maxLength:"20" doc:"not looked at"`
	PIN            string          `form:"pin" required:"false" maxLength:"128" doc:"regular cards"`
	ExpirationDate string          `form:"expirationDate" required:"false" maxLength:"64" doc:"prepaid cards: MM/YY, also as MM/YYYY, YYYY-MM or MMYY"`
	SecurityCode   string          `form:"securityCode" required:"false" maxLength:"64" doc:"prepaid cards"`
	Images         []huma.FormFile `form:"images" required:"false" contentType:"image/jpeg,image/png" doc:"JPEG or PNG, at most 8 MB each"`
}

type cardInput struct {
	Key     string `header:"Idempotency-Key" minLength:"8" maxLength:"100" doc:"once per intent; a repeat gets the same answer"`
	RawBody huma.MultipartFormFiles[cardForm]
}

// SubmitGiftCard writes a card down and starts the workflow of its review. What
// is printed on it is sealed before it is stored, and so are its pictures.
func (h *Handlers) SubmitGiftCard(ctx context.Context, in *cardInput) (*rest.Body[GiftCard], error) {
	if err := giftcard.Bought(h.Offer); err != nil {
		return nil, err
	}
	form := in.RawBody.Data()
	raw, err := readPictures(form.Images)
	if err != nil {
		return nil, err
	}
	intent, err := h.cardIntent(ctx, in.Key, form, raw)
	if err != nil {
		return nil, err
	}
	answer, found, err := h.DB.EarlierAnswer(ctx, intent)
	if err == nil && !found {
		answer, err = h.newGiftCard(ctx, intent, form, raw)
	}
	if err != nil {
		return nil, err
	}
	var out GiftCard
	if err := json.Unmarshal([]byte(answer.Body), &out); err != nil {
		return nil, err
	}
	return &rest.Body[GiftCard]{Body: out}, nil
}

// cardIntent is one submission. Its hash is keyed: a card's number is not found
// again by trying all there are.
func (h *Handlers) cardIntent(ctx context.Context, key string, form *cardForm, pictures [][]byte) (store.IdempotencyKey, error) {
	said := []string{form.Brand, form.Value, form.CardCode, form.CardType, form.PIN, form.ExpirationDate, form.SecurityCode}
	for _, p := range pictures {
		said = append(said, fmt.Sprintf("%x", sha256.Sum256(p)))
	}
	canonical, err := json.Marshal(said)
	if err != nil {
		return store.IdempotencyKey{}, err
	}
	sum, err := h.Vault.Index("gift card submission", canonical)
	return store.IdempotencyKey{UserID: rest.PrincipalOf(ctx).UserID, Key: key, Route: "submitGiftCard", BodyHash: sum}, err
}

// readPictures reads the files of a form; their number and sizes are checked before they
// are decoded.
func readPictures(files []huma.FormFile) ([][]byte, error) {
	if len(files) > giftcard.MaxCardImages {
		return nil, rest.FieldProblem("images", "too_many_files", fmt.Sprintf("Add at most %d pictures", giftcard.MaxCardImages))
	}
	var all [][]byte
	for _, f := range files {
		raw, err := io.ReadAll(io.LimitReader(f.File, rest.MaxUpload+1))
		if err != nil {
			return nil, rest.FieldProblem("images", "unreadable", "We can't read one of the pictures. Choose another one.")
		}
		all = append(all, raw)
	}
	return all, nil
}

func (h *Handlers) newGiftCard(ctx context.Context, intent store.IdempotencyKey, form *cardForm, pictures [][]byte) (store.Answer, error) {
	now, err := h.DB.Now(ctx)
	if err != nil {
		return store.Answer{}, err
	}
	offer, err := giftcard.CardForm{Brand: form.Brand, Value: form.Value, Type: form.CardType, CardSecrets: giftcard.CardSecrets{
		Code: form.CardCode, PIN: form.PIN, Expiry: form.ExpirationDate, SecurityCode: form.SecurityCode}}.Check(now)
	if err != nil {
		return store.Answer{}, err
	}
	images, err := h.keepPictures(ctx, pictures)
	if err != nil {
		return store.Answer{}, err
	}
	var card *giftcard.GiftCard
	answer, repeated, err := h.DB.Once(ctx, intent, func(tx *store.DB) (store.Answer, error) {
		card, err = giftcard.SubmitGiftCard(ctx, tx, h.Vault, giftcard.NewGiftCard{UserID: intent.UserID, Offer: offer, Images: images})
		if err != nil {
			return store.Answer{}, err
		}
		text, err := json.Marshal(giftCard(card))
		return store.Answer{Status: http.StatusCreated, Body: string(text)}, err
	})
	if err != nil || repeated {
		h.dropPictures(ctx, images)
		return answer, err
	}
	h.startGiftCard(ctx, card)
	return answer, nil
}

// keepPictures re-encodes pictures and stores them sealed, each for its own row.
func (h *Handlers) keepPictures(ctx context.Context, pictures [][]byte) ([]giftcard.CardImage, error) {
	images := make([]giftcard.CardImage, 0, len(pictures))
	for i, raw := range pictures {
		image, err := h.keepPicture(ctx, raw)
		if err != nil {
			h.dropPictures(ctx, images)
			return nil, aboutPicture(err, i)
		}
		images = append(images, image)
	}
	return images, nil
}

func (h *Handlers) keepPicture(ctx context.Context, raw []byte) (giftcard.CardImage, error) {
	clean, contentType, err := rest.Redraw(ctx, raw)
	if err != nil {
		return giftcard.CardImage{}, err
	}
	image := giftcard.CardImage{ID: store.NewID(), FileKey: bucket.NewName(), ContentType: contentType, Size: len(clean)}
	image.SealedWith, err = h.sealed().Write(ctx, image.File(), clean)
	return image, err
}

func (h *Handlers) sealed() rest.Sealed {
	return rest.Sealed{Files: h.Files, Vault: h.Vault, Log: h.Log}
}

// ResealPictures seals pictures with the current key.
func (h *Handlers) ResealPictures(ctx context.Context) error {
	return h.sealed().Reseal(ctx, h.DB, giftcard.CardImageFiles)
}

// aboutPicture names the field of what redraw refuses.
func aboutPicture(err error, index int) error {
	refused, ok := err.(*rest.Problem) //nolint:errorlint // made a few lines above, never wrapped
	if !ok || refused.Status >= http.StatusInternalServerError {
		return err
	}
	out := rest.FieldProblem("images", refused.Code, fmt.Sprintf("Picture %d: %s", index+1, refused.Message))
	out.Status, out.Title = refused.Status, refused.Title
	return out
}

func (h *Handlers) dropPictures(ctx context.Context, images []giftcard.CardImage) {
	for _, image := range images {
		if err := h.Files.Delete(context.WithoutCancel(ctx), image.FileKey); err != nil {
			h.Log.WarnContext(ctx, "refused upload left a file behind", "error", err)
		}
	}
}

// startGiftCard starts the card's workflow beside the answer. What fails here,
// or dies with us, the sweeper starts.
func (h *Handlers) startGiftCard(ctx context.Context, card *giftcard.GiftCard) {
	h.Background.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := h.Workflows.StartGiftCard(ctx, card); err != nil {
			h.Log.WarnContext(ctx, "gift card workflow not started yet; the sweeper will", "card", card.ID, "error", err)
		}
	})
}

type listCardsInput struct {
	rest.Paging
}

// ListGiftCards answers GET /api/gift-cards.
func (h *Handlers) ListGiftCards(ctx context.Context, in *listCardsInput) (*rest.Page[GiftCard], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	userID := rest.PrincipalOf(ctx).UserID
	rows, next, err := giftcard.GiftCards(ctx, h.DB, giftcard.CardFilter{UserID: userID}, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := giftcard.CountGiftCards(ctx, h.DB, userID)
	if err != nil {
		return nil, err
	}
	view := func(c *giftcard.StaffCard) GiftCard { return giftCard(&c.GiftCard) }
	return &rest.Page[GiftCard]{Link: rest.LinkTo(ctx, next, in.Limit), Total: counts.Total, Body: rest.Mapped(rows, view)}, nil
}

// GetGiftCard answers GET /api/gift-cards/{id}.
func (h *Handlers) GetGiftCard(ctx context.Context, in *rest.ObjectID) (*rest.Body[GiftCardDetail], error) {
	card, err := giftcard.GiftCardOf(ctx, h.DB, rest.PrincipalOf(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	events, err := giftcard.Timeline.Events(ctx, h.DB, card.ID)
	if err != nil {
		return nil, err
	}
	images, err := giftcard.CardImages(ctx, h.DB, card.ID)
	if err != nil {
		return nil, err
	}
	claim, err := giftcard.ReadClaim(ctx, h.DB, card.ID)
	if err != nil {
		return nil, err
	}
	out := GiftCardDetail{GiftCard: giftCard(card), Events: caseworkapi.CustomerEvents(events, giftCardEvent),
		Images: pictureURLs(images), SecretsDestroyed: card.SecretsDestroyedAt, Claim: claimView(claim)}
	if card.Status == giftcard.CardInReview {
		out.ReviewDueAt = card.ReviewDueAt
	}
	if card.Status == giftcard.CardOffered {
		pays, err := pricing.CardPayout(*card.ConfirmedValue)
		if err != nil {
			return nil, err
		}
		out.Offer = &GiftCardOffer{Value: money.USD.Format(*card.ConfirmedValue), Payout: money.USD.Format(pays),
			Until: *card.OfferUntil}
	}
	return &rest.Body[GiftCardDetail]{Body: out}, nil
}

// AcceptGiftCardOffer answers POST /api/gift-cards/{id}/accept.
func (h *Handlers) AcceptGiftCardOffer(ctx context.Context, in *rest.ObjectID) (*caseworkapi.Decided, error) {
	return h.answerOffer(ctx, in.ID, giftcard.CardAccept, "You accepted our offer. We credited the payout, and it first paid what you owed us, if anything.")
}

// DeclineGiftCardOffer answers POST /api/gift-cards/{id}/decline.
func (h *Handlers) DeclineGiftCardOffer(ctx context.Context, in *rest.ObjectID) (*caseworkapi.Decided, error) {
	return h.answerOffer(ctx, in.ID, giftcard.CardDecline, "You declined our offer. The card details were deleted.")
}

// answerOffer writes a customer's answer to a counter-offer, and has the workflow execute it.
func (h *Handlers) answerOffer(ctx context.Context, id, kind, done string) (*caseworkapi.Decided, error) {
	who := rest.PrincipalOf(ctx)
	if _, err := giftcard.GiftCardOf(ctx, h.DB, who.UserID, id); err != nil {
		return nil, err
	}
	decision, err := giftcard.OpenCardDecision(ctx, h.DB, giftcard.NewCardDecision{CardID: id, Kind: kind, ActorID: who.UserID,
		RequestID: rest.RequestID(ctx)})
	if err != nil {
		return nil, err
	}
	outcome, resolved, err := h.Workflows.DecideGiftCard(ctx, id, kind, decision.ID, caseworkapi.DecisionWait)
	return caseworkapi.Answer(ctx, h.Log, decision.ID, caseworkapi.Result{Outcome: outcome, Resolved: resolved, Err: err},
		offerOutcomes, done)
}

// offerOutcomes are the messages for answers to a counter-offer that could not be executed.
var offerOutcomes = map[string]string{
	workflows.NotAwaited: "This offer has ended. Refresh the page.",
	"card_state":         "This offer has ended. Refresh the page.",
	"duplicate":          "We already paid for this card.",
	"account_frozen":     "You can't sell gift cards right now. Contact support.",
}

// customerStatus is a card's status as its customer sees it: what happens to a paid card is
// internal.
var customerStatus = map[giftcard.CardStatus]string{giftcard.CardReceived: "in_review", giftcard.CardInReview: "in_review",
	giftcard.CardOffered: "offered", giftcard.CardApproved: "approved", giftcard.CardRealised: "approved",
	giftcard.CardRejected: "rejected", giftcard.CardDeclined: "declined", giftcard.CardExpired: "expired"}

// giftCard is a card as its customer sees it.
func giftCard(g *giftcard.GiftCard) GiftCard {
	updated := g.UpdatedAt
	if g.DecidedAt != nil {
		updated = *g.DecidedAt
	}
	return GiftCard{ID: g.ID, Reference: g.Reference, Brand: g.Brand, BrandLabel: g.BrandLabel, CardType: g.CardType, Value: money.USD.Format(g.Value),
		Payout: money.USD.Format(g.Payout), Status: customerStatus[g.Status], ConfirmedValue: rest.Dollars(g.ConfirmedValue), Paid: rest.Dollars(g.Paid),
		RejectReason: g.RejectReason, DecidedAt: g.DecidedAt, CreatedAt: g.CreatedAt, UpdatedAt: updated}
}

// claimView is the claim of a card as its customer sees it; nil if there is none.
func claimView(c *giftcard.CardClaim) *GiftCardClaim {
	if c == nil {
		return nil
	}
	return &GiftCardClaim{Amount: money.USD.Format(c.Amount), Owed: money.USD.Format(c.Owed), Reason: c.Reason,
		ClaimedAt: c.CreatedAt, ReversedAt: c.ReversedAt, ReversalReason: c.ReversalReason}
}

func giftCardEvent(e *casework.StoredEvent) GiftCardEvent {
	return GiftCardEvent{ID: e.ID, At: e.At, Kind: GiftCardEventKind(e.Kind), Actor: string(e.Actor), Internal: e.Internal, Data: e.Fields()}
}

func pictureURLs(images []giftcard.CardImage) []string {
	urls := []string{}
	for i := range images {
		if images[i].PurgedAt == nil {
			urls = append(urls, "/gift-card-images/"+images[i].FileKey)
		}
	}
	return urls
}

// GetGiftCardImage shows a picture to its owner, and to the reviewer who
// revealed the card a moment ago.
func (h *Handlers) GetGiftCardImage(ctx context.Context, in *rest.FileKey) (*rest.FileAnswer, error) {
	who := rest.PrincipalOf(ctx)
	image, err := giftcard.CardImageFor(ctx, h.DB, in.Key, who.UserID, h.Policy.Allows(rest.RolesOf(who), policy.ReviewCustomers))
	if err != nil {
		return nil, err
	}
	return h.sealed().Answer(ctx, image.File(), image.ContentType)
}

// EraseCardImages deletes the bytes of purged pictures: they go with the card.
func (h *Handlers) EraseCardImages(ctx context.Context) error {
	keys, err := giftcard.CardImagesToErase(ctx, h.DB, rest.EraseBatch)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := h.Files.Delete(ctx, key); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
			return fmt.Errorf("erase a purged picture: %w", err)
		}
		if err := giftcard.MarkCardImageErased(ctx, h.DB, key); err != nil {
			return err
		}
	}
	return nil
}

// ResealGiftCards reseals what an earlier key sealed.
func (h *Handlers) ResealGiftCards(ctx context.Context) error {
	n, err := giftcard.ResealGiftCards(ctx, h.DB, h.Vault)
	if n > 0 {
		h.Log.InfoContext(ctx, "gift cards are sealed with the current key", "cards", n)
	}
	return err
}
