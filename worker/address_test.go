package worker

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/workflows"
)

// holdsAddress has an order wait for the link of another address.
func (h *house) holdsAddress(id string) {
	h.Helper()
	h.exec(`UPDATE orders SET status = 'filled', paid_at = clock_now(), attention_reason = 'address_refused', attention_since = clock_now() WHERE id = $1`, id)
	h.exec(`INSERT INTO held_addresses (order_id, user_id, address, address_key, refused_at, expires_at)
		SELECT id, user_id, $2, $2, attention_since, clock_now() + interval '1 hour' FROM orders WHERE id = $1`, id, otherAddress)
}

// named is the customer's decision to send to another address.
func (h *house) named(id string) models.NewDecision {
	return models.NewDecision{OrderID: id, Kind: workflows.AmendAddress, ActorID: h.customer, ActorRole: "customer", Own: true,
		Data: models.AmendedAddress{Address: otherAddress, AddressKey: otherAddress}}
}

// linkOf is the token that the newest mail to the customer carries, and its subject.
func (h *house) linkOf() (subject, token string) {
	h.Helper()
	h.deliverMails()
	all := h.mails("customer@example.com")
	mail := all[len(all)-1]
	link, err := url.Parse(mail.Links[0])
	require.NoError(h, err)
	require.Empty(h, link.RawQuery)
	return mail.Subject, strings.TrimPrefix(link.Fragment, "address=")
}

// Custody refuses an address; its customer names another one, lets the link expire, names
// it again and confirms it: the coin goes there. The token is in the mail alone.
func TestBar35TheLinkOfAnAddressIsInItsMailAlone(t *testing.T) {
	h := open(t)
	h.arm("bitgo", "sendcoins", "decline:400:InvalidAddress")
	order := h.paid()
	h.must(order.ID, workflows.Fulfill, nil)
	h.attention(order.ID, models.AttentionAddress)

	require.NoError(t, h.db.HoldAddress(t.Context(), h.named(order.ID)))
	_, first := h.linkOf()
	require.Len(t, first, 52, "260 bits")
	h.advance(models.HeldAddressLife + time.Minute)
	h.sweep()
	subject, _ := h.linkOf()
	require.Contains(t, subject, "still needs another address")

	h.priced()
	require.NoError(t, h.db.HoldAddress(t.Context(), h.named(order.ID)))
	_, token := h.linkOf()
	_, err := h.db.ConfirmAddress(t.Context(), first, h.named(order.ID))
	require.Equal(t, "address_link_gone", models.ReasonOf(err))
	decision, err := h.db.ConfirmAddress(t.Context(), token, h.named(order.ID))
	require.NoError(t, err)
	outcome, decided, err := h.client.Decide(t.Context(), order.ID, workflows.AmendAddress, decision.ID, 40*time.Second)
	require.NoError(t, err)
	require.True(t, decided)
	require.True(t, outcome.OK(), outcome)
	require.Equal(t, otherAddress, h.closed(order.ID).DestAddress)
	require.Equal(t, 1, h.effects()["bitgo/send"])
	_, _, text := h.history(order.ID)
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
	h.tell(order.ID, models.Event{Kind: "address_held"})
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
	require.Equal(t, models.MailReplaced, why)
}
