package kraken

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// clientIDForms are the forms a cl_ord_id may have: a UUID with hyphens, 32 hex
// digits, or up to 18 printable ASCII characters.
var clientIDForms = regexp.MustCompile(`^(?:[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{32}|[!-~]{1,18})$`)

// amountForm is a plain decimal: no sign, no exponent.
var amountForm = regexp.MustCompile(`^\d{1,20}(?:\.\d{1,20})?$`)

const (
	maxDeadline = 60 * time.Second
	orderTypes  = " market limit "
	otherTypes  = " iceberg stop-loss take-profit stop-loss-limit take-profit-limit trailing-stop trailing-stop-limit settle-position "
)

// parseOrder reads an AddOrder request. It answers a Kraken error string.
func parseOrder(f params, who account, now time.Time) (*order, pair, string) {
	p, known := findPair(f["pair"])
	switch {
	case f["pair"] == "":
		return nil, p, wrong("pair")
	case !known:
		return nil, p, errUnknownPair
	}
	o := &order{TxID: newID("O"), Account: who.Name, Pair: p.Key, Side: f["type"], Type: f["ordertype"], Status: "open", Opened: now}
	for _, check := range []func(*order, params, pair) string{parseKind, parseIdentity, parseFlags, parseVolume, parsePrice, parseLife} {
		if problem := check(o, f, p); problem != "" {
			return nil, p, problem
		}
	}
	return o, p, ""
}

func parseKind(o *order, f params, _ pair) string {
	switch {
	case o.Side != "buy" && o.Side != "sell":
		return wrong("type")
	case strings.Contains(otherTypes, " "+o.Type+" "):
		return wrong("ordertype") // conditional orders are not simulated
	case o.Type == "" || !strings.Contains(orderTypes, " "+o.Type+" "):
		return wrong("ordertype")
	case f["leverage"] != "" && f["leverage"] != "none":
		return wrong("leverage")
	case f["price2"] != "" && f["price2"] != "0":
		return wrong("price2")
	}
	return parseExtras(f)
}

// parseExtras refuses what would make another order than the one that is
// placed here: a second order on closing, a hidden volume, a position's end.
func parseExtras(f params) string {
	for name, value := range f {
		if value != "" && strings.HasPrefix(name, "close[") {
			return wrong("close")
		}
	}
	switch {
	case f["displayvol"] != "":
		return wrong("displayvol")
	case f.on("reduce_only"):
		return wrong("reduce_only")
	}
	return ""
}

func parseIdentity(o *order, f params, _ pair) string {
	o.ClientID = f["cl_ord_id"]
	if o.ClientID != "" && !clientIDForms.MatchString(o.ClientID) {
		return wrong("cl_ord_id")
	}
	if text := f["userref"]; text != "" {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || o.ClientID != "" {
			return wrong("userref")
		}
		ref := int32(n)
		o.UserRef = &ref
	}
	return ""
}

func parseFlags(o *order, f params, _ pair) string {
	o.Flags = strings.ReplaceAll(f["oflags"], " ", "")
	for flag := range strings.SplitSeq(o.Flags, ",") {
		if flag != "" && !strings.Contains(" post fcib fciq nompp viqc ", " "+flag+" ") {
			return wrong("oflags")
		}
	}
	switch {
	case o.flagged("fcib") && o.flagged("fciq"), o.flagged("post") && o.Type != "limit":
		return wrong("oflags")
	case o.flagged("viqc") && (o.Type != "market" || o.Side != "buy"):
		return wrong("viqc")
	}
	if !o.flagged("fcib") && !o.flagged("fciq") {
		o.Flags = strings.Trim(o.Flags+",fciq", ",")
	}
	return ""
}

func parseVolume(o *order, f params, p pair) string {
	text := f["volume"]
	if !amountForm.MatchString(text) {
		return wrong("volume")
	}
	o.Volume = decimal.RequireFromString(text)
	if o.flagged("viqc") { // turned into base units once the price is known
		return ""
	}
	if !o.Volume.Equal(o.Volume.Truncate(lotDecimals)) || !o.Volume.IsPositive() {
		return wrong("volume")
	}
	if o.Volume.LessThan(p.OrderMin) {
		return errOrderMinimum
	}
	return ""
}

func parsePrice(o *order, f params, p pair) string {
	if o.Type == "market" {
		return ""
	}
	if !amountForm.MatchString(f["price"]) {
		return wrong("price")
	}
	o.Limit = decimal.RequireFromString(f["price"])
	switch {
	case !o.Limit.IsPositive():
		return errInvalidPrice
	case !o.Limit.Equal(o.Limit.Truncate(p.PriceDecimals)):
		return errInvalidPrice + ":" + p.Alt + " price can only be specified up to " + strconv.Itoa(int(p.PriceDecimals)) + " decimals."
	case !o.Limit.Mod(p.Tick).IsZero():
		return errTickSize
	case costOf(o.Limit, o.Volume).LessThan(p.CostMin):
		return errCostMinimum
	}
	return ""
}

func parseLife(o *order, f params, _ pair) string {
	o.TIF = strings.ToUpper(f["timeinforce"])
	switch o.TIF {
	case "":
		o.TIF = "GTC"
	case "GTC", "IOC", "FOK", "GTD":
	default:
		return wrong("timeinforce")
	}
	if o.Type == "market" && (o.TIF == "GTD" || o.TIF == "FOK") {
		return wrong("timeinforce")
	}
	if start := f["starttm"]; start != "" && start != "0" {
		return wrong("starttm") // scheduled orders are not simulated
	}
	expires, problem := parseExpiry(f["expiretm"], o.Opened)
	if problem == "" && o.TIF == "GTD" && expires.IsZero() {
		problem = wrong("expiretm")
	}
	if o.TIF == "GTD" {
		o.Expires = expires
	}
	return problem
}

// parseExpiry reads expiretm: 0, +seconds from now, or a unix time ahead.
func parseExpiry(text string, now time.Time) (time.Time, string) {
	if text == "" || text == "0" {
		return time.Time{}, ""
	}
	if seconds, relative := strings.CutPrefix(text, "+"); relative {
		n, err := strconv.ParseUint(seconds, 10, 31)
		if err != nil || n < 5 {
			return time.Time{}, wrong("expiretm")
		}
		return now.Add(time.Duration(n) * time.Second), ""
	}
	at, err := parseStamp(text)
	if err != nil || !at.After(now) {
		return time.Time{}, wrong("expiretm")
	}
	return at, ""
}

// checkDeadline judges the deadline, which is transport time: it has elapsed by the wall
// clock, while the simulated clock, which may run ahead, determines what is too far off.
func checkDeadline(text string, wall, simulated time.Time) string {
	if text == "" {
		return ""
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	switch {
	case err != nil, at.After(simulated.Add(maxDeadline)):
		return wrong("deadline")
	case !at.After(wall):
		return errDeadline
	}
	return ""
}
