package api

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

func (s *Server) getGiftCardCatalogue(context.Context, *nothing) (*body[GiftCardCatalogue], error) {
	const day = 24 * time.Hour
	out := GiftCardCatalogue{ExchangeRate: fmt.Sprintf("0.%d", pricing.CardRatePercent), FlatFee: money.USD.Format(money.FromInt(pricing.CardFlatFee)),
		MaxValue: money.USD.Format(money.FromInt(pricing.MaxCardValue)), MaxImages: giftcard.MaxCardImages, ReviewDays: int((s.CardReview + day - 1) / day)}
	out.Brands = []GiftCardBrand{}
	for _, b := range giftcard.BrandsOf(s.Quoter.Offer()) {
		out.Brands = append(out.Brands, GiftCardBrand(b))
	}
	return &body[GiftCardCatalogue]{out}, nil
}

// cardForm is the specification's form. What it says of rate and payout is not looked at:
// the server works both out.
type cardForm struct {
	Brand          string          `form:"brand" required:"false" maxLength:"64"`
	Value          string          `form:"value" required:"false" maxLength:"50"`
	CardCode       string          `form:"cardCode" required:"false" maxLength:"64"`
	CardType       string          `form:"cardType" required:"false" maxLength:"16" doc:"regular or prepaid"`
	ExchangeRate   string          `form:"exchangeRate" required:"false" maxLength:"20" doc:"not looked at"`
	PayoutAmount   string          `form:"payoutAmount" required:"false" maxLength:"20" doc:"not looked at"`
	PIN            string          `form:"pin" required:"false" maxLength:"32" doc:"regular cards"`
	ExpirationDate string          `form:"expirationDate" required:"false" maxLength:"5" doc:"prepaid cards: MM/YY"`
	SecurityCode   string          `form:"securityCode" required:"false" maxLength:"4" doc:"prepaid cards"`
	Images         []huma.FormFile `form:"images" required:"false" contentType:"image/jpeg,image/png" doc:"JPEG or PNG, at most 8 MB each"`
}

type cardInput struct {
	Key     string `header:"Idempotency-Key" minLength:"8" maxLength:"100" doc:"once per intent; a repeat gets the same answer"`
	RawBody huma.MultipartFormFiles[cardForm]
}

// submitGiftCard writes a card down and starts the workflow of its review. What
// is printed on it is sealed before it is stored, and so are its pictures.
func (s *Server) submitGiftCard(ctx context.Context, in *cardInput) (*body[GiftCard], error) {
	if err := giftcard.Bought(s.Quoter.Offer()); err != nil {
		return nil, err
	}
	form := in.RawBody.Data()
	raw, err := readPictures(form.Images)
	if err != nil {
		return nil, err
	}
	intent, err := s.cardIntent(ctx, in.Key, form, raw)
	if err != nil {
		return nil, err
	}
	answer, found, err := s.DB.EarlierAnswer(ctx, intent)
	if err == nil && !found {
		answer, err = s.newGiftCard(ctx, intent, form, raw)
	}
	if err != nil {
		return nil, err
	}
	var out GiftCard
	if err := json.Unmarshal([]byte(answer.Body), &out); err != nil {
		return nil, err
	}
	return &body[GiftCard]{out}, nil
}

// cardIntent is one submission. Its hash is keyed: a card's number is not found
// again by trying all there are.
func (s *Server) cardIntent(ctx context.Context, key string, form *cardForm, pictures [][]byte) (store.IdempotencyKey, error) {
	said := []string{form.Brand, form.Value, form.CardCode, form.CardType, form.PIN, form.ExpirationDate, form.SecurityCode}
	for _, p := range pictures {
		said = append(said, fmt.Sprintf("%x", sha256.Sum256(p)))
	}
	canonical, err := json.Marshal(said)
	if err != nil {
		return store.IdempotencyKey{}, err
	}
	sum, err := s.Vault.Index("gift card submission", canonical)
	return store.IdempotencyKey{UserID: principalOf(ctx).UserID, Key: key, Route: "submitGiftCard", BodyHash: sum}, err
}

// readPictures reads the files of a form; their number and sizes are looked at
// before they are decoded.
func readPictures(files []huma.FormFile) ([][]byte, error) {
	if len(files) > giftcard.MaxCardImages {
		return nil, fieldProblem("images", "too_many_files", fmt.Sprintf("Add at most %d pictures", giftcard.MaxCardImages))
	}
	var all [][]byte
	for _, f := range files {
		raw, err := io.ReadAll(io.LimitReader(f.File, maxUpload+1))
		if err != nil {
			return nil, fieldProblem("images", "unreadable", "We can't read one of the pictures. Choose another one.")
		}
		all = append(all, raw)
	}
	return all, nil
}

