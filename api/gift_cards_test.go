package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	correctionapi "github.com/tradepost/tradepost/api/correction"
	giftcardapi "github.com/tradepost/tradepost/api/giftcard"
	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/store"
)

// fields of a regular and of a prepaid card; their canaries are searched for.
var (
	regularCard = map[string]string{"brand": "amazon", "value": "100", "cardCode": "CANARY-4711-99", "cardType": "regular", "pin": "CANARYPIN",
		"exchangeRate": "9.99", "payoutAmount": "1000000"}
	prepaidCard = map[string]string{"brand": "visa", "value": "50.00", "cardCode": "4111 1111 1111 1111", "cardType": "prepaid", "expirationDate": "09/40", "securityCode": "987"}
)

// but is a card with some fields changed; an empty value removes one.
func but(card map[string]string, pairs ...string) map[string]string {
	out := map[string]string{}
	for k, v := range card {
		out[k] = v
	}
	for pair := range slices.Chunk(pairs, 2) {
		if out[pair[0]] = pair[1]; pair[1] == "" {
			delete(out, pair[0])
		}
	}
	return out
}

// sell sends a card with pictures.
func (v *visitor) sell(card map[string]string, pictures [][]byte, headers ...string) *answer {
	v.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for name, value := range card {
		require.NoError(v, w.WriteField(name, value))
	}
	for _, p := range pictures {
		part, err := w.CreatePart(map[string][]string{"Content-Disposition": {`form-data; name="images"; filename="../../etc/passwd.png"`}, "Content-Type": {"image/png"}})
		require.NoError(v, err)
		_, err = part.Write(p)
		require.NoError(v, err)
	}
	require.NoError(v, w.Close())
	return v.post("/api/gift-cards", form.String(), append([]string{"Content-Type", w.FormDataContentType()}, headers...)...)
}

// review puts a card before the reviewers, as its workflow does.
func (h *testServer) review(id string) {
	h.Helper()
	_, err := giftcard.BeginGiftCard(h.Context(), h.db, id, giftcard.CardPatience{Review: 1e15, Remind: 1e14, Realise: 1e14})
	require.NoError(h, err)
}

