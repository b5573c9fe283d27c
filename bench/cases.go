package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"mime/multipart"
	"net/http"
	"time"

	"github.com/tradepost/tradepost/models/voucher"
	"github.com/tradepost/tradepost/workflows"
)

// voucherSizes are the numbers of vouchers among which a code is looked up.
var voucherSizes = []int{1_000, 1_000_000}

// caseWay is a case other than an order: prepare creates what a round needs, and carry executes it once and returns the
// id of its workflow.
type caseWay struct {
	what    string
	prepare func(ctx context.Context) error
	perform func(ctx context.Context, i int) (workflow string, err error)
}

// measureCases compares the redeeming of vouchers and the review of gift cards with empty workflows of the same shape,
// and looks up codes among a growing number of vouchers.
func (h *platform) measureCases(ctx context.Context, p plan, r *report) error {
	bare, err := h.bareWorkflows()
	if err != nil {
		return err
	}
	defer bare.close()
	codes := make(chan string, codesAtHand)
	for _, m := range []caseWay{
		{"vouchers from redeemed to sent", func(ctx context.Context) error { return h.mint(ctx, codes) },
			func(ctx context.Context, i int) (string, error) {
				return h.redeem(ctx, h.customers[i%len(h.customers)], codes)
			}},
		{"gift cards from submitted to approved", func(context.Context) error { return nil },
			func(ctx context.Context, i int) (string, error) {
				return h.review(ctx, h.customers[i%len(h.customers)])
			}},
	} {
		if err := h.measureCase(ctx, p, r, bare, m); err != nil {
			return fmt.Errorf("%s: %w", m.what, err)
		}
	}
	return h.measureCodes(ctx, r, codes)
}

func (h *platform) measureCase(ctx context.Context, p plan, r *report, bare *bareWorkflows, m caseWay) error {
	if err := m.prepare(ctx); err != nil {
		return err
	}
	one, err := m.perform(ctx, 0)
	if err != nil {
		return err
	}
	form, err := bare.shapeOf(ctx, one)
	if err != nil {
		return err
	}
	nothing := func(ctx context.Context, _ int) error { return bare.run(ctx, rand.Text(), form) }
	perform := func(ctx context.Context, i int) error { _, err := m.perform(ctx, i); return err }
	var ours, theirs, ratios, apart []float64
	for round := range p.rounds + 1 {
		if err := m.prepare(ctx); err != nil {
			return err
		}
		b, _, err := rate(ctx, p.clients, p.round, nothing)
		if err != nil {
			return err
		}
		a, _, err := rate(ctx, p.clients, p.round, func(ctx context.Context, _ int) error { return bare.run(ctx, rand.Text(), form.apart()) })
		if err != nil {
			return err
		}
		before := h.cpuTimes()
		o, took, err := rate(ctx, p.clients, p.round, perform)
		if err != nil {
			return err
		}
		text, total := perOne(before, h.cpuTimes(), len(took))
		if round == 0 {
			continue // both are warm now
		}
		ours, theirs, ratios, apart = append(ours, o), append(theirs, b), append(ratios, o/b), append(apart, a)
		fmt.Printf("  round: %.1f %s, %.1f bare/s; processor time of one: %s, together %s\n", o, m.what, b, text, total.Round(time.Millisecond))
	}
	r.ratio("matters", fmt.Sprintf("%s (%s), %d at a time", m.what, form, p.clients), median(ours), median(theirs), median(ratios), 0.5, "/s")
	if form.Activities > 0 {
		r.note("matters", "the same, its activities in a process of their own", fmt.Sprintf("%.1f/s; ours %.2f of it", median(apart), median(ours)/median(apart)))
	}
	return nil
}

// codesAtHand is how many vouchers there are at the beginning of a round.
const codesAtHand = 1000

// mint has the admin make vouchers until there are enough.
func (h *platform) mint(ctx context.Context, codes chan string) error {
	for len(codes) < cap(codes) {
		code, err := h.voucher(ctx)
		if err != nil {
			return err
		}
		codes <- code
	}
	return nil
}

func (h *platform) voucher(ctx context.Context) (string, error) {
	var made struct{ Code string }
	err := h.admin.call(ctx, http.MethodPost, h.stack.SiteURL()+"/api/admin/vouchers", `{"amount":"25","currency":"USD"}`, &made)
	return made.Code, err
}

