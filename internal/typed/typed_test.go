package typed

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCodesAreUnderstoodAsTheyArePasted(t *testing.T) {
	for text, want := range map[string]string{
		"123 456": "123456", " 123456": "123456", "123-456": "123456", "\u200b123\u2011456\ufeff": "123456",
		"１２３４５６": "123456", "123\u00a0456": "123456", "١٢٣٤٥٦": "123456", "1234\u202f5678": "12345678", "𝟏𝟐𝟑": "123",
		" 4242  4242\u20114242–4242": "4242424242424242", "ab\u00adcd": "abcd", "１２ａＢ": "12aB",
	} {
		require.Equal(t, want, Code(text), "%+q", text)
	}
	require.Equal(t, "AB12", Upper(" ab-12 "))
	require.Equal(t, "12é4", Code("12é4"), "a visible character is refused, not guessed")
}

func TestOnePaymentHasOneReference(t *testing.T) {
	for _, text := range []string{
		"FED-W1 7", " FED-W1  7\n", "FED\u2011W1\u00a07", "\u200eFED-W1 7\u202c", "ＦＥＤ－Ｗ１　７",
		"FED\u2212W1\t7", "F\u00adED-W1 \u200b7",
	} {
		require.Equal(t, "FED-W1 7", Reference(text), "%+q", text)
	}
	require.Equal(t, "fed w1", Reference("fed w1"), "case and blanks may be a part of it")
	require.Equal(t, "Müller/カ1", Reference("Müller/ｶ１"), "other letters are kept")
	require.Empty(t, Reference("\u200b\u00a0"))
}

func TestExpiryDatesAreUnderstoodAsTheyAreWritten(t *testing.T) {
	for text, want := range map[string]string{
		"09/30": "09/30", "9/30": "09/30", "09/2030": "09/30", "9/2030": "09/30", "2030-09": "09/30", "0930": "09/30", "092030": "09/30",
		"203009": "09/30", " 09 / 30 ": "09/30", "09\u201130": "09/30", "０９／３０": "09/30", "09\u200b/30": "09/30", "09.30": "09/30", "09–2030": "09/30",
		"202030": "20/30", "13/30": "13/30", "09/1930": "09/1930", "x": "x", "09//3": "09//3", "": "", "1/2/3": "1/2/3", "2030/9": "09/30",
	} {
		require.Equal(t, want, Expiry(text), "%+q", text)
	}
}

func TestAddressesAreReadOutOfWhatIsPasted(t *testing.T) {
	const segwit = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"
	for text, want := range map[string]Link{
		segwit: {Address: segwit},
		"bc1qar0srrr7xfkvy5l643lydnw9re\u200b59gtzzwf5mdq\n": {Address: segwit},
		"bc1qar0 srrr7xfkvy5l643lydnw9re59gtzzwf5mdq":        {Address: segwit},
		"BITCOIN:BC1QAR0?AMOUNT=0.5&label=a":                 {Scheme: "bitcoin", Address: "BC1QAR0", Amount: "0.5"},
		"bitcoin://bc1qar0?amount=%30.5":                     {Scheme: "bitcoin", Address: "bc1qar0", Amount: "0.5"},
		"bitcoin:bc1qar0?req-x=1#y":                          {Scheme: "bitcoin", Address: "bc1qar0", Required: []string{"req-x"}},
		"Ethereum:pay-0xAb?value=1":                          {Scheme: "ethereum", Address: "0xAb", Amount: "1"},
		"lightning:x":                                        {Address: "lightning:x"},
		"":                                                   {},
	} {
		require.Equal(t, want, Address(text, "bitcoin", "ethereum", "tron"), "%+q", text)
	}
}

func TestNamesAreRefusedForWhatIsNotDisplayedAlone(t *testing.T) {
	for _, name := range []string{
		"Col·lell", "ジョン・スミス", "می\u200cخواهم", "O’Brien", "O‘Brien", "\u201cJack\u201d", "Jean\u2011Luc", "José", "X Æ A-12", "李", "N'Golo",
		"D\u02bcArcy", "Müller-Łuczak", "ʻOkina", "Mary (Polly)", "Nguyễn", "👩\u200d💻", "4", strings.Repeat("ä", MaxName), "Sr.", "a\u0308",
		"\u200fشيرين", "Ng\u0303", "=SUM(1)", "<b>", "Smith & Co", "¡", "\U0001F1E6",
	} {
		_, fault := Name(name)
		require.Empty(t, fault, "%+q", name)
	}
	for name, want := range map[string]NameFault{
		"": NameEmpty, " ": NameEmpty, "\u200b\u200d": NameEmpty, "\u3164": NameEmpty, "\u2800": NameEmpty, "\u00ad": NameEmpty, "\ufe0f": NameEmpty, "\u00a0": NameEmpty,
		"a\x00b": NameControl, "a\nb": NameControl, "a\u202eb": NameControl, "a\u2066b": NameControl, "a\u2028b": NameControl, "a\x7f": NameControl, "a\u0085b": NameControl,
		"a\xff": NameControl, strings.Repeat("a", MaxName+1): NameLong,
	} {
		_, fault := Name(name)
		require.Equal(t, want, fault, "%+q", name)
	}
	name, _ := Name(" n\u0303\u00a0 o ")
	require.Equal(t, "ñ o", name)
}