func TestGiftCardIsSoldFromSubmissionToBalance(t *testing.T) {
	h := open(t)
	v, stranger, reviewer, finance, support := h.customer(), h.customer(), h.customer("compliance"), h.customer("finance"), h.customer("support")
	var catalogue giftcardapi.GiftCardCatalogue
	v.get("/api/gift-cards/catalogue").is(http.StatusOK).read(&catalogue)
	require.Equal(t, 14, catalogue.ReviewDays)
	require.Len(t, catalogue.Brands, len(giftcard.Brands))
	require.Equal(t, "0.85", catalogue.ExchangeRate)

	sent := v.sell(regularCard, [][]byte{picture(t, 20), photo(t)}).is(http.StatusCreated)
	require.Equal(t, "80.00", sent.text("payout"), "what the client says it pays is not looked at")
	require.Equal(t, "in_review", sent.text("status"))
	id := sent.text("id")
	h.server.background.Wait()
	require.Contains(t, h.flows.seen(&h.flows.started), "gift card "+id)
	h.review(id)

	var mine giftcardapi.GiftCardDetail
	v.get("/api/gift-cards/" + id).is(http.StatusOK).read(&mine)
	require.Len(t, mine.Images, 2)
	require.Len(t, mine.Events, 2)
	shown := v.get(mine.Images[1]).is(http.StatusOK)
	require.Equal(t, "image/jpeg", shown.header.Get("Content-Type"))
	require.Contains(t, shown.header.Get("Content-Security-Policy"), "sandbox")
	require.NotContains(t, string(shown.body), "canary", "what came beside the picture is gone")
	for _, who := range []*visitor{stranger, reviewer, support, finance} {
		who.get(mine.Images[0]).is(http.StatusNotFound)
	}
	key := strings.TrimPrefix(mine.Images[0], "/gift-card-images/")
	stored, err := h.server.Files.ReadAll(t.Context(), key)
	require.NoError(t, err)
	require.NotContains(t, string(stored), "PNG", "pictures lie sealed in the bucket")

	support.post("/api/admin/gift-cards/"+id+"/reveal", "").refused(http.StatusForbidden, "forbidden")
	var secrets giftcardapi.GiftCardSecrets
	reviewer.post("/api/admin/gift-cards/"+id+"/reveal", "").is(http.StatusOK).read(&secrets)
	require.Equal(t, "CANARY471199", secrets.CardCode)
	require.Equal(t, "CANARYPIN", secrets.PIN)
	reviewer.get(secrets.Images[0]).is(http.StatusOK)
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'gift_card.reveal' AND actor_id = $1`, reviewer.userID))

	finance.post("/api/admin/gift-cards/"+id+"/approve", `{"value":"100"}`).refused(http.StatusForbidden, "forbidden")
	said := reviewer.post("/api/admin/gift-cards/"+id+"/approve", `{"value":"90"}`).is(http.StatusOK)
	require.Contains(t, said.text("message"), "72 hours")
	v.get("/api/gift-cards/" + id).is(http.StatusOK).read(&mine)
	require.Equal(t, []string{"offered", "90.00", "71.50"}, []string{mine.Status, mine.Offer.Value, mine.Offer.Payout})
	stranger.post("/api/gift-cards/"+id+"/accept", "").is(http.StatusNotFound)
	stranger.post("/api/gift-cards/"+id+"/decline", "").is(http.StatusNotFound)
	v.post("/api/gift-cards/"+id+"/accept", "").is(http.StatusOK)
	v.post("/api/gift-cards/"+id+"/accept", "").refused(http.StatusConflict, "card_state")
	v.post("/api/gift-cards/"+id+"/decline", "").refused(http.StatusConflict, "card_state")
	var balance ledgerapi.Balance
	v.get("/api/balance").is(http.StatusOK).read(&balance)
	require.Equal(t, "71.50", balance.Balance)
	require.Equal(t, "gift_card", balance.Entries[0].Kind)
	require.Equal(t, id, *balance.Entries[0].GiftCardID)
	reviewer.post("/api/admin/gift-cards/"+id+"/realise", `{"amount":"88","reference":"sale 1"}`).refused(http.StatusForbidden, "forbidden")
	finance.post("/api/admin/gift-cards/"+id+"/realise", `{"amount":"88","reference":"sale 1"}`).is(http.StatusOK)
	v.get("/api/gift-cards/" + id).is(http.StatusOK).read(&mine)
	require.Equal(t, "approved", mine.Status, "what became of it then is not the customer's")
	require.Empty(t, mine.Images)
	v.get("/gift-card-images/" + key).is(http.StatusNotFound)
	require.NoError(t, h.server.giftcard.EraseCardImages(t.Context()))
	there, err := h.server.Files.Exists(t.Context(), key)
	require.NoError(t, err)
	require.False(t, there)
	reviewer.post("/api/admin/gift-cards/"+id+"/reveal", "").refused(http.StatusConflict, "secrets_destroyed")
	var record giftcardapi.AdminGiftCardDetail
	support.get("/api/admin/gift-cards/" + id).is(http.StatusOK).read(&record)
	require.Empty(t, record.Postings, "they are for who may read the ledger")
	finance.get("/api/admin/gift-cards/" + id).is(http.StatusOK).read(&record)
	require.Len(t, record.Postings, 3)
	var kinds []string
	for _, d := range record.Decisions {
		kinds = append(kinds, d.Kind)
	}
	require.Equal(t, giftcard.CardApprove+" "+giftcard.CardAccept+" "+giftcard.CardRealise, strings.Join(kinds, " "))
	require.Equal(t, one[string](h, `SELECT email FROM users WHERE id = $1`, v.userID), record.Decisions[1].Actor)
	require.Equal(t, []string{"claim"}, record.Actions, "its buyer may take the proceeds back")
}

// A counter-offer that its customer declines, cannot accept, or does not answer, pays nothing. Staff cannot answer it.
func TestACounterOfferThatIsNotAcceptedPaysNothing(t *testing.T) {
	h := open(t)
	reviewer := h.customer("compliance")
	offered := func(v *visitor, code string) string {
		id := v.sell(but(regularCard, "cardCode", code), [][]byte{picture(t, 20)}).is(http.StatusCreated).text("id")
		h.review(id)
		path := "/api/admin/gift-cards/" + id
		reviewer.post(path+"/reveal", "").is(http.StatusOK)
		reviewer.post(path+"/approve", `{"value":"100.01"}`).refused(http.StatusUnprocessableEntity, "above_claim")
		reviewer.post(path+"/approve", `{"value":"99.99"}`).is(http.StatusOK)
		return id
	}
	declined, frozen, late := h.customer(), h.customer(), h.customer()
	ids := map[*visitor]string{declined: offered(declined, "CANARY-DECLINED"), frozen: offered(frozen, "CANARY-FROZEN"),
		late: offered(late, "CANARY-LATE")}
	reviewer.post("/api/gift-cards/"+ids[declined]+"/accept", "").is(http.StatusNotFound)
	said := declined.post("/api/gift-cards/"+ids[declined]+"/decline", "").is(http.StatusOK)
	require.Contains(t, said.text("message"), "deleted")
	declined.post("/api/gift-cards/"+ids[declined]+"/accept", "").refused(http.StatusConflict, "card_state")
	rejected := reviewer.post("/api/admin/gift-cards/"+ids[declined]+"/reject", `{"reason":"changed my mind"}`)
	rejected.refused(http.StatusConflict, "card_state")

	h.exec(`UPDATE users SET frozen_at = now() WHERE id = $1`, frozen.userID)
	require.GreaterOrEqual(t, frozen.post("/api/gift-cards/"+ids[frozen]+"/accept", "").status, http.StatusBadRequest)
	h.exec(`UPDATE users SET frozen_at = NULL WHERE id = $1`, frozen.userID)

	h.advance("73 hours")
	late.enter()
	late.post("/api/gift-cards/"+ids[late]+"/accept", "").refused(http.StatusConflict, "offer_ended")
	for _, v := range []*visitor{frozen, late} {
		_, err := giftcard.LateGiftCard(t.Context(), h.db, ids[v], giftcard.CardPatience{})
		require.NoError(t, err)
	}
	for v, id := range ids {
		v.enter()
		var card giftcardapi.GiftCardDetail
		v.get("/api/gift-cards/" + id).is(http.StatusOK).read(&card)
		require.Equal(t, "declined", card.Status)
		require.Nil(t, card.Offer)
		require.Nil(t, card.Paid)
		require.NotNil(t, card.SecretsDestroyed)
		require.Empty(t, card.Images)
		var balance ledgerapi.Balance
		v.get("/api/balance").is(http.StatusOK).read(&balance)
		require.Equal(t, "0.00", balance.Balance)
	}
}

// A reviewer can end an open counter-offer with a reason; the customer's answer at the same time is refused, or counts
// instead.
func TestCounterOfferIsRejectedByReviewer(t *testing.T) {
	h := open(t)
	reviewer, finance := h.customer("compliance"), h.customer("finance")
	offered := func(v *visitor, code string) (id, path string) {
		id = v.sell(but(regularCard, "cardCode", code), [][]byte{picture(t, 20)}).is(http.StatusCreated).text("id")
		h.review(id)
		path = "/api/admin/gift-cards/" + id
		reviewer.post(path+"/reveal", "").is(http.StatusOK)
		reviewer.post(path+"/approve", `{"value":"90"}`).is(http.StatusOK)
		return id, path
	}
	var listed []giftcardapi.AdminGiftCard
	var record giftcardapi.AdminGiftCardDetail
	v := h.customer()
	id, path := offered(v, "CANARY-SPENT")
	reviewer.get("/api/admin/gift-cards?status=offered").is(http.StatusOK).read(&listed)
	require.Len(t, listed, 1)
	require.Equal(t, []string{"reveal", giftcard.CardReject}, listed[0].Actions)
	reviewer.get(path).is(http.StatusOK).read(&record)
	require.Equal(t, []string{"reveal", giftcard.CardReject}, record.Actions)
	finance.get(path).is(http.StatusOK).read(&record)
	require.Empty(t, record.Actions)
	finance.post(path+"/reject", `{"reason":"spent"}`).refused(http.StatusForbidden, "forbidden")
	reviewer.post(path+"/reject", `{"reason":" "}`).refused(http.StatusUnprocessableEntity, "required")
	reviewer.post(path+"/reject", `{"reason":"Its balance was spent"}`).is(http.StatusOK)
	for _, answer := range []string{"/accept", "/decline"} {
		v.post("/api/gift-cards/"+id+answer, "").refused(http.StatusConflict, "card_state")
	}
	reviewer.post(path+"/reject", `{"reason":"again"}`).refused(http.StatusConflict, "card_state")
	var card giftcardapi.GiftCardDetail
	v.get("/api/gift-cards/" + id).is(http.StatusOK).read(&card)
	require.Equal(t, []string{"rejected", "Its balance was spent"}, []string{card.Status, *card.RejectReason})
	require.Nil(t, card.Offer)
	require.Nil(t, card.Paid)
	require.NotNil(t, card.SecretsDestroyed)
	require.Empty(t, card.Images)
	require.Equal(t, "0.00", v.get("/api/balance").is(http.StatusOK).text("balance"))

	for i := range 4 {
		v := h.customer()
		id, path := offered(v, fmt.Sprintf("CANARY-RACE%d", i))
		var both sync.WaitGroup
		var accepted, rejected *answer
		both.Go(func() { accepted = v.post("/api/gift-cards/"+id+"/accept", "") })
		both.Go(func() { rejected = reviewer.post(path+"/reject", `{"reason":"Its balance was spent"}`) })
		both.Wait()
		winner, loser, balance := accepted, rejected, "71.50"
		if rejected.status == http.StatusOK {
			winner, loser, balance = rejected, accepted, "0.00"
		}
		winner.is(http.StatusOK)
		loser.is(http.StatusConflict)
		require.Contains(t, []string{"decision_open", "card_state"}, loser.text("code"))
		require.NotEmpty(t, loser.text("message"))
		require.Equal(t, balance, v.get("/api/balance").is(http.StatusOK).text("balance"))
	}
}

// Each refusal of a form names its field, and nothing is kept.
func TestBar23HostileGiftCardsAreRefusedByField(t *testing.T) {
	h := open(t)
	v := h.customer()
	for name, c := range map[string]struct {
		card   map[string]string
		field  string
		status int
	}{
		"nothing":            {map[string]string{}, "brand", 422},
		"unknown brand":      {but(regularCard, "brand", "acme"), "brand", 422},
		"other type":         {but(regularCard, "cardType", "prepaid", "expirationDate", "09/40", "securityCode", "123"), "cardType", 422},
		"negative value":     {but(regularCard, "value", "-1"), "value", 422},
		"exponent":           {but(regularCard, "value", "1e2"), "value", 422},
		"forty zeros":        {but(regularCard, "value", "1"+strings.Repeat("0", 40)), "value", 422},
		"longer than that":   {but(regularCard, "value", strings.Repeat("1", 60)), "value", 422},
		"pays nothing":       {but(regularCard, "value", "5"), "value", 422},
		"no PIN":             {but(regularCard, "pin", ""), "pin", 422},
		"over-long PIN":      {but(regularCard, "pin", strings.Repeat("1", 33)), "pin", 422},
		"over-long code":     {but(regularCard, "cardCode", strings.Repeat("1", 65)), "cardCode", 422},
		"code with a script": {but(regularCard, "cardCode", "<script>alert"), "cardCode", 422},
		"Luhn":               {but(prepaidCard, "cardCode", "4111111111111112"), "cardCode", 422},
		"twenty digits":      {but(prepaidCard, "cardCode", strings.Repeat("4111 ", 5)), "cardCode", 422},
		"wrong MM/YY":        {but(prepaidCard, "expirationDate", "13/40"), "expirationDate", 422},
		"expired":            {but(prepaidCard, "expirationDate", "01/20"), "expirationDate", 422},
		"six characters":     {but(prepaidCard, "expirationDate", "09/400"), "expirationDate", 422},
		"five digits":        {but(prepaidCard, "securityCode", "12345"), "securityCode", 422},
		"two digits":         {but(prepaidCard, "securityCode", "12"), "securityCode", 422},
	} {
		refused := v.sell(c.card, nil)
		require.Equal(t, c.status, refused.status, "%s: %s", name, refused.body)
		require.Equal(t, c.field, refused.text("field"), "%s: %s", name, refused.body)
		require.NotContains(t, string(refused.body), "CANARY", name)
	}
	gaps := v.sell(map[string]string{"brand": "amazon"}, nil)
	require.Equal(t, "Please fill in all required fields: Value, Card Number, PIN", gaps.text("message"))
	require.Equal(t, "value cardCode pin", gaps.fields())
	require.Zero(t, one[int](h, `SELECT count(*) FROM gift_cards`))
	kept, err := h.server.Files.List(nil).Next(t.Context())
	require.Error(t, err, "no file stays behind: %v", kept)
	h.visitor().sell(regularCard, nil).is(http.StatusUnauthorized)
}

func TestBar19GiftCardIntentsAreAnsweredOnce(t *testing.T) {
	h := open(t)
	v, other := h.customer(), h.customer()
	first := v.sell(regularCard, [][]byte{picture(t, 4)}, "Idempotency-Key", "intent-0001").is(http.StatusCreated)
	again := v.sell(regularCard, [][]byte{picture(t, 4)}, "Idempotency-Key", "intent-0001").is(http.StatusCreated)
	require.JSONEq(t, string(first.body), string(again.body))
	v.sell(but(regularCard, "pin", "1"), [][]byte{picture(t, 4)}, "Idempotency-Key", "intent-0001").refused(http.StatusUnprocessableEntity, "key_reused")
	v.sell(regularCard, nil, "Idempotency-Key", "intent-0001").refused(http.StatusUnprocessableEntity, "key_reused")
	other.sell(regularCard, nil, "Idempotency-Key", "intent-0001").is(http.StatusCreated)
	require.Equal(t, 2, one[int](h, `SELECT count(*) FROM gift_cards`))

	var all sync.WaitGroup
	answers := make([]string, 6)
	for i := range answers {
		all.Go(func() {
			answers[i] = v.sell(but(regularCard, "cardCode", "CONCURRENT1"), [][]byte{picture(t, 4)}, "Idempotency-Key", "intent-0002").text("id")
		})
	}
	all.Wait()
	for _, id := range answers {
		require.Equal(t, answers[0], id)
	}
	require.Equal(t, 3, one[int](h, `SELECT count(*) FROM gift_cards`))
	require.Equal(t, 2, one[int](h, `SELECT count(*) FROM gift_card_images`))
	files := 0
	for list := h.server.Files.List(nil); ; files++ {
		if _, err := list.Next(t.Context()); err != nil {
			break
		}
	}
	require.Equal(t, 2, files, "those that lost leave no file behind")
}

func TestBar18TwoReviewersDecideAndOneCounts(t *testing.T) {
	h := open(t)
	v, one1, two, own := h.customer(), h.customer("admin"), h.customer("compliance"), h.customer("admin")
	id := v.sell(regularCard, nil).is(http.StatusCreated).text("id")
	h.review(id)
	one1.post("/api/admin/gift-cards/"+id+"/approve", `{"value":"100"}`).refused(http.StatusConflict, "not_revealed")
	for _, who := range []*visitor{one1, two} {
		who.post("/api/admin/gift-cards/"+id+"/reveal", "").is(http.StatusOK)
	}
	var all sync.WaitGroup
	statuses := make([]int, 4)
	for i, who := range []*visitor{one1, two, one1, two} {
		all.Go(func() {
			statuses[i] = who.post("/api/admin/gift-cards/"+id+[]string{"/approve", "/reject"}[i%2], []string{`{"value":"100"}`, `{"reason":"no"}`}[i%2]).status
		})
	}
	all.Wait()
	counts := map[int]int{}
	for _, s := range statuses {
		counts[s]++
	}
	require.Equal(t, map[int]int{200: 1, 409: 3}, counts)
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM audit_log WHERE action IN ('gift_card.approve', 'gift_card.reject')`))

	mine := own.sell(but(regularCard, "cardCode", "MYOWNCARD1"), nil).is(http.StatusCreated).text("id")
	h.review(mine)
	own.post("/api/admin/gift-cards/"+mine+"/approve", `{"value":"100"}`).refused(http.StatusForbidden, "own_card")
	own.post("/api/admin/gift-cards/"+mine+"/reveal", "").refused(http.StatusForbidden, "own_card")
	two.post("/api/admin/gift-cards/"+mine+"/reject", `{"reason":" "}`).refused(http.StatusUnprocessableEntity, "required")
	two.post("/api/admin/gift-cards/"+mine+"/approve", `{"value":"-1"}`).refused(http.StatusUnprocessableEntity, "invalid_amount")
	two.post("/api/admin/gift-cards/"+mine+"/approve", `{"value":"100.01"}`).refused(http.StatusUnprocessableEntity, "above_claim")
	two.post("/api/admin/gift-cards/"+mine+"/reject", `{"reason":"<b>used</b>"}`).is(http.StatusOK)
	require.Equal(t, "<b>used</b>", own.get("/api/gift-cards/"+mine).text("rejectReason"))

	h.flows.away = fmt.Errorf("temporal is away")
	late := v.sell(but(regularCard, "cardCode", "WHILEAWAY1"), nil).is(http.StatusCreated).text("id")
	h.review(late)
	two.post("/api/admin/gift-cards/"+late+"/reveal", "").is(http.StatusOK)
	two.post("/api/admin/gift-cards/"+late+"/approve", `{"value":"100"}`).is(http.StatusAccepted)
	two.post("/api/admin/gift-cards/"+late+"/approve", `{"value":"100"}`).refused(http.StatusConflict, "decision_open")
}

