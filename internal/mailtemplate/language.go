package mailtemplate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/i18n"
	"github.com/tradepost/tradepost/models/money"
)

// language is the text common to all mails in one language.
type language struct {
	Code   string // BCP 47
	Or     string // before the link, written out
	Choose string // which mails one gets

	folder            string // of its templates
	hello, helloTo    string
	reason, neverAsks string
	abouts            map[string]string
	on                string            // between a browser and its system; empty: as it is written
	strangers         map[string]string // browsers and systems that are not known
	days, months      []string          // as they are written within a sentence; nil: as Go does
	date              string            // day of the week, day, month, year, time
}

// languages are the languages, the first for those who have chosen none.
var languages = []*language{
	{
		Code: "en", Or: "Or open", Choose: "Choose which e-mails you get",
		hello: "Hello,", helloTo: "Hello %s,",
		reason: "We sent you this e-mail about %s.", neverAsks: " never asks for your password, a code or a payment by e-mail.",
		date: "%[1]s, %[2]d %[3]s %[4]d, %[5]s UTC",
	},
	{
		Code: "es", Or: "O abre", Choose: "Elige qué correos recibes",
		folder: "es", hello: "Hola:", helloTo: "Hola, %s:",
		reason: "Te enviamos este correo por %s.", neverAsks: " nunca pide tu contraseña, un código ni un pago por correo.",
		abouts: map[string]string{
			"order": "la orden", "gift card": "la tarjeta de regalo", "voucher": "el vale", "payout": "el retiro", "reward": "la recompensa",
			"bank return": "la devolución del banco",
			"ticket":      "el ticket", "account": "tu cuenta", "data export": "la copia de tus datos", "identity verification": "la verificación de tu identidad",
			"the security of your account": "la seguridad de tu cuenta",
		},
		on: " en ", strangers: map[string]string{"A browser": "Un navegador", "an unknown system": "un sistema desconocido"},
		days:   []string{"domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"},
		months: []string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"},
		date:   "%[1]s %[2]d de %[3]s de %[4]d, %[5]s UTC",
	},
}

// Languages lists the codes of the languages that mails are written in.
func Languages() []string {
	var codes []string
	for _, t := range languages {
		codes = append(codes, t.Code)
	}
	return codes
}

// languageOf is the language of a code, or the first.
func languageOf(code string) *language {
	for _, t := range languages {
		if t.Code == code {
			return t
		}
	}
	return languages[0]
}

func (t *language) greeting(name string) string {
	if name == "" {
		return t.hello
	}
	return fmt.Sprintf(t.helloTo, name)
}

// because is the line that explains why a mail was sent. An object of which each customer
// has one has no reference but its own name, which is not repeated.
func (t *language) because(f Facts) string {
	about, reference := cmp.Or(f.About, "order"), f.Reference
	if strings.EqualFold(about, reference) {
		reference = ""
	}
	return fmt.Sprintf(t.reason, strings.TrimSpace(cmp.Or(t.abouts[about], about)+" "+reference))
}

// moment formats a time, or one in an event's text, for a person.
func (t *language) moment(at any) string {
	var when time.Time
	switch given := at.(type) {
	case time.Time:
		when = given
	case string:
		when, _ = time.Parse(time.RFC3339, given)
	}
	if when.IsZero() {
		return ""
	}
	when = when.UTC()
	day, month := when.Weekday().String(), when.Month().String()
	if t.days != nil {
		day, month = t.days[when.Weekday()], t.months[when.Month()-1]
	}
	return fmt.Sprintf(t.date, day, when.Day(), month, when.Year(), when.Format("15:04"))
}

// method names a payment method.
func (t *language) method(code string) string {
	if i := slices.IndexFunc(money.Rails, func(r money.Rail) bool { return r.Code == code }); i >= 0 {
		return i18n.In(t.Code, money.Rails[i].Name)
	}
	return strings.ReplaceAll(code, "_", " ")
}

// network names a network; one without a name, by its code.
func network(code string) string { return cmp.Or(money.NetworkOf(code).Name, code) }

// device names a browser, which the API calls "Firefox on Windows".
func (t *language) device(said string) string {
	browser, system, both := strings.Cut(said, " on ")
	if !both || t.on == "" {
		return said
	}
	return cmp.Or(t.strangers[browser], browser) + t.on + cmp.Or(t.strangers[system], system)
}
