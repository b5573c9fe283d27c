package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"slices"
	"time"
)

// scenario executes a scenario other than a purchase.
func (t *cluster) scenario(ctx context.Context, e Scenario) {
	r := rand.New(rand.NewPCG(e.Seed, 1)) //nolint:gosec // to be repeated, not to be secret
	who := t.customers[e.Customer%len(t.customers)]
	t.count("errands " + e.Kind)
	switch e.Kind {
	case "gift_card":
		t.sellCard(ctx, who, r)
	case "ticket":
		question := questions[r.IntN(len(questions))]
		insist(ctx, func() answer {
			return who.post(ctx, "/api/support/tickets", fmt.Sprintf("ticket-%d", e.Seed), question)
		})
	case "voucher":
		t.voucher(ctx, who, r)
	case "payout":
		t.payOut(ctx, who, r)
	case "deposit": // coin from outside the platform: a break
		_ = t.control(ctx, http.MethodPost, "/control/bitgo/deposits", map[string]string{"coin": "btc", "amount": fmt.Sprint(50_000 + r.IntN(400_000))}, nil) // reported when it is down
	case "bank":
		_ = t.control(ctx, http.MethodPost, "/control/stripe/payout", map[string]string{"amount": fmt.Sprint(20_000 + r.IntN(80_000))}, nil) // refused while too little is there
	}
}

// questions are what people write to support.
var questions = []map[string]string{
	{"subject": "transaction", "message": "My transfer left my bank on Monday. When will my order be paid?"},
	{"subject": "kyc", "message": "My passport was renewed. Do I have to verify again?"},
	{"subject": "general", "message": "Which network do you send USDT on?"},
	{"subject": "account", "message": "I have a new phone. How do I move my authenticator?"},
	{"subject": "voucher", "message": "I scratched off too much of the code. Can you help?"},
	{"subject": "technical", "message": "The receipt does not print on one page."},
}

// sellCard sends in a gift card with a picture of it.
func (t *cluster) sellCard(ctx context.Context, who *browser, r *rand.Rand) {
	brands := []string{"amazon", "apple", "steam", "google-play", "target", "walmart"}
	brand, value := brands[r.IntN(len(brands))], 25*(1+r.IntN(12))
	form, kind := cardForm(r, brand, value, fmt.Sprintf("%04d-%06d-%04d", r.IntN(10_000), r.IntN(1_000_000), r.IntN(10_000)))
	key := fmt.Sprintf("card-%d", r.Uint64())
	insist(ctx, func() answer { return who.send(ctx, "/api/gift-cards", key, kind, form) })
}

