package typed

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// Invisible reports whether a character is displayed as nothing at all: format characters, such as zero-width blanks,
// marks of direction and the soft hyphen, and fillers.
func Invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) ||
		unicode.Is(unicode.Variation_Selector, r)
}

// dash reports whether a character is written as a dash: all of Unicode's, and the minus sign.
func dash(r rune) bool { return unicode.Is(unicode.Pd, r) || r == '\u2212' || r == '\u2043' }

// blank reports whether a character is white space, or is displayed as it.
func blank(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Zs, r) || r == '\u2800' }

// Line is a text of one line: without invisible characters, with ordinary blanks, and none at its ends.
func Line(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case Invisible(r):
			return -1
		case blank(r):
			return ' '
		}
		return r
	}, text))
}

// Code is a code or a number as it is compared: without blanks, dashes and invisible characters, and full-width
// characters as ordinary ones.
func Code(text string) string {
	return strings.Map(func(r rune) rune {
		if dash(r) || blank(r) || Invisible(r) {
			return -1
		}
		return digit(r)
	}, narrow(text))
}

// Reference is what a bank or an exchange calls a payment, as it is stored and compared: of ordinary width, with
// ordinary dashes, single blanks and no invisible characters. One payment has one reference, however it was copied.
func Reference(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if dash(r) {
			return '-'
		}
		return r
	}, Line(width.Fold.String(text)))), " ")
}

// narrow makes full-width characters ordinary ones. Nothing else is folded.
func narrow(text string) string { return width.Narrow.String(text) }

// digit is the ASCII digit of a decimal digit in any script, or the character itself. Decimal digits stand in runs of
// ten (the Unicode Standard, section 4.6).
func digit(r rune) rune {
	if r < utf8.RuneSelf || !unicode.Is(unicode.Nd, r) {
		return r
	}
	for _, span := range unicode.Nd.R16 {
		if rune(span.Lo) <= r && r <= rune(span.Hi) {
			return '0' + (r-rune(span.Lo))%10
		}
	}
	for _, span := range unicode.Nd.R32 {
		if rune(span.Lo) <= r && r <= rune(span.Hi) {
			return '0' + (r-rune(span.Lo))%10
		}
	}
	return r
}

// Upper is Code in capital letters.
func Upper(text string) string { return strings.ToUpper(Code(text)) }

// Expiry reads the month in which a card expires as "MM/YY": from 09/30, 9/2030, 0930, 092030, 2030-09 and the like.
// What is none of them is returned as a line, for the caller to refuse.
func Expiry(text string) string {
	line := Line(narrow(text))
	parts := strings.FieldsFunc(strings.Map(digit, line), func(r rune) bool {
		return r == '/' || r == '.' || dash(r) || blank(r)
	})
	for _, part := range parts {
		if strings.ContainsFunc(part, func(r rune) bool { return r < '0' || r > '9' }) {
			return line
		}
	}
	month, year := "", ""
	switch {
	case len(parts) == 2 && len(parts[0]) == 4:
		month, year = parts[1], parts[0]
	case len(parts) == 2:
		month, year = parts[0], parts[1]
	case len(parts) == 1 && (len(parts[0]) == 4 || len(parts[0]) == 6):
		month, year = parts[0][:2], parts[0][2:]
		if len(parts[0]) == 6 && month == "20" && parts[0][4:] <= "12" { // 203009
			month, year = parts[0][4:], parts[0][:4]
		}
	}
	if len(month) == 1 {
		month = "0" + month
	}
	if len(year) == 4 && year[:2] == "20" {
		year = year[2:]
	}
	if len(month) != 2 || len(year) != 2 {
		return line
	}
	return month + "/" + year
}

// farthest is the time zone whose day begins first.
var farthest = time.FixedZone("UTC+14", 14*60*60)

// LatestDay is today where the day began first. A bank's day of value is at most that.
func LatestDay(now time.Time) time.Time {
	year, month, day := now.In(farthest).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// Password is the form in which a password is stored (NFC): keyboards write the same character in different ways.
func Password(text string) string { return norm.NFC.String(text) }