// What is printed on cards is found nowhere but sealed: no log, no answer to a
// list, no row, no idempotency record.
func TestBar35GiftCardsLeaveNoTraceOfWhatIsPrintedOnThem(t *testing.T) {
	h := open(t)
	v, admin := h.customer(), h.customer("admin")
	id := v.sell(regularCard, [][]byte{picture(t, 4)}, "Idempotency-Key", "intent-0001").is(http.StatusCreated).text("id")
	v.sell(but(regularCard, "value", "CANARY"), nil).is(http.StatusUnprocessableEntity)
	h.review(id)
	for _, who := range []*visitor{v, admin} {
		for _, path := range []string{"/api/gift-cards", "/api/gift-cards/" + id, "/api/admin/gift-cards", "/api/admin/gift-cards/" + id, "/api/admin/gift-cards/pending"} {
			require.NotContains(t, string(who.get(path).body), "CANARY", path)
		}
	}
	admin.post("/api/admin/gift-cards/"+id+"/reveal", "").is(http.StatusOK)
	rows, err := h.owner().Pool().Query(t.Context(), `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`)
	require.NoError(t, err)
	var tables []string
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		tables = append(tables, name)
	}
	require.NoError(t, rows.Err())
	for _, name := range tables {
		found := one[int](h, `SELECT count(*) FROM `+name+` t WHERE to_jsonb(t)::text ILIKE '%canary%' OR to_jsonb(t)::text LIKE '%'||encode('CANARY', 'hex')||'%'`)
		require.Zero(t, found, name)
	}
	require.NotContains(t, h.log.String(), "CANARY")
}

