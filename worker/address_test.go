package worker

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/workflows"
)

// holdsAddress has an order wait for the link of another address.
func (h *testCluster) holdsAddress(id string) {
	h.Helper()
	h.exec(`UPDATE orders SET status = 'filled', paid_at = clock_now(), attention_reason = 'address_refused', attention_since = clock_now() WHERE id = $1`, id)
	h.exec(`INSERT INTO held_addresses (order_id, user_id, address, address_key, refused_at, expires_at)
		SELECT id, user_id, $2, $2, attention_since, clock_now() + interval '1 hour' FROM orders WHERE id = $1`, id, otherAddress)
}

// named is the customer's decision to send to another address.
func (h *testCluster) named(id string) order.NewDecision {
	return order.NewDecision{OrderID: id, Kind: workflows.AmendAddress, ActorID: h.customer, ActorRole: "customer", Own: true,
		Data: order.AmendedAddress{Address: otherAddress, AddressKey: otherAddress}}
}

// linkOf is the token in the newest mail to the customer, and its subject.
func (h *testCluster) linkOf() (subject, token string) {
	h.Helper()
	h.deliverMails()
	all := h.mails("customer@example.com")
	mail := all[len(all)-1]
	link, err := url.Parse(mail.Links[0])
	require.NoError(h, err)
	token, _ = strings.CutPrefix(link.Fragment, "address=")
	require.True(h, strings.HasPrefix(link.RawQuery, "to=/orders/"), link.RawQuery)
	if token != "" {
		require.NotContains(h, link.RawQuery, token)
	}
	return mail.Subject, token
}

// Custody refuses an address; its customer names another one, lets the link expire, names
// it again and confirms it: the coin goes there. The token is in the mail alone.
func TestBar35TheLinkOfAnAddressIsInItsMailAlone(t *testing.T) {
	h := open(t)
	h.arm("bitgo", "sendcoins", "decline:400:InvalidAddress")
	o := h.paid()
	h.must(o.ID, workflows.Fulfill, nil)
	h.attention(o.ID, casework.AttentionAddress)

	require.NoError(t, order.HoldAddress(t.Context(), h.db, h.named(o.ID)))
	_, first := h.linkOf()
	require.Len(t, first, 52, "260 bits")
	h.advance(order.HeldAddressLife + time.Minute)
	h.sweep()
	subject, _ := h.linkOf()
	require.Contains(t, subject, "still needs another address")

	h.priced()
	require.NoError(t, order.HoldAddress(t.Context(), h.db, h.named(o.ID)))
	_, token := h.linkOf()
	_, err := order.ConfirmAddress(t.Context(), h.db, first, h.named(o.ID))
	require.Equal(t, "address_link_gone", store.ReasonOf(err))
	decision, err := order.ConfirmAddress(t.Context(), h.db, token, h.named(o.ID))
	require.NoError(t, err)
	outcome, decided, err := h.client.Decide(t.Context(), o.ID, workflows.AmendAddress, decision.ID, 40*time.Second)
	require.NoError(t, err)
	require.True(t, decided)
	require.True(t, outcome.OK(), outcome)
	require.Equal(t, otherAddress, h.closed(o.ID).DestAddress)
	require.Equal(t, 1, h.effects()["bitgo/send"])
	_, _, text := h.history(o.ID)
	require.NotContains(t, text, token)
	h.books()
}

// The mail of a link that is over before it could leave is not sent, and raises no alert.
func TestAMailWithoutALinkIsNotSent(t *testing.T) {
	h := open(t)
	order := h.write("domestic_wire")
	h.deliverMails()
	h.post.close()
	h.holdsAddress(order.ID)
	h.appendEvent(order.ID, casework.Event{Kind: "address_held"})
	require.NoError(t, startMails(t.Context(), h.client))
	h.until("the mail to be tried", func() bool {
		var tried bool
		require.NoError(t, h.db.Pool().QueryRow(t.Context(), `SELECT attempts > 0 AND last_error IS NOT NULL FROM mails WHERE kind = 'address_held'`).Scan(&tried))
		return tried
	})
	h.exec(`DELETE FROM held_addresses`)
	before := len(h.mails("customer@example.com"))
	h.post.open(t)
	h.advance(time.Minute)
	h.deliverMails()
	require.Len(t, h.mails("customer@example.com"), before)
	var why string
	require.NoError(t, h.db.Pool().QueryRow(t.Context(), `SELECT last_error FROM mails WHERE kind = 'address_held' AND given_up_at IS NOT NULL`).Scan(&why))
	require.Equal(t, casework.MailReplaced, why)
}