// cardForm is the form that sends a gift card in, and its type.
func cardForm(r *rand.Rand, brand string, value int, number string) (form []byte, kind string) {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range map[string]string{"brand": brand, "value": fmt.Sprint(value), "cardType": "regular", "cardCode": number, "pin": fmt.Sprintf("%04d", r.IntN(10_000))} {
		_ = w.WriteField(name, value) // a write to a buffer does not fail
	}
	picture := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="images"; filename="card.png"`}, "Content-Type": {"image/png"}}
	if part, err := w.CreatePart(picture); err == nil {
		_ = png.Encode(part, cardPicture(r))
	}
	_ = w.Close()
	return body.Bytes(), w.FormDataContentType()
}

// insist repeats a call until its answer is definite.
func insist(ctx context.Context, ask func() answer) answer {
	for {
		got := ask()
		if !got.unknown() && got.status != http.StatusUnauthorized && got.status != http.StatusTooManyRequests || pause(ctx, time.Second) != nil {
			return got
		}
	}
}

// cardPicture is a plain card in some colour.
func cardPicture(r *rand.Rand) image.Image {
	card := image.NewRGBA(image.Rect(0, 0, 480, 300))
	tone := color.RGBA{uint8(40 + r.IntN(180)), uint8(40 + r.IntN(180)), uint8(40 + r.IntN(180)), 255}
	for y := range 300 {
		for x := range 480 {
			c := tone
			if y > 200 && y < 240 && x > 40 && x < 440 { // the strip that the code is under
				c = color.RGBA{200, 200, 200, 255}
			}
			card.SetRGBA(x, y, c)
		}
	}
	return card
}

// voucher has staff make one, and mostly redeems it.
func (t *cluster) voucher(ctx context.Context, who *browser, r *rand.Rand) {
	var made struct{ Code, BatchID, Status string }
	amount := []string{"25", "50", "100", "200"}[r.IntN(4)]
	key := fmt.Sprintf("voucher-%d", r.Uint64())
	if insist(ctx, func() answer {
		return t.staff[0].post(ctx, "/api/admin/vouchers", key, map[string]string{"amount": amount, "currency": "USD"})
	}).read(&made) != nil {
		return
	}
	if made.Status == "awaiting_approval" {
		t.staff[1].post(ctx, "/api/admin/voucher-batches/"+made.BatchID+"/approve", "", nil)
	}
	if r.IntN(3) == 0 {
		return // it is assigned to an agent who keeps it
	}
	if who.post(ctx, "/api/vouchers/validate", "", map[string]string{"code": made.Code}).done() {
		who.post(ctx, "/api/vouchers/redeem", fmt.Sprintf("redeem-%d", r.Uint64()), map[string]string{"code": made.Code, "cryptoType": "BTC", "walletAddress": newAddress(r, "bitcoin")})
	}
}

// payOut requests the balance, when there is enough.
func (t *cluster) payOut(ctx context.Context, who *browser, r *rand.Rand) answer {
	var made struct{ ID string }
	got := who.post(ctx, "/api/payouts", fmt.Sprintf("payout-%d", r.Uint64()), map[string]string{"amount": fmt.Sprint(20 + 10*r.IntN(10)), "accountKind": "us",
		"accountHolder": who.given + " " + who.family, "routingNumber": "021000021", "accountNumber": fmt.Sprintf("%010d", r.IntN(1_000_000_000))})
	if got.read(&made) != nil {
		return got
	}
	return who.confirm(ctx, made.ID)
}

// send posts a body that is not JSON.
func (b *browser) send(ctx context.Context, path, key, kind string, body []byte) answer {
	if b.staff {
		b.cluster.calm(ctx)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, b.cluster.stack.SiteURL()+path, bytes.NewReader(body))
	if err != nil {
		return answer{}
	}
	b.mu.Lock()
	request.Header = http.Header{"Content-Type": {kind}, "Accept": {"application/json"}, "Origin": {b.cluster.stack.SiteURL()}, "X-Csrf-Token": {b.csrf}, "Idempotency-Key": {key}}
	b.mu.Unlock()
	p, err := b.do(request)
	if err != nil {
		return answer{}
	}
	got := b.answered(p)
	if got.status == http.StatusUnauthorized {
		_ = b.signIn(ctx) // repeated by insist
	}
	return got
}

// queued is a row of any queue.
type queued struct {
	ID, UserID, Payout, Value string
	Actions                   []string
}

// desks works the queues off until the end of the shift, each by an admin with the permission.
func (m *month) desks(ctx context.Context, q Quarter) {
	r := generator(m.plan.Seed, 3_000_000+4*q.Day+q.Part)
	for {
		m.workQueues(ctx, r)
		if pause(ctx, 2*time.Second) != nil {
			return
		}
	}
}

// queue reads the rows of a list on which staff[0] can do something.
func (t *cluster) queue(ctx context.Context, path, action string) []queued {
	return t.queueOf(ctx, t.staff[0], path, action)
}

func (t *cluster) queueOf(ctx context.Context, who *browser, path, action string) []queued {
	got := who.call(ctx, http.MethodGet, path, "", nil)
	var rows []queued
	if got.status == http.StatusUnauthorized {
		_ = who.signIn(ctx) // the next attempt is signed in
	}
	if !got.done() || json.Unmarshal(got.body, &rows) != nil {
		return nil
	}
	return slices.DeleteFunc(rows, func(l queued) bool { return !slices.Contains(l.Actions, action) || t.keptFromQueues(l.UserID) })
}

// workQueues processes each queue of staff once.
func (t *cluster) workQueues(ctx context.Context, r *rand.Rand) {
	for _, work := range []func(context.Context, *rand.Rand){t.reviewCards, t.answerTickets, t.payPayouts, t.moveCoin, t.reviewRisks} {
		work(ctx, r)
	}
}

// leftOver is how many of a queue a month leaves for the next day.
const leftOver = 2

// rest is what of a queue is worked on now.
func (t *cluster) rest(rows []queued) []queued { return rows[:max(0, len(rows)-t.leaves)] }

func (t *cluster) reviewCards(ctx context.Context, r *rand.Rand) {
	for _, card := range t.rest(t.queue(ctx, "/api/admin/gift-cards?status=in_review", "approve")) {
		path := "/api/admin/gift-cards/" + card.ID
		if r.IntN(6) == 0 {
			t.staff[0].post(ctx, path+"/reject", "", map[string]string{"reason": "The code was used already"})
			continue
		}
		for _, who := range t.staff[:2] { // above a day's sum two have to
			who.post(ctx, path+"/reveal", "", nil)
			who.post(ctx, path+"/approve", "", who.seen(ctx, card.ID, map[string]string{"value": card.Value}))
		}
	}
	for _, card := range t.rest(t.queue(ctx, "/api/admin/gift-cards?status=approved", "realise")) {
		t.staff[0].post(ctx, "/api/admin/gift-cards/"+card.ID+"/realise", "", map[string]string{"amount": card.Payout, "reference": "sold " + card.ID})
	}
}

// seen adds to the body of an approval the version of the first one, as the page shows it, where one waits.
func (b *browser) seen(ctx context.Context, id string, body map[string]string) map[string]string {
	var rows []struct{ Version string }
	if got := b.call(ctx, http.MethodGet, "/api/admin/approvals?about="+id, "", nil); got.done() && got.read(&rows) == nil && len(rows) > 0 {
		body["version"] = rows[0].Version
	}
	return body
}

func (t *cluster) answerTickets(ctx context.Context, r *rand.Rand) {
	for _, ticket := range t.rest(t.queue(ctx, "/api/admin/support/tickets?status=open", "reply")) {
		path := "/api/admin/support/tickets/" + ticket.ID
		t.staff[1].post(ctx, path+"/reply", fmt.Sprintf("reply-%s", ticket.ID), map[string]string{"message": "Thank you for writing. We have looked at it, and it is on its way."})
		if r.IntN(2) == 0 {
			t.staff[1].post(ctx, path+"/close", "", nil)
		}
	}
}

func (t *cluster) payPayouts(ctx context.Context, _ *rand.Rand) {
	for _, payout := range t.rest(t.queue(ctx, "/api/admin/payouts?status=requested", "approve")) {
		t.staff[0].post(ctx, "/api/admin/payouts/"+payout.ID+"/approve", "", nil)
	}
	for _, payout := range t.queue(ctx, "/api/admin/payouts?status=approved", "confirm") {
		t.staff[0].post(ctx, "/api/admin/payouts/"+payout.ID+"/confirm", "", map[string]string{"reference": "bank " + payout.ID})
	}
}

// moveCoin approves what the system proposes for wallets that run low.
func (t *cluster) moveCoin(ctx context.Context, _ *rand.Rand) {
	for _, move := range t.queue(ctx, "/api/admin/treasury/moves?status=proposed", "approve") {
		t.staff[0].post(ctx, "/api/admin/treasury/moves/"+move.ID+"/approve", "", nil)
	}
}

func (t *cluster) reviewRisks(ctx context.Context, r *rand.Rand) {
	var reviews []queued
	for _, who := range t.staff { // admins who confirmed an order's money cannot release it
		for _, review := range t.queueOf(ctx, who, "/api/admin/risk/reviews", "release") {
			if !slices.ContainsFunc(reviews, func(q queued) bool { return q.ID == review.ID }) {
				reviews = append(reviews, review)
			}
		}
	}
	for _, review := range t.rest(reviews) {
		verdict := "release"
		if r.IntN(5) == 0 {
			verdict = "refuse"
		}
		for _, who := range t.staff { // above a day's sum two admins must, and none who confirmed the money
			body := map[string]string{"reason": "looked at the account"}
			if verdict == "release" {
				body = who.seen(ctx, review.ID, body)
			}
			who.post(ctx, "/api/admin/risk/reviews/"+review.ID+"/"+verdict, "", body)
		}
	}
}
