package bitgo

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// errEnough ends a walk over keys early.
var errEnough = errors.New("enough")

// show answers a transfer of the call's wallet, unless lookups still miss it.
func (s *Simulator) show(c *call, id string) (int, any, error) {
	t, found, err := loadTransfer(c.tx, id)
	switch {
	case err != nil:
		return 0, nil, err
	case !found || t.Wallet != c.wallet.ID || t.Coin != c.coin.Ticker || t.Visible.After(c.now):
		return 0, nil, missing("transfer")
	}
	set, err := s.settings(c.tx)
	if err != nil {
		return 0, nil, err
	}
	if err := s.walk(c.tx, t, set.Pace, c.now); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, t.view(c.now, set.Pace), nil
}

// commentTransfer changes a transfer's comment.
func (s *Simulator) commentTransfer(c *call) (int, any, error) {
	if err := s.findWallet(c); err != nil {
		return 0, nil, err
	}
	t, found, err := loadTransfer(c.tx, c.r.PathValue("id"))
	if err != nil {
		return 0, nil, err
	}
	if found && t.Wallet == c.wallet.ID && t.Coin == c.coin.Ticker {
		t.Comment = c.fields.text("comment")
		if err := t.save(c.tx); err != nil {
			return 0, nil, err
		}
	}
	return s.show(c, c.r.PathValue("id"))
}

// getTransfer finds a transfer by its id or its transaction's.
func (s *Simulator) getTransfer(c *call) (int, any, error) {
	if err := s.findWallet(c); err != nil {
		return 0, nil, err
	}
	id := c.r.PathValue("id")
	if _, err := c.tx.Get(bucketTx, id, &id); err != nil {
		return 0, nil, err
	}
	return s.show(c, id)
}

// getBySequence finds a transfer by the client's own id.
func (s *Simulator) getBySequence(c *call) (int, any, error) {
	if err := s.findWallet(c); err != nil {
		return 0, nil, err
	}
	id := ""
	if _, err := c.tx.Get(bucketSequence, c.wallet.key()+"/"+c.r.PathValue("seqid"), &id); err != nil {
		return 0, nil, err
	}
	return s.show(c, id)
}

// filter is what a list of transfers is narrowed by.
type filter struct {
	states        []string
	kind, label   string
	address       string
	from, to      time.Time
	after         string // prevId: the list continues after it
	limit         int
	started, more bool
}

func parseFilter(r *http.Request) (*filter, error) {
	query := r.URL.Query()
	f := &filter{kind: query.Get("type"), label: query.Get("searchLabel"), address: query.Get("address"), after: query.Get("prevId"), limit: 25}
	f.started = f.after == ""
	for _, list := range query["state"] {
		f.states = append(f.states, strings.Split(list, ",")...)
	}
	if text := query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 500 {
			return nil, invalid("InvalidRequest", "limit is between 1 and 500")
		}
		f.limit = n
	}
	for name, at := range map[string]*time.Time{"dateGte": &f.from, "dateLt": &f.to} {
		if text := query.Get(name); text != "" {
			t, err := time.Parse(time.RFC3339Nano, text)
			if day, wrong := time.Parse(time.DateOnly, text); wrong == nil {
				t, err = day, nil
			}
			if err != nil {
				return nil, invalid("InvalidRequest", name+" is not a date")
			}
			*at = t
		}
	}
	return f, nil
}

func (f *filter) keeps(t *transfer, now time.Time) bool {
	to := func(r recipient) bool { return r.Address == f.address }
	switch {
	case t.Visible.After(now):
	case len(f.states) > 0 && !slices.Contains(f.states, t.State):
	case f.kind != "" && f.kind != t.Type:
	case f.label != "" && !strings.Contains(t.Comment, f.label) && !strings.Contains(t.SequenceID, f.label):
	case f.address != "" && !slices.ContainsFunc(t.Recipients, to):
	case !f.from.IsZero() && t.Created.Before(f.from), !f.to.IsZero() && !t.Created.Before(f.to):
	default:
		return true
	}
	return false
}

// listTransfers lists a wallet's transfers, newest first; nextBatchPrevId is
// there when there are more.
func (s *Simulator) listTransfers(c *call) (int, any, error) {
	if err := s.findWallet(c); err != nil {
		return 0, nil, err
	}
	f, err := parseFilter(c.r)
	if err != nil {
		return 0, nil, err
	}
	set, err := s.settings(c.tx)
	if err != nil {
		return 0, nil, err
	}
	list := []map[string]any{}
	err = c.tx.Each(bucketListed, c.wallet.key()+"/", func(_ string, raw []byte) error {
		var id string
		if err := json.Unmarshal(raw, &id); err != nil {
			return err
		}
		if !f.started {
			f.started = id == f.after
			return nil
		}
		t, found, err := loadTransfer(c.tx, id)
		if err != nil || !found || !f.keeps(t, c.now) {
			return err
		}
		if len(list) == f.limit {
			f.more = true
			return errEnough
		}
		list = append(list, t.view(c.now, set.Pace))
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return 0, nil, err
	}
	body := map[string]any{"coin": c.coin.Ticker, "transfers": list, "count": len(list)}
	if f.more {
		body["nextBatchPrevId"] = list[len(list)-1]["id"]
	}
	return http.StatusOK, body, nil
}
