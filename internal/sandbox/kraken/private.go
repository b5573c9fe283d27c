package kraken

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// call is one authenticated request inside its transaction.
type call struct {
	tx     *sandbox.Tx
	who    account
	fields params
	now    time.Time
	set    settings
	trick  tricks
}

// tricks are the armed faults that change an order's course.
type tricks struct {
	refuse, refuseAfter   string
	portion, worse, jumpy string
	payout                string // a withdrawal's end
	lag                   int
}

// privateCall is what a private method gives: its result, or a refusal. Any other
// error is the simulator's own and undoes the transaction.
type privateCall func(*call) (any, error)

func (s *Simulator) privateCalls() map[string]privateCall {
	return map[string]privateCall{
		"Balance": s.balances, "BalanceEx": s.extendedBalances, "TradeBalance": s.tradeBalance,
		"AddOrder": s.addOrder, "AddOrderBatch": s.addOrderBatch, "CancelOrder": s.cancelOrder, "CancelAll": s.cancelAll, "CancelOrderBatch": s.cancelBatch,
		"QueryOrders": s.queryOrders, "OpenOrders": s.openOrders, "ClosedOrders": s.closedOrders,
		"TradesHistory": s.tradesHistory, "QueryTrades": s.queryTrades,
		"Ledgers": s.ledgers, "QueryLedgers": s.queryLedgers, "TradeVolume": s.tradeVolume,
		"WithdrawInfo": s.withdrawInfo, "Withdraw": s.withdraw, "WithdrawStatus": s.withdrawStatus,
		"WithdrawCancel": s.withdrawCancel, "WithdrawAddresses": s.withdrawAddresses, "WithdrawMethods": s.withdrawMethods,
		"OpenPositions": openPositions, "GetApiKeyInfo": s.keyInfo,
		"DepositMethods": s.depositMethods, "DepositAddresses": s.depositAddresses, "DepositStatus": s.depositStatus,
	}
}

// private serves one method: User-Agent, key and signature first, then under
// the armed faults the nonce, the REST counter and the method in one
// transaction. The nonce is used up even when the method refuses.
func (s *Simulator) private(method string, run privateCall) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, 1<<20))
		if err != nil || r.Header.Get("User-Agent") == "" {
			gateway(rw, http.StatusForbidden)
			return
		}
		if r.Method != http.MethodPost {
			reply(rw, nil, errUnknownMethod)
			return
		}
		who, fields, problem := s.authenticate(r, body)
		if problem != "" {
			reply(rw, nil, problem)
			return
		}
		about := s.subjects(who, fields)
		s.world.Guard(rw, r, "kraken", method, about, guarded(rw), func() (int, any) {
			return s.perform(method, run, who, fields, about)
		})
	}
}

// guarded writes an answer of perform, or a gateway's error for an injected one.
func guarded(rw http.ResponseWriter) func(int, any, string) {
	return func(status int, body any, injected string) {
		if injected != "" {
			gateway(rw, status)
			return
		}
		writeJSON(rw, body)
	}
}

// envelope is the body of every answer.
type envelope struct {
	Error  []string `json:"error"`
	Result any      `json:"result,omitempty"`
}

// perform runs the method and makes its envelope.
func (s *Simulator) perform(method string, run privateCall, who account, fields params, about []string) (int, any) {
	trick := s.takeTricks(method, about)
	var result any
	var refused refusal
	err := s.world.Store.Update(func(tx *sandbox.Tx) error {
		c := &call{tx: tx, who: who, fields: fields, now: s.world.Clock.Now(), trick: trick}
		problem, err := s.admit(c, method)
		if err != nil {
			return err
		}
		if problem == "" {
			result, err = run(c)
		} else {
			refused = refusal(problem)
		}
		// A method refuses before it writes, so that the nonce can be kept.
		if errors.As(err, &refused) {
			return nil
		}
		return err
	})
	switch {
	case err != nil:
		s.world.Log.Error("kraken", "method", method, "error", err)
		return http.StatusOK, envelope{Error: []string{errInternal}}
	case refused != "":
		return http.StatusOK, envelope{Error: []string{string(refused)}}
	case trick.refuseAfter != "":
		return http.StatusOK, envelope{Error: []string{trick.refuseAfter}}
	}
	return http.StatusOK, envelope{Error: []string{}, Result: result}
}

// admit uses up the nonce, and checks the REST counter and the injected refusal.
func (s *Simulator) admit(c *call, method string) (problem string, err error) {
	if problem, err = takeNonce(c.tx, c.who, c.fields["nonce"]); problem != "" || err != nil {
		return problem, err
	}
	if c.set, err = s.settings(c.tx); err != nil {
		return "", err
	}
	if !c.set.permits(method) {
		return errPermission, nil
	}
	l := c.set.limitsOf(c.who)
	if points := restPoints(method); points > 0 && !s.counters.add("rest/"+c.who.Key, points, l.rest, l.restDecay, c.now) {
		return errRateLimit, nil
	}
	return c.trick.refuse, nil
}

// takeTricks uses up the faults armed for the request.
func (s *Simulator) takeTricks(method string, subjects []string) (t tricks) {
	take := func(codes ...string) sandbox.Fault {
		fault, _ := s.world.Faults.TakeCode("kraken", method, codes, subjects...)
		return fault
	}
	switch fault := take("decline", "decline_after", "insufficient"); fault.Code {
	case "decline":
		t.refuse = fault.Arg
	case "decline_after":
		t.refuseAfter = fault.Arg
	case "insufficient":
		t.refuse = errFunds
	}
	if method == "Withdraw" {
		t.payout = take("withdrawal_failed", "withdrawal_held").Code
		t.lag = take("lag").Seconds()
	}
	if method == "AddOrder" {
		t.portion, t.worse = take("part_fill").Arg, take("worse_fill").Arg
		t.jumpy = take("price_jump").Arg
		t.lag = take("lag").Seconds()
	}
	return t
}

// subjects are what a fault can be aimed at: what the request names, and the client's ids
// of orders that it requests by ours.
func (s *Simulator) subjects(who account, fields params) []string {
	list := s.clientsOwn(who, fields["txid"])
	for _, name := range []string{"cl_ord_id", "userref", "txid", "pair", "volume", "amount", "key", "asset", "refid"} {
		if fields[name] != "" {
			list = append(list, fields[name])
		}
	}
	return list
}

func (s *Simulator) clientsOwn(who account, txids string) (ids []string) {
	if txids == "" {
		return nil
	}
	_ = s.world.Store.View(func(tx *sandbox.Tx) error { // what cannot be read is no subject
		orders, err := loadAll(tx, who.Name, strings.Split(txids, ","))
		for _, o := range orders {
			ids = append(ids, o.ClientID)
		}
		return err
	})
	return ids
}

// reply writes an envelope: HTTP 200 whatever happened.
func reply(rw http.ResponseWriter, result any, problem string) {
	if problem != "" {
		writeJSON(rw, envelope{Error: []string{problem}})
		return
	}
	writeJSON(rw, envelope{Error: []string{}, Result: result})
}

func writeJSON(rw http.ResponseWriter, body any) {
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(rw).Encode(body)
}

// gateway answers as the proxy before the API does: a status and no JSON.
func gateway(rw http.ResponseWriter, status int) {
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	rw.WriteHeader(status)
	_, _ = io.WriteString(rw, "<html><body><h1>"+strings.TrimSpace(strconv.Itoa(status)+" "+http.StatusText(status))+"</h1></body></html>\n")
}
