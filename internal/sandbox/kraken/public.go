package kraken

import (
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// publicCall answers a call without a key: a result or an error string.
type publicCall func(f params, now time.Time) (any, string)

func (s *Simulator) publicCalls() map[string]publicCall {
	return map[string]publicCall{
		"Time": serverTime, "SystemStatus": s.systemStatus, "Assets": listAssets, "AssetPairs": s.listPairs,
		"Ticker": s.ticker, "OHLC": s.candles, "Depth": s.depth, "Trades": s.trades, "Spread": s.spread,
	}
}

// publicFields are those of the query and of the body, regardless of the body's
// Content-Type: some clients post a form without one.
func publicFields(rw http.ResponseWriter, r *http.Request) (params, error) {
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	fields := flatten(r.URL.Query())
	posted, err := parseBody(r.Header.Get("Content-Type"), body)
	maps.Copy(fields, posted)
	return fields, err
}

// public serves one method; GET and POST alike.
func (s *Simulator) public(method string, run publicCall) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("User-Agent") == "" {
			gateway(rw, http.StatusForbidden)
			return
		}
		fields, err := publicFields(rw, r)
		if err != nil {
			reply(rw, nil, errInvalidArguments)
			return
		}
		s.world.Guard(rw, r, "kraken", method, s.subjects(account{}, fields), guarded(rw), func() (int, any) {
			if fault, armed := s.world.Faults.TakeCode("kraken", method, []string{"decline"}, s.subjects(account{}, fields)...); armed {
				return http.StatusOK, envelope{Error: []string{fault.Arg}}
			}
			result, problem := run(fields, s.world.Clock.Now())
			if problem != "" {
				return http.StatusOK, envelope{Error: []string{problem}}
			}
			return http.StatusOK, envelope{Error: []string{}, Result: result}
		})
	}
}

func serverTime(_ params, now time.Time) (any, string) {
	return map[string]any{"unixtime": now.Unix(), "rfc1123": now.Format("Mon, _2 Jan 06 15:04:05 -0700")}, ""
}

func (s *Simulator) systemStatus(_ params, now time.Time) (any, string) {
	status := ""
	err := s.world.Store.View(func(tx *sandbox.Tx) error {
		set, err := s.settings(tx)
		status = set.Status
		return err
	})
	if err != nil {
		return nil, errInternal
	}
	return map[string]string{"status": status, "timestamp": now.Format(time.RFC3339)}, ""
}

func listAssets(f params, _ time.Time) (any, string) {
	result := map[string]any{}
	show := func(a asset) {
		result[a.Code] = map[string]any{"aclass": "currency", "altname": a.Alt, "decimals": a.Decimals, "display_decimals": a.Display, "status": "enabled"}
	}
	if f["asset"] == "" {
		for _, a := range assets {
			show(a)
		}
		return result, ""
	}
	for name := range strings.SplitSeq(f["asset"], ",") {
		a, known := findAsset(strings.TrimSpace(name))
		if !known {
			return nil, errUnknownAsset
		}
		show(a)
	}
	return result, ""
}

// pairsNamed resolves a list of pairs; all when it is empty.
func pairsNamed(list string) ([]pair, string) {
	if list == "" {
		return pairs, ""
	}
	var named []pair
	for name := range strings.SplitSeq(list, ",") {
		p, known := findPair(strings.TrimSpace(name))
		if !known {
			return nil, errUnknownPair
		}
		named = append(named, p)
	}
	return named, ""
}

// listedPairs are the pairs of a list, all when it is empty. One that was taken off the list is not known.
func (s *Simulator) listedPairs(list string) (named []pair, problem string) {
	named, problem = pairsNamed(list)
	if problem != "" {
		return nil, problem
	}
	err := s.world.Store.View(func(tx *sandbox.Tx) error {
		set, err := s.settings(tx)
		named = slices.DeleteFunc(slices.Clone(named), func(p pair) bool {
			gone := slices.Contains(set.Unlisted, p.Key)
			if gone && list != "" {
				problem = errUnknownPair
			}
			return gone
		})
		return err
	})
	if err != nil {
		return nil, errInternal
	}
	return named, problem
}

