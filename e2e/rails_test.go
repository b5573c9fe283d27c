package e2e

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local"
)

// A wire: instructions with the reference, a receipt from the customer, the
// exact amount confirmed by staff, coin sent.
func TestWireOrderIsConfirmedAndSent(t *testing.T) {
	t.Parallel()
	customer, bob, alice := verified(t), signedIn(t, local.DemoSecondAdmin), admin(t)
	o := customer.buy(some(t, "BTC", "0.004").by("domestic_wire"))
	instructed(t, customer.order(o.ID))
	uploaded := customer.upload(o.ID, "receipt", "receipt.png", picture(t))
	require.Equal(t, http.StatusCreated, uploaded.status, string(uploaded.body))

	p := bob.payment(o.ID)
	require.NotEmpty(t, p.CustomerSubmittedAt)
	shown := bob.open(stack.SiteURL() + p.Validation.ReceiptURL)
	require.Equal(t, http.StatusOK, shown.status)
	_, err := png.Decode(bytes.NewReader(shown.body))
	require.NoError(t, err, "the receipt is an image for staff to look at")
	stranger := newVisitor(t)
	require.Equal(t, http.StatusUnauthorized, stranger.open(stack.SiteURL()+p.Validation.ReceiptURL).status)

	confirm := "/api/admin/payments/" + p.ID + "/confirm"
	receipt := map[string]string{"amount": o.QuoteFiat, "receivedOn": today(t), "bankReference": "WIRE-" + o.Reference}
	for field, wrong := range map[string]string{"amount": "0", "receivedOn": "2031-02-30", "bankReference": " "} {
		bad := map[string]string{"amount": receipt["amount"], "receivedOn": receipt["receivedOn"], "bankReference": receipt["bankReference"]}
		bad[field] = wrong
		status, said := bob.refused(confirm, bad)
		require.Contains(t, []int{http.StatusConflict, http.StatusUnprocessableEntity}, status, field)
		require.NotEmpty(t, said.Message, field)
	}
	require.Equal(t, "pending", customer.order(o.ID).Status)
	bob.post(confirm, receipt, nil)
	customer.reaches(o.ID, "payment_approved")
	status, said := bob.refused("/api/admin/orders/"+o.ID+"/fulfill", map[string]string{})
	require.Equal(t, http.StatusForbidden, status)
	require.Equal(t, "own_receipt", said.Code, "on whose word the money came sends no coin")
	alice.decide(o.ID, "fulfill", "")
	customer.reaches(o.ID, "sent")
	require.Equal(t, map[string]int{"kraken/fill": 1, "bitgo/send": 1}, effects(t, o.ID))
	balanced(t, o.ID)

	// The bank's reference confirms one order only.
	other := customer.buy(some(t, "BTC", "0.004").by("domestic_wire"))
	receipt["amount"] = other.QuoteFiat
	status, said = bob.refused("/api/admin/payments/"+bob.payment(other.ID).ID+"/confirm", receipt)
	require.Equal(t, http.StatusConflict, status)
	require.Equal(t, "bank_reference_used", said.Code)
}

// Every rail without a card has instructions, and can be rejected.
func TestRailsWithoutACardAreRejectedWithAReason(t *testing.T) {
	t.Parallel()
	customer, staff := verified(t), admin(t)
	for _, rail := range []string{"international_wire", "bank_transfer", "paypal", "zelle", "zelle_pay", "chime", "revolut"} {
		o := customer.buy(some(t, "USDC", "60.").by(rail))
		instructed(t, customer.order(o.ID))
		reject := "/api/admin/payments/" + staff.payment(o.ID).ID + "/reject"
		status, _ := staff.refused(reject, map[string]string{"reason": ""})
		require.Equal(t, http.StatusUnprocessableEntity, status, rail)
		staff.post(reject, map[string]string{"reason": "never arrived"}, nil)
		customer.ends(o.ID, "declined")
		require.Empty(t, effects(t, o.ID), rail)
		require.Empty(t, movements(t, o.ID), rail)
	}
}

// instructed checks that an order says where to send the money, and under what
// reference.
func instructed(t *testing.T, o order) {
	t.Helper()
	for _, line := range o.Payment.Instructions {
		if strings.Contains(line.Value, o.Reference) {
			return
		}
	}
	require.Fail(t, "no instruction names the order's reference", "%+v", o.Payment.Instructions)
}

// picture is a small PNG.
func picture(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, image.NewGray(image.Rect(0, 0, 40, 30))))
	return out.Bytes()
}

// today is the date of the database's clock.
func today(t *testing.T) string {
	t.Helper()
	var now time.Time
	require.NoError(t, database.QueryRow(t.Context(), "SELECT clock_now()").Scan(&now))
	return now.UTC().Format(time.DateOnly)
}