func (s *Server) newGiftCard(ctx context.Context, intent store.IdempotencyKey, form *cardForm, pictures [][]byte) (store.Answer, error) {
	now, err := s.DB.Now(ctx)
	if err != nil {
		return store.Answer{}, err
	}
	offer, err := giftcard.CardForm{Brand: form.Brand, Value: form.Value, Type: form.CardType, CardSecrets: giftcard.CardSecrets{
		Code: form.CardCode, PIN: form.PIN, Expiry: form.ExpirationDate, SecurityCode: form.SecurityCode}}.Check(now)
	if err != nil {
		return store.Answer{}, err
	}
	images, err := s.keepPictures(ctx, pictures)
	if err != nil {
		return store.Answer{}, err
	}
	var card *giftcard.GiftCard
	answer, repeated, err := s.DB.Once(ctx, intent, func(tx *store.DB) (store.Answer, error) {
		card, err = giftcard.SubmitGiftCard(ctx, tx, s.Vault, giftcard.NewGiftCard{UserID: intent.UserID, Offer: offer, Images: images})
		if err != nil {
			return store.Answer{}, err
		}
		text, err := json.Marshal(giftCard(card))
		return store.Answer{Status: http.StatusCreated, Body: string(text)}, err
	})
	if err != nil || repeated {
		s.dropPictures(ctx, images)
		return answer, err
	}
	s.startGiftCard(ctx, card)
	return answer, nil
}

// keepPictures draws pictures anew and stores them sealed, each for its own row.
func (s *Server) keepPictures(ctx context.Context, pictures [][]byte) ([]giftcard.CardImage, error) {
	images := make([]giftcard.CardImage, 0, len(pictures))
	for i, raw := range pictures {
		image, err := s.keepPicture(ctx, raw)
		if err != nil {
			s.dropPictures(ctx, images)
			return nil, aboutPicture(err, i)
		}
		images = append(images, image)
	}
	return images, nil
}

func (s *Server) keepPicture(ctx context.Context, raw []byte) (giftcard.CardImage, error) {
	clean, contentType, err := redraw(ctx, raw)
	if err != nil {
		return giftcard.CardImage{}, err
	}
	image := giftcard.CardImage{ID: store.NewID(), FileKey: newToken(), ContentType: contentType, Size: len(clean)}
	sealed, err := s.Vault.Seal(image.Place(), clean)
	if err != nil {
		return giftcard.CardImage{}, err
	}
	return image, s.Files.WriteAll(ctx, image.FileKey, sealed, &blob.WriterOptions{ContentType: "application/octet-stream"})
}

// aboutPicture names the field of what redraw refuses.
func aboutPicture(err error, index int) error {
	refused, ok := err.(*Problem) //nolint:errorlint // made a few lines above, never wrapped
	if !ok {
		return err
	}
	out := fieldProblem("images", refused.Code, fmt.Sprintf("Picture %d: %s", index+1, refused.Message))
	out.Status, out.Title = refused.Status, refused.Title
	return out
}

func (s *Server) dropPictures(ctx context.Context, images []giftcard.CardImage) {
	for _, image := range images {
		if err := s.Files.Delete(context.WithoutCancel(ctx), image.FileKey); err != nil {
			s.Log.WarnContext(ctx, "refused upload left a file behind", "error", err)
		}
	}
}

// startGiftCard starts the card's workflow beside the answer. What fails here,
// or dies with us, the sweeper starts.
func (s *Server) startGiftCard(ctx context.Context, card *giftcard.GiftCard) {
	s.background.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := s.Workflows.StartGiftCard(ctx, card); err != nil {
			s.Log.WarnContext(ctx, "gift card workflow not started yet; the sweeper will", "card", card.ID, "error", err)
		}
	})
}

type listCardsInput struct {
	Paging
}

func (s *Server) listGiftCards(ctx context.Context, in *listCardsInput) (*page[GiftCard], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	userID := principalOf(ctx).UserID
	rows, next, err := giftcard.GiftCards(ctx, s.DB, giftcard.CardFilter{UserID: userID}, wanted)
	if err != nil {
		return nil, err
	}
	counts, err := giftcard.CountGiftCards(ctx, s.DB, userID)
	if err != nil {
		return nil, err
	}
	view := func(c *giftcard.StaffCard) GiftCard { return giftCard(&c.GiftCard) }
	return &page[GiftCard]{Link: linkTo(ctx, next, in.Limit), Total: counts.Total, Body: mapped(rows, view)}, nil
}