// onePair is the market that a call is about and cannot do without.
func onePair(f params) (pair, string) {
	p, known := findPair(f["pair"])
	switch {
	case f["pair"] == "":
		return p, errInvalidArguments
	case !known:
		return p, errUnknownPair
	}
	return p, ""
}

func (s *Simulator) listPairs(f params, now time.Time) (any, string) {
	named, problem := s.listedPairs(f["pair"])
	if problem != "" {
		return nil, problem
	}
	mode, problem := s.systemStatus(nil, now)
	if problem != "" {
		return nil, problem
	}
	status := mode.(map[string]string)["status"]
	result := map[string]any{}
	for _, p := range named {
		result[p.Key] = map[string]any{
			"altname": p.Alt, "wsname": p.WS, "aclass_base": "currency", "base": p.Base,
			"aclass_quote": "currency", "quote": p.Quote, "lot": "unit",
			"cost_decimals": costDecimals, "pair_decimals": p.PriceDecimals, "lot_decimals": lotDecimals, "lot_multiplier": 1,
			"leverage_buy": []int{}, "leverage_sell": []int{},
			"fees":                schedule(func(t feeTier) string { return t.Taker }),
			"fees_maker":          schedule(func(t feeTier) string { return t.Maker }),
			"fee_volume_currency": "ZUSD", "margin_call": 80, "margin_stop": 40,
			"ordermin": p.OrderMin.String(), "costmin": p.CostMin.String(), "tick_size": p.Tick.String(), "status": status,
		}
	}
	return result, ""
}

// ticker is providers §2.4: everything text but the trade counts.
func (s *Simulator) ticker(f params, now time.Time) (any, string) {
	named, problem := s.listedPairs(f["pair"])
	if problem != "" {
		return nil, problem
	}
	result := map[string]any{}
	for _, p := range named {
		w := s.walkOf(p)
		today, day := s.window(p, now.Truncate(24*time.Hour), now), s.window(p, now.Add(-24*time.Hour), now)
		result[p.Key] = map[string]any{
			"a": []string{five(w.quote.Ask), "10", "10.000"}, "b": []string{five(w.quote.Bid), "10", "10.000"},
			"c": []string{five(w.last), "0.01000000"},
			"v": []string{today.volume.StringFixed(8), day.volume.StringFixed(8)},
			"p": []string{five(today.average()), five(day.average())}, "t": []int64{today.count, day.count},
			"l": []string{five(today.low), five(day.low)}, "h": []string{five(today.high), five(day.high)},
			"o": five(today.open),
		}
	}
	return result, ""
}

func five(d decimal.Decimal) string { return d.StringFixed(5) }

// depth is the book: one level a side, of plenty.
func (s *Simulator) depth(f params, now time.Time) (any, string) {
	p, problem := onePair(f)
	if problem != "" {
		return nil, problem
	}
	level := func(price decimal.Decimal) [][]any {
		return [][]any{{five(price), "1000000.000", now.Unix()}}
	}
	top := s.quoteOf(p)
	return map[string]any{p.Key: map[string]any{"asks": level(top.Ask), "bids": level(top.Bid)}}, ""
}

// intervals of OHLC, in minutes.
var intervals = map[string]bool{"1": true, "5": true, "15": true, "30": true, "60": true, "240": true, "1440": true, "10080": true, "21600": true}

// candles is OHLC: up to 720 rows, of which the last is not finished.
func (s *Simulator) candles(f params, now time.Time) (any, string) {
	p, problem := onePair(f)
	if problem != "" {
		return nil, problem
	}
	text := f["interval"]
	if text == "" {
		text = "1"
	}
	if !intervals[text] {
		return nil, wrong("interval")
	}
	minutes, _ := strconv.Atoi(text)
	step := time.Duration(minutes) * time.Minute
	from := now.Truncate(step).Add(-719 * step)
	if since, err := parseStamp(f["since"]); err == nil && since.After(from) {
		from = since.Truncate(step).Add(step)
	}
	rows := [][]any{}
	for at := from; !at.After(now); at = at.Add(step) {
		w := s.window(p, at, minTime(at.Add(step), now))
		rows = append(rows, []any{at.Unix(), five(w.open), five(w.high), five(w.low), five(w.close), five(w.average()), w.volume.StringFixed(8), w.count})
	}
	return map[string]any{p.Key: rows, "last": now.Truncate(step).Add(-step).Unix()}, ""
}

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