func TestGiftCardListsAreFilteredAndCounted(t *testing.T) {
	h := open(t)
	v, admin := h.customer(), h.customer("admin")
	var ids []string
	for i := range 3 {
		id := v.sell(but(regularCard, "cardCode", fmt.Sprintf("LISTED%04d", i)), nil).is(http.StatusCreated).text("id")
		h.review(id)
		ids = append(ids, id)
	}
	admin.post("/api/admin/gift-cards/"+ids[0]+"/reject", `{"reason":"used"}`).is(http.StatusOK)
	var rows []giftcardapi.AdminGiftCard
	list := admin.get("/api/admin/gift-cards?status=in_review&limit=1").is(http.StatusOK)
	list.read(&rows)
	require.Equal(t, ids[1], rows[0].ID, "who has waited longest")
	require.Equal(t, []string{"reveal", "approve", "reject"}, rows[0].Actions)
	require.Equal(t, "2", list.header.Get("X-Total-Count"))
	next := nextPage.FindStringSubmatch(list.header.Get("Link"))
	require.NotNil(t, next)
	admin.get(next[1]).is(http.StatusOK).read(&rows)
	require.Equal(t, ids[2], rows[0].ID)
	var pending []giftcardapi.AdminGiftCard
	admin.get("/api/admin/gift-cards/pending").is(http.StatusOK).read(&pending)
	require.Len(t, pending, 2)
	met := admin.walk("/api/admin/gift-cards/pending?limit=1", func(a *answer) (ids []string) {
		var rows []giftcardapi.AdminGiftCard
		a.read(&rows)
		for _, row := range rows {
			ids = append(ids, row.ID)
		}
		return ids
	})
	require.Equal(t, map[string]int{ids[1]: 1, ids[2]: 1}, met, "by the cursor of the Link header")
	var summary giftcardapi.GiftCardsSummary
	admin.get("/api/admin/gift-cards/summary?status=rejected").is(http.StatusOK).read(&summary)
	require.Equal(t, 3, summary.Total)
	require.Equal(t, 1, summary.MatchingFilters)
	require.Equal(t, "200.00", summary.WaitingValue)
	admin.get("/api/admin/gift-cards?status=nonsense").is(http.StatusUnprocessableEntity)
	admin.get("/api/admin/gift-cards?cursor=x").refused(http.StatusUnprocessableEntity, "bad_cursor")
	var mine []giftcardapi.GiftCard
	v.get("/api/gift-cards").is(http.StatusOK).read(&mine)
	require.Len(t, mine, 3)
	raw, err := json.Marshal(mine)
	require.NoError(t, err)
	require.NotContains(t, string(raw), "sealed")
}