func TestOneAddressHasOneKey(t *testing.T) {
	for _, spelled := range []string{
		"Ana@Bücher.example", "ana@bu\u0308cher.example", "ANA@XN--BCHER-KVA.example", " ana@xn--bcher-kva.example", "ana@bücher。example", "ana@BÜCHER.EXAMPLE",
		"ana@bü\u200bcher.example", "ana＠bücher.example",
	} {
		require.Equal(t, "ana@xn--bcher-kva.example", EmailKey(spelled), "%+q", spelled)
		require.Contains(t, EmailForms(spelled), "ana@bücher.example", "%+q", spelled)
		require.Contains(t, EmailForms(spelled), "ana@xn--bcher-kva.example", "%+q", spelled)
	}
	require.Equal(t, "Ana@bücher.example", Email(" Ana@XN--BCHER-KVA.example "))
	require.Equal(t, "Ana@xn--bcher-kva.example", ASCIIEmail("Ana@bücher.example"))
	require.NotEqual(t, EmailKey("a@straße.example"), EmailKey("a@strasse.example"), "these are two domains")
	require.NotEqual(t, EmailKey("a@exаmple.com"), EmailKey("a@example.com"), "a Cyrillic letter")
	require.Equal(t, "a@b_c.example", EmailKey("A@b_c.example"), "what is no domain stays")
	require.Equal(t, "nobody", EmailKey(" Nobody "))
	require.Equal(t, []string{"bücher", "xn--bcher-kva"}, EmailForms("Bücher"))
	require.Equal(t, []string{"ana"}, EmailForms("Ana"))
}

func TestTheBanksDayIsTodayAnywhere(t *testing.T) {
	at := time.Date(2026, 11, 29, 9, 59, 59, 0, time.UTC)
	require.Equal(t, "2026-11-29", LatestDay(at).Format(time.DateOnly))
	require.Equal(t, "2026-11-30", LatestDay(at.Add(time.Second)).Format(time.DateOnly))
}

func TestPasswordsHaveOneForm(t *testing.T) {
	require.Equal(t, Password("ma\u00f1ana"), Password("man\u0303ana"))
	require.NotEqual(t, Password("ﬁ"), Password("fi"), "nothing that looks different is made the same")
}

// hostile are strings of the kinds of characters that pasting brings, and of any.
var hostile = rapid.StringOf(rapid.OneOf(rapid.RuneFrom([]rune("0123456789/-. @abcXYZ:?&=%#\u00a0\u200b\u2011\ufeff\u202e\u00ad１９٣\u0303ñüß\u3164。\u2028")), rapid.Rune()))

// properties are what holds of every string.
func properties(t require.TestingT, text string) {
	for name, clean := range map[string]func(string) string{
		"line": Line, "code": Code, "upper": Upper, "expiry": Expiry, "email": Email, "key": EmailKey, "ascii": ASCIIEmail, "password": Password,
		"reference": Reference,
		"address":   func(s string) string { return Address(s, "bitcoin").Address },
		"name":      func(s string) string { name, _ := Name(s); return name },
	} {
		once := clean(text)
		if name != "address" && utf8.ValidString(text) { // a link in a link is no address
			require.Equal(t, once, clean(once), "%s of %+q", name, text)
		}
		if utf8.ValidString(text) {
			require.True(t, utf8.ValidString(once), "%s of %+q", name, text)
		}
	}
	code := Code(text)
	require.False(t, strings.ContainsFunc(code, func(r rune) bool { return unicode.IsSpace(r) || Invisible(r) }), "%+q", text)
	require.Equal(t, strings.Count(text, "Z"), strings.Count(Code(strings.ReplaceAll(text, "Ｚ", "")), "Z"), "nothing is cut from %+q", text)
	if name, fault := Name(text); fault == "" {
		require.LessOrEqual(t, utf8.RuneCountInString(name), MaxName)
		require.False(t, strings.ContainsFunc(name, unicode.IsControl))
	}
	require.LessOrEqual(t, len(EmailForms(text)), 3)
}

func TestCleaningIsTheSameTwiceAndCutsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { properties(t, hostile.Draw(t, "text")) })
}

func FuzzCleaning(f *testing.F) {
	for _, text := range []string{"123 456", "09/2030", "bitcoin:x?amount=1", "a@bücher.example", "a\u202eb", "\xff", "xn--a@xn--"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { properties(t, text) })
}
