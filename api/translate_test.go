package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	ledgerapi "github.com/tradepost/tradepost/api/ledger"
	"github.com/tradepost/tradepost/api/rest"
)

// inSpanish is what the header of a page in Spanish says.
var inSpanish = []string{"Accept-Language", "es"}

// The same refusal in both languages: what was typed stands in both, and a program
// reads the same in both.
func TestRefusalsAreSaidInTheLanguageOfTheCall(t *testing.T) {
	h := open(t, unscaled)
	h.exec(`UPDATE payment_methods SET max_order_amount = 50000 WHERE payment_method = 'card'`)
	v, admin := h.customer(), h.customer("admin")
	order := func(change ...string) string { return strings.NewReplacer(change...).Replace(newOrder) }
	voucher := admin.generate("100", "USD").Code
	for _, c := range []struct {
		path, body, english, spanish string
		status                       int
		code, field                  string
	}{
		{"/api/orders", order(btcAddress, btcAddress[:41]+"5"), "This address has a typo. Copy it from your wallet again.",
			"Esta dirección tiene un error. Cópiala de nuevo de tu billetera.", 422, "bad_checksum", "destAddress"},
		{"/api/orders", order("0.01", "0.0009"), "The minimum purchase is $50.00", "La compra mínima es de $50.00", 422, "below_minimum", "amountAsset"},
		{"/api/orders", order("0.01", "0.25"), "The maximum purchase by this payment method is $500.00",
			"La compra máxima con este método de pago es de $500.00", 422, "above_maximum", "amountAsset"},
		{"/api/orders", order("0.01", "0.123456789"), "Enter BTC with at most 8 decimals. The nearest amount is 0.12345679.",
			"Ingresa BTC con 8 decimales como máximo. El monto más cercano es 0.12345679.", 422, "too_fine", "amountAsset"},
		{"/api/orders", order("0.01", "0.123456784"), "Enter BTC with at most 8 decimals. The nearest amount is 0.12345678.",
			"Ingresa BTC con 8 decimales como máximo. El monto más cercano es 0.12345678.", 422, "too_fine", "amountAsset"},
		{"/api/orders", order("0.01", "0.000000001"), "Enter BTC with at most 8 decimals. The nearest amount is 0.00000001.",
			"Ingresa BTC con 8 decimales como máximo. El monto más cercano es 0.00000001.", 422, "too_fine", "amountAsset"},
		{"/api/vouchers/redeem", redemptionOf("1111222233334444"), "Voucher code not found or already redeemed",
			"No encontramos este vale, o ya fue canjeado", 404, "voucher_not_found", "code"},
		{"/api/vouchers/redeem", strings.Replace(redemptionOf(voucher), `"BTC"`, `"DOGE"`, 1), "Choose a cryptocurrency that vouchers pay",
			"Elige una criptomoneda en la que se paguen los vales", 422, "unknown_asset", "cryptoType"},
		{"/api/orders", order(`"card"`, `"card","quantity":"2"`), "quantity: unexpected property", "quantity: este campo no existe", 422, "invalid", "quantity"},
		{"/api/orders", order(`"asset":"BTC",`, ""), "asset: is missing", "asset: falta", 422, "invalid", "asset"},
		{"/api/orders/" + nobody + "/cancel", "", "Order not found", "No encontramos esta orden", 404, "not_found", ""},
	} {
		read := func(headers ...string) rest.Problem {
			a := v.post(c.path, c.body, headers...).refused(c.status, c.code)
			var p rest.Problem
			a.read(&p)
			require.Equal(t, c.field, p.Field)
			require.Equal(t, p.Message, p.Detail)
			require.Contains(t, a.header.Get("Vary"), "Accept-Language")
			if len(p.Errors) > 0 {
				require.True(t, strings.HasSuffix(p.Message, p.Errors[0].Message), p)
				require.Equal(t, c.field, p.Errors[0].Field)
			}
			require.Equal(t, p.Message == c.spanish, a.header.Get("Content-Language") == "es")
			return p
		}
		require.Equal(t, c.english, read().Message)
		require.Equal(t, c.spanish, read(inSpanish...).Message)
		require.Equal(t, c.english, read("Accept-Language", "fr", "Cookie", "lang=es").Message, "a page says its own language, whatever was chosen since")
	}
}

