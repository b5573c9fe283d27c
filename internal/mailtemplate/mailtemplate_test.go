package mailtemplate_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/mailtemplate"
)

var actions = regexp.MustCompile(`{{[^}]*}}`)

// A mail in another language says what the English one says: the same facts,
// and in the same blocks.
func TestAMailSaysTheSameInEveryLanguage(t *testing.T) {
	for _, language := range mailtemplate.Languages()[1:] {
		for _, kind := range mailtemplate.Kinds(language) {
			show := func(path ...string) (facts []string) {
				raw, err := os.ReadFile(filepath.Join(append([]string{"templates"}, path...)...))
				require.NoError(t, err)
				for _, action := range actions.FindAllString(string(raw), -1) {
					if strings.Contains(action, ".") || strings.Contains(action, "define") {
						facts = append(facts, action)
					}
				}
				slices.Sort(facts)
				return slices.Compact(facts)
			}
			english, other := show(kind+".tmpl"), show(language, kind+".tmpl")
			if kind == "kyc_approved" { // the level has a name of its own
				other = slices.DeleteFunc(other, func(action string) bool { return strings.Contains(action, "if eq .Said.level") })
			}
			require.Equal(t, english, other, "%s in %s", kind, language)
		}
	}
}

func TestAMailInSpanish(t *testing.T) {
	facts := mailtemplate.Facts{Brand: "Tradepost", Name: "Ana", Reference: "TP-1", Coin: "0.01 BTC", Total: "1234.5", Method: "domestic_wire", Language: "es",
		Due: time.Date(2026, 3, 4, 15, 6, 0, 0, time.UTC), Link: "http://localhost/orders/1", Preferences: "http://localhost/settings/notifications"}
	mail, err := mailtemplate.Write("order_created", facts)
	require.NoError(t, err)
	require.Equal(t, "La orden TP-1 espera tu pago", mail.Subject)
	for _, line := range []string{"Hola, Ana:", "Por pagar: $1,234.50", "Método de pago: Transferencia nacional", "Paga antes del: miércoles 4 de marzo de 2026, 15:06 UTC",
		"Te enviamos este correo por la orden TP-1. Tradepost nunca pide tu contraseña, un código ni un pago por correo.", "Elige qué correos recibes: http://localhost/settings/notifications"} {
		require.Contains(t, mail.Text, line)
	}
	for said, spanish := range map[string]string{"Firefox on Windows": "Firefox en Windows", "A browser on an unknown system": "Un navegador en un sistema desconocido"} {
		for language, want := range map[string]string{"es": "Navegador: " + spanish, "en": "Browser: " + said} {
			mail, err = mailtemplate.Write("sign_in_new_device", mailtemplate.Facts{Brand: "Tradepost", Language: language, Link: facts.Link, Said: map[string]string{"device": said}})
			require.NoError(t, err)
			require.Contains(t, mail.Text, want)
		}
	}
	for language, want := range map[string]string{"es": "Te enviamos este correo por la verificación de tu identidad.", "en": "We sent you this e-mail about identity verification."} {
		mail, err = mailtemplate.Write("kyc_approved", mailtemplate.Facts{Brand: "Tradepost", Language: language, Link: facts.Link, About: "identity verification", Reference: "Identity verification"})
		require.NoError(t, err)
		require.Contains(t, mail.Text, want, "its name is its reference, and stands there once")
	}
	mail, err = mailtemplate.Write("kyc_approved", mailtemplate.Facts{Brand: "Tradepost", Language: "es", Link: facts.Link, Said: map[string]string{"level": "enhanced"}})
	require.NoError(t, err)
	require.Contains(t, mail.Text, "Nivel: avanzado", "as the site calls it")
	facts.Language = "tlh"
	mail, err = mailtemplate.Write("order_created", facts)
	require.NoError(t, err)
	require.Equal(t, "Order TP-1 is waiting for your payment", mail.Subject, "a language there is none of is English")
	require.Contains(t, mail.Text, "Pay by: Wednesday, 4 March 2026, 15:06 UTC")
}

// turns read as translated; docs/glossary.md has the terms to use.
var turns = regexp.MustCompile(`(?i)\b(by itself|is mended|waits for a person|lies apart|under way|set aside|worth nothing|taken off|write to us|second factor|need not|shall we)\b`)

func TestMailsKeepToTheGlossary(t *testing.T) {
	for _, kind := range mailtemplate.Kinds("en") {
		raw, err := os.ReadFile(filepath.Join("templates", kind+".tmpl"))
		require.NoError(t, err)
		require.NotRegexp(t, turns, string(raw), kind)
	}
}

// A mail names methods and networks as the pages do, not by their codes.
func TestMailsNameMethodsAndNetworks(t *testing.T) {
	for _, language := range mailtemplate.Languages() {
		facts := mailtemplate.Facts{Brand: "Tradepost", Reference: "TP-1", Coin: "0.01 BTC", Language: language, Link: "http://localhost/orders/1"}
		value := func(kind string) string {
			mail, err := mailtemplate.Write(kind, facts)
			require.NoError(t, err)
			_, value, _ := strings.Cut(regexp.MustCompile(`(?m)^(Payment method|Método de pago|Network|Red): .*$`).FindString(mail.Text), ": ")
			return value
		}
		for _, code := range []string{"card", "domestic_wire", "international_wire", "bank_transfer", "paypal", "zelle", "zelle_pay", "chime", "revolut", "balance"} {
			facts.Method = code
			require.Regexp(t, `^\p{Lu}[\p{L} ]+$`, value("order_created"), code)
		}
		for code, name := range map[string]string{"bitcoin": "Bitcoin", "ethereum": "Ethereum", "tron": "Tron"} {
			facts.Network = code
			require.Equal(t, name, value("order_sent"))
		}
	}
}

// A mail to a customer ends with the company, in both of its forms; without one it ends as it did.
func TestAMailNamesTheCompany(t *testing.T) {
	facts := mailtemplate.Facts{Brand: "Tradepost", Reference: "TP-1", Coin: "0.01 BTC", Link: "http://localhost/orders/1"}
	bare, err := mailtemplate.Write("order_created", facts)
	require.NoError(t, err)
	require.NotContains(t, bare.HTML, "<br>")
	facts.Company = "Ana & Co Ltd · Register 1 · Licence 2"
	named, err := mailtemplate.Write("order_created", facts)
	require.NoError(t, err)
	require.Equal(t, bare.Text+"Ana & Co Ltd · Register 1 · Licence 2\n", named.Text)
	require.Contains(t, named.HTML, "Ana &amp; Co Ltd · Register 1 · Licence 2")
}