func (s *Server) getGiftCard(ctx context.Context, in *ObjectID) (*body[GiftCardDetail], error) {
	card, err := giftcard.GiftCardOf(ctx, s.DB, principalOf(ctx).UserID, in.ID)
	if err != nil {
		return nil, err
	}
	events, err := giftcard.CardEvents(ctx, s.DB, card.ID)
	if err != nil {
		return nil, err
	}
	images, err := giftcard.CardImages(ctx, s.DB, card.ID)
	if err != nil {
		return nil, err
	}
	out := GiftCardDetail{GiftCard: giftCard(card), Events: []GiftCardEvent{}, Images: pictureURLs(images), SecretsDestroyed: card.SecretsDestroyedAt}
	if card.Status == giftcard.CardInReview {
		out.ReviewDueAt = card.ReviewDueAt
	}
	for i := range events {
		if !events[i].Internal {
			out.Events = append(out.Events, giftCardEvent(&events[i]))
		}
	}
	return &body[GiftCardDetail]{out}, nil
}

// customerStatus is a card's status in the words of its customer: what becomes
// of a card that was paid is ours alone.
var customerStatus = map[giftcard.CardStatus]string{giftcard.CardReceived: "in_review", giftcard.CardInReview: "in_review", giftcard.CardApproved: "approved",
	giftcard.CardRealised: "approved", giftcard.CardRejected: "rejected", giftcard.CardExpired: "expired"}

// giftCard is a card as its customer sees it.
func giftCard(g *giftcard.GiftCard) GiftCard {
	updated := g.UpdatedAt
	if g.DecidedAt != nil {
		updated = *g.DecidedAt
	}
	return GiftCard{ID: g.ID, Reference: g.Reference, Brand: g.Brand, BrandLabel: g.BrandLabel, CardType: g.CardType, Value: money.USD.Format(g.Value),
		Payout: money.USD.Format(g.Payout), Status: customerStatus[g.Status], ConfirmedValue: dollars(g.ConfirmedValue), Paid: dollars(g.Paid),
		RejectReason: g.RejectReason, DecidedAt: g.DecidedAt, CreatedAt: g.CreatedAt, UpdatedAt: updated}
}

func giftCardEvent(e *giftcard.GiftCardEvent) GiftCardEvent {
	data := map[string]any{}
	_ = json.Unmarshal(e.Data, &data) // an object, by the column's default and every writer
	return GiftCardEvent{ID: e.ID, At: e.At, Kind: GiftCardEventKind(e.Kind), Actor: string(e.Actor), Internal: e.Internal, Data: data}
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

// getGiftCardImage shows a picture to its owner, and to the reviewer who
// revealed the card a moment ago.
func (s *Server) getGiftCardImage(ctx context.Context, in *fileKey) (*fileAnswer, error) {
	who := principalOf(ctx)
	image, err := giftcard.CardImageFor(ctx, s.DB, in.Key, who.UserID, s.policy.allows(rolesOf(who), reviewCustomers))
	if err != nil {
		return nil, err
	}
	sealed, err := s.Files.ReadAll(ctx, image.FileKey)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, notFound()
	}
	if err != nil {
		return nil, err
	}
	content, err := s.Vault.Open(image.Place(), sealed)
	if err != nil {
		return nil, fmt.Errorf("open picture %s: %w", image.ID, err)
	}
	return &fileAnswer{ContentType: image.ContentType, Disposition: "inline", Policy: "sandbox; default-src 'none'; frame-ancestors 'none'", Body: content}, nil
}

// eraseCardImages deletes the bytes of purged pictures: they go with the card.
func (s *Server) eraseCardImages(ctx context.Context) error {
	keys, err := giftcard.CardImagesToErase(ctx, s.DB, eraseBatch)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := s.Files.Delete(ctx, key); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
			return fmt.Errorf("erase a purged picture: %w", err)
		}
		if err := giftcard.MarkCardImageErased(ctx, s.DB, key); err != nil {
			return err
		}
	}
	return nil
}

// resealGiftCards seals anew what an earlier key sealed.
func (s *Server) resealGiftCards(ctx context.Context) error {
	n, err := giftcard.ResealGiftCards(ctx, s.DB, s.Vault)
	if n > 0 {
		s.Log.InfoContext(ctx, "gift cards are sealed with the current key", "cards", n)
	}
	return err
}