// redeem redeems a voucher, and waits until its coin is sent.
func (h *platform) redeem(ctx context.Context, who *person, codes chan string) (workflow string, err error) {
	var code string
	select {
	case code = <-codes:
	default: // quicker than was thought: it makes its own
		if code, err = h.voucher(ctx); err != nil {
			return "", err
		}
	}
	var redeemed struct{ ID string }
	body := fmt.Sprintf(`{"code":%q,"cryptoType":"BTC","walletAddress":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}`, code)
	if err := who.call(ctx, http.MethodPost, h.stack.SiteURL()+"/api/vouchers/redeem", body, &redeemed); err != nil {
		return "", err
	}
	return workflows.CaseID(voucher.KindVoucher, redeemed.ID), h.awaitRow(ctx, redeemed.ID, "SELECT status = 'sent' FROM voucher_redemptions WHERE id = $1")
}

// review sells a gift card, which the admin approves as soon as it is in review.
func (h *platform) review(ctx context.Context, who *person) (workflow string, err error) {
	var form bytes.Buffer
	fields := multipart.NewWriter(&form)
	for name, value := range map[string]string{"brand": "amazon", "value": "40", "cardType": "regular", "cardCode": "TP" + rand.Text()[:10], "pin": "4711"} {
		_ = fields.WriteField(name, value) // a write into memory does not fail
	}
	_ = fields.Close()
	site := h.stack.SiteURL()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, site+"/api/gift-cards", &form)
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", fields.FormDataContentType())
	var card struct{ ID string }
	if err := who.send(request, &card); err != nil {
		return "", err
	}
	if err := h.awaitRow(ctx, card.ID, "SELECT status = 'in_review' FROM gift_cards WHERE id = $1"); err != nil {
		return "", err
	}
	at := site + "/api/admin/gift-cards/" + card.ID
	if err := h.admin.call(ctx, http.MethodPost, at+"/reveal", "", nil); err != nil {
		return "", err
	}
	return workflows.GiftCardID(card.ID), h.admin.call(ctx, http.MethodPost, at+"/approve", `{"value":"40"}`, nil)
}

// awaitRow waits until a condition on a row holds: it reads the row on each notification of a change.
func (h *platform) awaitRow(ctx context.Context, id, query string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	notices, leave := h.ear.join(id)
	defer leave()
	for {
		var there bool
		if err := h.db.QueryRow(ctx, query, id).Scan(&there); err != nil || there {
			return err
		}
		select {
		case <-notices:
		case <-ctx.Done():
			return fmt.Errorf("%s stands still", id)
		}
	}
}

// measureCodes validates a code among more and more vouchers.
func (h *platform) measureCodes(ctx context.Context, r *report, codes chan string) error {
	if err := h.mint(ctx, codes); err != nil {
		return err
	}
	who, code := h.customers[0], <-codes
	var times []grownTime
	for _, size := range voucherSizes {
		begun := time.Now()
		if err := h.vouchers(ctx, size); err != nil {
			return err
		}
		fmt.Printf("  %d vouchers, made in %s\n", size, time.Since(begun).Round(time.Second))
		one, err := h.inTurns(ctx, who, func() error {
			return who.call(ctx, http.MethodPost, h.stack.SiteURL()+"/api/vouchers/validate", fmt.Sprintf(`{"code":%q}`, code), nil)
		})
		if err != nil {
			return err
		}
		times = append(times, one)
	}
	r.atMost("matters", fmt.Sprintf("validating a code among %d and %d vouchers", voucherSizes[0], voucherSizes[1]), list(times), "",
		times[1].ratio()/times[0].ratio(), 1.5, "×")
	return nil
}

// vouchers creates the missing vouchers; their codes are never shown.
func (h *platform) vouchers(ctx context.Context, n int) error {
	return h.bulk(ctx, []string{
		`SET session_replication_role = replica`, `SET synchronous_commit = off`, // no triggers, foreign keys included
		fmt.Sprintf(`INSERT INTO vouchers (id, reference, batch_id, amount, currency, usd_value, status, code_hash, expires_at, created_by)
			SELECT gen_random_uuid(), 'VC-' || upper(substring(md5(n::text || random()), 1, 14)), gen_random_uuid(), 2500, 'USD', 2500, 'active',
				sha256((n::text || random())::bytea), now() + interval '1 year', '%s' FROM generate_series((SELECT count(*) FROM vouchers) + 1, %d) n`, h.admin.id, n),
		`INSERT INTO tally_changes SELECT 'vouchers', NULL, 'active', (SELECT count(*) FROM vouchers WHERE status = 'active') - coalesce(sum(n), 0), 0
			FROM (SELECT n FROM tallies WHERE list = 'vouchers' AND facet = 'active' UNION ALL SELECT n FROM tally_changes WHERE list = 'vouchers' AND facet = 'active') t`,
	})
}
