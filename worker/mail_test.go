package worker

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/mailtemplate"
	"github.com/tradepost/tradepost/internal/sandbox/mailbox"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// postOffice is the sandbox's mailbox behind an SMTP server that can be closed
// and opened again at the same address.
type postOffice struct {
	*mailbox.Mailbox
	address string
	close   func()
}

func (p *postOffice) open(t *testing.T) {
	t.Helper()
	if p.address == "" {
		p.address = "127.0.0.1:0"
	}
	listener, err := mailbox.Listen(t.Context(), p.address)
	require.NoError(t, err)
	p.address = listener.Addr().(*net.TCPAddr).String()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan struct{})
	go func() { defer close(ended); _ = p.Serve(ctx, listener) }()
	p.close = func() { stop(); <-ended }
	t.Cleanup(p.close)
}

// mails are the mails that arrived for one address, oldest first.
func (h *testCluster) mails(to string) []mailbox.Message {
	h.Helper()
	response, err := http.Get(h.sandbox + "/mailbox/api/messages?to=" + url.QueryEscape(to))
	require.NoError(h, err)
	defer func() { _ = response.Body.Close() }()
	var list []mailbox.Message
	require.NoError(h, json.NewDecoder(response.Body).Decode(&list))
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// deliverMails waits until every mail was sent or given up.
func (h *testCluster) deliverMails() {
	h.Helper()
	require.NoError(h, startMails(h.Context(), h.client))
	h.until("all mails to be sent", func() bool { return h.waitingMails() == 0 })
}

func (h *testCluster) waitingMails() (n int) {
	h.Helper()
	require.NoError(h, h.db.Pool().QueryRow(h.Context(), "SELECT count(*) FROM mails WHERE sent_at IS NULL AND given_up_at IS NULL").Scan(&n))
	return n
}

// appendEvent writes an event of an order, as the product does.
func (h *testCluster) appendEvent(id string, e casework.Event) {
	h.Helper()
	require.NoError(h, order.ChangeOrder(h.Context(), h.db, id, func(c *order.OrderChange) error { return c.Event(e) }))
}

// letters holds an event for each kind of mail, with the data that such an
// event has, and what its mail must say. Every kind of mail has one.
var letters = map[string]struct {
	event casework.Event
	says  []string
}{
	"order_created":       {casework.Event{Kind: "created"}, []string{"0.01 BTC", "Pay by"}},
	"order_confirm":       {casework.Event{Kind: "confirmation_requested"}, []string{"Action needed", "0.01 BTC", "Confirm by", "works once"}},
	"payment_approved":    {casework.Event{Kind: "captured"}, []string{"Your payment is confirmed"}},
	"payment_declined":    {casework.Event{Kind: "declined"}, []string{"We declined your payment"}},
	"order_expired":       {casework.Event{Kind: "expired"}, []string{"it's safe"}},
	"address_held":        {casework.Event{Kind: "address_held"}, []string{"before we send your crypto", "once, within an hour"}},
	"address_unconfirmed": {casework.Event{Kind: "address_unconfirmed"}, []string{"Action needed", "confirmed in time", "Enter the address again"}},
	"address_amended":     {casework.Event{Kind: "address_amended"}, []string{"changed the destination address", "contact support now"}},
	"order_sent":          {casework.Event{Kind: "sent"}, []string{"is on its way", "Network: Bitcoin"}},
	"order_failed":        {casework.Event{Kind: "failed", Data: map[string]any{"step": "buy", "code": "canary-code"}}, []string{"Your money is safe"}},
	"price_waiting":       {casework.Event{Kind: "price_waiting", Data: map[string]any{"dueAt": due}}, []string{dueText, "wait for the price to come back"}},
	"choice_offered": {casework.Event{Kind: "choice_offered", Data: map[string]any{"reason": "failed", "dueAt": due, "default": "refund_now"}},
		[]string{dueText, "Keep trying", "Refund now", "If you don't choose by"}},
	"money_short": {casework.Event{Kind: "money_short", Data: map[string]any{"received": "1400.00", "expected": "1517.50", "dueAt": due}},
		[]string{"$1,400.00", "$1,517.50", dueText, "send the rest"}},
	"money_over":        {casework.Event{Kind: "money_over", Data: map[string]any{"received": "1600", "expected": "1517.50", "dueAt": due}}, []string{"$1,600.00", dueText}},
	"money_late":        {casework.Event{Kind: "money_late", Data: map[string]any{"received": "1517.50", "expected": "1517.50", "dueAt": due}}, []string{"after the order had ended", dueText}},
	"money_credited":    {casework.Event{Kind: "money_credited", Data: map[string]any{"amount": "1517.50"}}, []string{"$1,517.50", "to your balance"}},
	"surplus_held":      {casework.Event{Kind: "surplus_held", Data: map[string]any{"amount": "17.50", "dueAt": due}}, []string{"$17.50", dueText, "continues"}},
	"surplus_credited":  {casework.Event{Kind: "surplus_credited", Data: map[string]any{"amount": "17.50"}}, []string{"$17.50", "to your balance"}},
	"surplus_returning": {casework.Event{Kind: "surplus_returning", Data: map[string]any{"amount": "17.50"}}, []string{"$17.50", "To be sent back"}},
	"surplus_returned":  {casework.Event{Kind: "surplus_returned", Data: map[string]any{"amount": "17.50"}}, []string{"$17.50", "sent"}},
	"receipt_reversed":  {casework.Event{Kind: "receipt_reversed", Data: map[string]any{"amount": "517.50"}}, []string{"$517.50", "our mistake"}},
	"money_returned": {casework.Event{Kind: "money_returned", Data: map[string]any{"amount": "517.50", "taken": "17.50", "owed": "0"}},
		[]string{"$517.50", "$17.50", "reversed the payment"}},
	"return_reinstated": {casework.Event{Kind: "return_reinstated", Data: map[string]any{"amount": "517.50", "credited": "0"}}, []string{"$517.50", "returned a payment"}},
	"address_refused":   {casework.Event{Kind: "attention", Data: map[string]any{"reason": casework.AttentionAddress}}, []string{"Action needed", "another address", "0.01 BTC", "Network: Bitcoin"}},
	"payment_disputed":  {casework.Event{Kind: "attention", Data: map[string]any{"reason": order.AttentionDisputed}}, []string{"is disputed", "until the bank decides"}},
	"refund_bounced":    {casework.Event{Kind: "attention", Data: map[string]any{"reason": order.AttentionRefundFailed}}, []string{"didn't accept", "another way"}},
	"order_frozen":      {casework.Event{Kind: "attention", Data: map[string]any{"reason": casework.AttentionCustomer}}, []string{"account is on hold", "price and amount don't change"}},
	"order_held":        {casework.Event{Kind: "held"}, []string{"on hold to review it"}},
	"refunded":          {casework.Event{Kind: "refunded", Data: map[string]any{"to": "card", "amount": "517.50"}}, []string{"$517.50", "to the card you paid with", "working days"}},
	"refunded_in_part": {casework.Event{Kind: "refunded_in_part", Data: map[string]any{
		"to": "balance", "amount": "17.50", "left": "500.00", "delivers": "0.01 BTC"}},
		[]string{"$17.50", "Not refunded: $500.00", "to your balance", "you still receive all 0.01 BTC"}},
	"coin_offered": {casework.Event{Kind: "coin_offered", Data: map[string]any{
		"to": "balance", "amount": "17.50", "before": "0.01 BTC", "delivers": "0.009 BTC", "until": due}},
		[]string{"$17.50", "to your balance", "0.009 BTC instead of 0.01 BTC", dueText}},
	"coin_restored": {casework.Event{Kind: "coin_restored", Data: map[string]any{
		"to": "card", "amount": "17.50", "before": "0.01 BTC", "delivers": "0.009 BTC"}},
		[]string{"$17.50", "you receive 0.01 BTC"}},
	"authorisation_expiring": {casework.Event{Kind: "authorisation_expiring", Internal: true, Data: map[string]any{"at": due}}, []string{dueText, "Process or decline"}},
	"dispute_opened": {casework.Event{Kind: "dispute_opened", Internal: true, Data: map[string]any{"amount": "517.50", "dueBy": due}},
		[]string{"$517.50", dueText, "Contest"}},
	"dispute_won":          {casework.Event{Kind: "dispute_won", Internal: true, Data: map[string]any{"amount": "517.50"}}, []string{"Dispute won"}},
	"dispute_lost":         {casework.Event{Kind: "dispute_lost", Internal: true, Data: map[string]any{"amount": "517.50"}}, []string{"Dispute lost"}},
	"refunded_at_provider": {casework.Event{Kind: "refunded_at_provider", Data: map[string]any{"amount": "517.50"}}, []string{"$517.50", "nobody made here"}},
}

const (
	due     = "2026-12-24T15:30:00Z"
	dueText = "Thursday, 24 December 2026, 15:30 UTC"
)

// Each kind of mail arrives, once, at its recipient, although its event is written twice;
// and it contains no forbidden value.
func TestBar35EveryMailArrivesOnceAndHoldsNoSecret(t *testing.T) {
	h := open(t)
	h.exec(`UPDATE users SET first_name = '<b>Ada</b>' WHERE id = $1`, h.customer)
	h.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, 'finance', 'test'), ($1, 'admin', 'test')`, h.staff)
	kinds := mailtemplate.Kinds("en")
	for _, m := range order.Mailings {
		require.Contains(t, kinds, m.Kind, "a mail without a letter")
		require.Contains(t, letters, m.Kind, "a mail without a case in this test")
	}
	others := map[string]bool{} // about gift cards, cases and alerts: other tests send them
	for _, kind := range reporting.AlertMailings {
		others[kind] = true
	}
	for _, m := range giftcard.CardMailings {
		others[m.Kind] = true
	}
	for _, rules := range casework.Kinds() {
		for _, m := range rules.Mailings {
			require.Contains(t, kinds, m.Kind, "a mail without a letter")
			others[m.Kind] = true
		}
	}
	require.Len(t, letters, len(kinds)-len(others), "a letter that no event causes")
	for kind, sample := range letters {
		o := h.write("domestic_wire")
		h.deliverMails()
		to := "customer@example.com"
		if sample.event.Internal || kind == "refunded_at_provider" {
			to = "staff@example.com"
		}
		before := len(h.mails(to))
		event := sample.event
		event.Dedupe = "told"
		if kind == order.MailAddressHeld {
			h.holdsAddress(o.ID)
		}
		if kind == order.MailConfirmOrder {
			h.opensLink(casework.KindOrder, o.ID)
		}
		h.appendEvent(o.ID, event)
		h.appendEvent(o.ID, event)
		if kind == "order_failed" { // waits for a better one
			h.advance(2 * time.Minute)
		}
		h.deliverMails()
		arrived := h.mails(to)
		require.Len(t, arrived, before+1, kind)
		mail := arrived[before]
		require.Equal(t, []string{to}, mail.To)
		require.Equal(t, 1, mail.Deliveries)
		h.reads(mail, kind, o, sample.says)
		h.exec(`UPDATE orders SET paid_at = created_at - interval '60 days' WHERE id = $1`, o.ID) // in another month: its customer's limits are not its case
	}
}

// reads checks what a mail says, and what it must not say.
func (h *testCluster) reads(mail mailbox.Message, kind string, order *order.Order, says []string) {
	h.Helper()
	for _, want := range append(says, order.Reference, order.ID) {
		require.Contains(h, mail.Subject+"\n"+mail.Text, want, kind)
	}
	require.NotEmpty(h, mail.Subject, kind)
	require.Contains(h, mail.HTML, `<h1`, kind)
	require.NotContains(h, mail.HTML, "<b>Ada", "names are escaped")
	if mail.To[0] == "customer@example.com" {
		require.Len(h, mail.Links, 2, "%s: its page, and where mails are chosen: %q", kind, mail.Links)
		require.Equal(h, "http://localhost/open?to=/settings/notifications", mail.Links[1], kind)
	} else {
		require.Len(h, mail.Links, 1, "%s: %q", kind, mail.Links)
	}
	require.NotContains(h, mail.Links[0], "token", kind)
	for _, secret := range []string{goodAddress, "canary", "cs_", "/pay/", "pi_", "<no value>", "%!"} {
		require.NotContains(h, mail.Text+mail.HTML+mail.Subject, secret, kind)
	}
	ours := strings.NewReplacer(order.Reference, "", order.ID, "") // which may hold any digits
	require.NotContains(h, ours.Replace(mail.Text+mail.HTML+mail.Subject), "4242", kind)
	if folder := os.Getenv("LETTERS"); folder != "" { // to check them
		require.NoError(h, os.WriteFile(filepath.Join(folder, kind+".html"), []byte(mail.HTML), 0o600))
	}
}

// A successful card order: three mails, each once, and a history without any of them.
func TestMailsOfAGoodOrder(t *testing.T) {
	h := open(t)
	order := h.buy("card")
	h.deliverMails() // before its payment withdraws the first one
	h.authorise(order.ID)
	h.must(order.ID, workflows.Process, nil)
	h.must(order.ID, workflows.Fulfill, nil)
	h.closed(order.ID)
	h.deliverMails()
	var subjects []string
	for _, m := range h.mails("customer@example.com") {
		subjects = append(subjects, strings.ReplaceAll(m.Subject, order.Reference, "TP"))
	}
	require.Equal(t, []string{"Order TP is waiting for your payment", "We received your payment for order TP", "Your 0.01 BTC is on its way (order TP)"}, subjects)
	_, _, text := h.history(order.ID)
	require.NotContains(t, text, "mail")
	h.recordSoFar(workflows.MailsID, "mails")
}

// An order that fails and offers its customer a choice at once causes one mail, not two.
func TestMailOfAFailureIsReplacedByTheChoice(t *testing.T) {
	h := open(t)
	order := h.write("domestic_wire")
	h.appendEvent(order.ID, casework.Event{Kind: "failed"})
	h.appendEvent(order.ID, casework.Event{Kind: "choice_offered", Data: map[string]any{"reason": "failed", "dueAt": due}})
	h.advance(2 * time.Minute)
	h.deliverMails()
	arrived := h.mails("customer@")
	require.Len(t, arrived, 2, "of its creation, and of the choice")
	require.Contains(t, arrived[0].Text+arrived[1].Text, "Keep trying")
}

// A mail server that is away for a week costs no mail: each is sent when it is back.
func TestAMailServerAwayForAWeekCostsNoMail(t *testing.T) {
	h := open(t)
	h.post.close()
	h.write("domestic_wire")
	require.NoError(t, startMails(t.Context(), h.client))
	// A try that is under way when the day ends would be put off from the next day's end on.
	tried := func(day int) (noted bool) {
		require.NoError(t, h.db.Pool().QueryRow(t.Context(), "SELECT coalesce(bool_or(attempts > $1 AND last_error IS NOT NULL), false) FROM mails WHERE given_up_at IS NULL", day).Scan(&noted))
		return noted
	}
	for day := range 8 {
		h.until("a try of that day that failed", func() bool { return tried(day) })
		h.exec(`UPDATE mails SET last_error = NULL`)
		h.advance(24 * time.Hour)
	}
	h.post.open(t)
	h.deliverMails()
	require.Len(t, h.mails("customer@"), 1)
}

// The mail server is away, refuses one address, and comes back: every mail
// arrives once, and the refused one has kept no other waiting.
func TestMailsOutliveTheirServer(t *testing.T) {
	h := open(t)
	other := store.NewID()
	h.exec(`INSERT INTO users (id, issuer, subject, email, email_verified) VALUES ($1, 'test', 'other', 'other@example.com', true)`, other)
	h.exec(`INSERT INTO kyc_records (user_id, level, status) VALUES ($1, 'standard', 'approved')`, other)
	h.post.close()
	first := h.write("domestic_wire")
	h.customer = other
	second := h.write("domestic_wire")
	require.NoError(t, startMails(t.Context(), h.client))
	h.until("both to fail", func() bool {
		var n int
		require.NoError(t, h.db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM mails WHERE attempts > 0 AND last_error = 'unreachable'").Scan(&n))
		return n == 2
	})
	h.control("/control/faults", map[string]any{"provider": "mailbox", "operation": "deliver", "match": "other@", "code": "decline", "count": 1})
	h.post.open(t)
	h.advance(time.Minute)
	h.until("the first to arrive", func() bool { return len(h.mails("customer@")) == 1 })
	h.until("the other to be refused", func() bool {
		record, err := order.ReadOrderRecord(t.Context(), h.db, second.ID)
		require.NoError(t, err)
		return record.Mails[0].LastError != nil && *record.Mails[0].LastError == "answer_451"
	})
	require.Empty(t, h.mails("other@"))
	h.advance(time.Minute)
	h.deliverMails()
	require.Len(t, h.mails("other@"), 1)
	require.Len(t, h.mails("customer@"), 1)
	record, err := order.ReadOrderRecord(t.Context(), h.db, first.ID)
	require.NoError(t, err)
	require.NotNil(t, record.Mails[0].SentAt)
	require.Nil(t, record.Mails[0].LastError)
}