const nobody = "00000000-0000-4000-8000-000000000000"

// Staff's answers are English, and so are those to callers without a language.
func TestStaffAreAnsweredInEnglish(t *testing.T) {
	h := open(t)
	staff := h.customer("admin")
	a := staff.get("/api/admin/orders/"+nobody, inSpanish...).refused(http.StatusNotFound, "not_found")
	require.Equal(t, "Order not found", a.text("message"))
	require.Equal(t, "en", a.header.Get("Content-Language"))
	require.Equal(t, "No autorizado", h.visitor().get("/api/orders", inSpanish...).refused(http.StatusUnauthorized, "unauthorized").text("message"))
	require.Equal(t, "Unauthorized", h.visitor().get("/api/orders").refused(http.StatusUnauthorized, "unauthorized").text("message"))
	require.Equal(t, "No existe", h.visitor().get("/api/nowhere", inSpanish...).refused(http.StatusNotFound, "not_found").text("message"))
}

// What is no refusal and yet a sentence is said in the language of the page as
// well; what is kept for all is kept once for each language.
func TestAnswersSpeakTheLanguageOfTheCall(t *testing.T) {
	h := open(t, unscaled)
	v, admin := h.customer(), h.customer("admin")
	h.credit(v.order("domestic_wire"), v.userID, "refunded", 10050)
	why := func(headers ...string) string {
		var b ledgerapi.Balance
		v.get("/api/balance", headers...).is(http.StatusOK).read(&b)
		return b.Entries[0].Why
	}
	require.Equal(t, "Refund of an order", why())
	require.Equal(t, "Reembolso de una orden", why(inSpanish...))

	admin.turn("signups", "", true).is(http.StatusOK)
	admin.turn("rail", "zelle", true).is(http.StatusOK)
	for range 2 {
		require.Contains(t, h.visitor().get("/api/public/notices").is(http.StatusOK).text("signUps"), "You can't create an account")
		require.Contains(t, h.visitor().get("/api/public/notices", inSpanish...).is(http.StatusOK).text("signUps"), "no puedes crear una cuenta")
	}
	require.Contains(t, string(v.get("/api/limits", inSpanish...).is(http.StatusOK).body), "Este método de pago está en pausa por el momento.")

	// A purchase that was made in one language and asked about in the other.
	made := v.post("/api/orders", newOrder, "Idempotency-Key", "purchase-1").is(http.StatusCreated)
	again := v.post("/api/orders", newOrder, "Idempotency-Key", "purchase-1", "Accept-Language", "es").is(http.StatusCreated)
	require.Equal(t, string(made.body), string(again.body))
	require.Equal(t, "Este Idempotency-Key ya se usó para otra solicitud", v.post("/api/orders", strings.Replace(newOrder, "0.01", "0.02", 1),
		"Idempotency-Key", "purchase-1", "Accept-Language", "es").refused(http.StatusUnprocessableEntity, "key_reused").text("message"))
	done := v.post("/api/orders/"+made.text("id")+"/cancel", "", inSpanish...).is(http.StatusOK)
	require.Equal(t, "Tu orden fue cancelada.", done.text("message"))
}

// Pages of one sentence are in the language that was chosen in the browser.
func TestNoticesAreInTheLanguageOfTheBrowser(t *testing.T) {
	v := open(t).customer()
	page := v.get("/api/logout", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Site", "cross-site", "Accept-Language", "es-MX,es;q=0.9").is(http.StatusOK)
	require.Contains(t, string(page.body), `<html lang="es">`)
	require.Contains(t, string(page.body), "¿Quieres cerrar tu sesión en Tradepost?")
	require.Contains(t, string(page.body), ">Cerrar sesión</button>")
	page = v.get("/api/logout", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Site", "cross-site").is(http.StatusOK)
	require.Contains(t, string(page.body), `<html lang="en">`)
	require.Contains(t, string(page.body), "Do you want to log out of Tradepost?")
}