func TestBar36RevealsAreLimited(t *testing.T) {
	h := open(t, func(d *Dependencies) { d.RateScale = 1 })
	v, admin := h.customer(), h.customer("admin")
	id := v.sell(regularCard, nil).is(http.StatusCreated).text("id")
	for range rest.Rates[rest.Revealing].Burst {
		admin.post("/api/admin/gift-cards/"+id+"/reveal", "").is(http.StatusOK)
	}
	limited := admin.post("/api/admin/gift-cards/"+id+"/reveal", "").is(http.StatusTooManyRequests)
	require.NotEmpty(t, limited.header.Get("Retry-After"))
	require.Equal(t, rest.Rates[rest.Revealing].Burst, one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'gift_card.reveal'`))
}

// A card that is found used after it was paid is claimed from its customer by two people. The customer reads why, and
// what they owe.
func TestUsedGiftCardIsClaimedByTwo(t *testing.T) {
	h := open(t)
	v, stranger, reviewer, support := h.customer(), h.customer(), h.customer("compliance"), h.customer("support")
	finance, second := h.customer("finance"), h.customer("finance")
	id := v.sell(but(regularCard, "value", "100", "cardCode", "CANARY777777"), nil).is(http.StatusCreated).text("id")
	h.review(id)
	record := func(who *visitor) (out giftcardapi.AdminGiftCardDetail) {
		who.get("/api/admin/gift-cards/" + id).is(http.StatusOK).read(&out)
		return out
	}
	require.NotContains(t, record(finance).Actions, "claim", "nothing was paid")
	reviewer.post("/api/admin/gift-cards/"+id+"/reveal", "").is(http.StatusOK)
	reviewer.post("/api/admin/gift-cards/"+id+"/approve", `{"value":"100"}`).is(http.StatusOK)
	finance.post("/api/admin/gift-cards/"+id+"/realise", `{"amount":"100.01","reference":"sale"}`).
		refused(http.StatusUnprocessableEntity, "above_value")
	require.Contains(t, record(finance).Actions, "claim")
	require.NotContains(t, record(reviewer).Actions, "claim")
	require.Equal(t, "80.00", *record(finance).Lost)

	claim := "/api/admin/money/gift-cards/" + id + "/claim"
	const body = `{"amount":"80","reason":"The buyer found the card empty"}`
	reviewer.post(claim, body).refused(http.StatusForbidden, "forbidden")
	support.post(claim, body).refused(http.StatusForbidden, "forbidden")
	finance.post(claim, `{"amount":"80.01","reason":"used"}`).refused(http.StatusUnprocessableEntity, "above_loss")
	finance.post(claim, `{"amount":"80","takenBack":"x","reason":"used"}`).
		refused(http.StatusUnprocessableEntity, "invalid_amount")
	other := "/api/admin/money/gift-cards/" + store.NewID()
	finance.post(other+"/claim", body).is(http.StatusNotFound)
	finance.post(other+"/reverse-claim", `{"reason":"why"}`).is(http.StatusNotFound)
	proposal := finance.post(claim, body).is(http.StatusCreated).text("id")
	require.Equal(t, "claim_card", record(finance).Proposal.Kind)
	require.NotContains(t, record(second).Actions, "claim", "it was proposed")
	finance.post("/api/admin/money/proposals/"+proposal+"/approve", `{}`).refused(http.StatusForbidden, "own_proposal")
	second.post("/api/admin/money/proposals/"+proposal+"/approve", `{}`).is(http.StatusOK)
	require.Contains(t, h.flows.seen(&h.flows.hints), "gift card "+id, "its workflow ends")

	var mine giftcardapi.GiftCardDetail
	v.get("/api/gift-cards/" + id).is(http.StatusOK).read(&mine)
	require.Equal(t, []string{"80.00", "0.00", "The buyer found the card empty"},
		[]string{mine.Claim.Amount, mine.Claim.Owed, mine.Claim.Reason})
	require.Equal(t, "approved", mine.Status)
	stranger.get("/api/gift-cards/" + id).is(http.StatusNotFound)
	var balance ledgerapi.Balance
	v.get("/api/balance").is(http.StatusOK).read(&balance)
	require.Equal(t, "0.00", balance.Balance)
	require.Equal(t, "Deducted: your gift card was found used", balance.Entries[0].Why)
	finance.post(claim, body).refused(http.StatusConflict, "already_claimed")
	require.Equal(t, "realised", record(finance).Status)

	require.Contains(t, record(finance).Actions, "reverse_claim")
	proposed := func(id string) correctionapi.MoneyAct {
		var all []correctionapi.MoneyProposal
		finance.get("/api/admin/money/proposals").is(http.StatusOK).read(&all)
		at := slices.IndexFunc(all, func(p correctionapi.MoneyProposal) bool { return p.ID == id })
		return all[at].Act
	}
	reverse := "/api/admin/money/gift-cards/" + id + "/reverse-claim"
	dropped := second.post(reverse, `{"paidAgain":"95","bankReference":"B-95","reason":"paid"}`).
		is(http.StatusCreated).text("id")
	require.Equal(t, correctionapi.MoneyAct{CardID: id, PaidAgain: "95.00", BankReference: "B-95"}, proposed(dropped))
	second.post("/api/admin/money/proposals/"+dropped+"/reject", `{"reason":"not so"}`).is(http.StatusOK)
	proposal = second.post(reverse, `{"reason":"The customer proved it"}`).is(http.StatusCreated).text("id")
	finance.post("/api/admin/money/proposals/"+proposal+"/approve", `{}`).is(http.StatusOK)
	v.get("/api/gift-cards/" + id).is(http.StatusOK).read(&mine)
	require.Equal(t, "The customer proved it", *mine.Claim.ReversalReason)
	v.get("/api/balance").is(http.StatusOK).read(&balance)
	require.Equal(t, "80.00", balance.Balance)
	require.NotContains(t, record(finance).Actions, "reverse_claim")

	id = v.sell(but(regularCard, "value", "100", "cardCode", "CANARY888888"), nil).is(http.StatusCreated).text("id")
	h.review(id)
	reviewer.post("/api/admin/gift-cards/"+id+"/reveal", "").is(http.StatusOK)
	reviewer.post("/api/admin/gift-cards/"+id+"/approve", `{"value":"100"}`).is(http.StatusOK)
	finance.post("/api/admin/gift-cards/"+id+"/realise", `{"amount":"90","reference":"sale"}`).is(http.StatusOK)
	asked := finance.post("/api/admin/money/gift-cards/"+id+"/claim",
		`{"amount":"30","takenBack":"45.5","bankReference":"B-45","reason":"used"}`).is(http.StatusCreated).text("id")
	require.Equal(t, correctionapi.MoneyAct{CardID: id, Amount: "30.00", TakenBack: "45.50", BankReference: "B-45"},
		proposed(asked))
}
