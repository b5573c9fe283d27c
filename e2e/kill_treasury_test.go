package e2e

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// coinMove is a move of coin as staff see it.
type coinMove struct {
	ID, Status, Withdrawal, TxID string
}

// struckMoves are the places at which a process is killed while coin is moved from the exchange to a wallet. The first
// ones are struck in every run: between the decision to send and the send, between the send and its record, and before
// the record of what arrived. The others are of the whole matrix.
var struckMoves = []struct {
	process, transaction, moment string
	person                       bool // nothing was sent, which cannot be proved: an admin decides
}{
	{"exchange", "StartMove", "after", true},
	{"exchange", "MarkMoveSent", "before", false},
	{"custody", "MarkMoveArrived", "before", false},
	{"exchange", "StartMove", "before", false},
	{"exchange", "MarkMoveSent", "after", false},
	{"exchange", "RecordMove", "before", false},
	{"custody", "MarkMoveArrived", "after", false},
	{"api", "DecideMove", "after", false},
	{"core", "LoadMove", "after", false},
}

// always is the number of them that every run covers.
const always = 3

// Wherever a process dies while coin moves: it leaves the exchange once, arrives once, and the books agree with the
// providers.
func TestBar25KilledWhileCoinMoves(t *testing.T) {
	m := &matrix{points: newFailpoints(t)}
	ownStack(t, withFailpoints, map[string]string{"HEARTBEAT_TIMEOUT": "3s", "RETRY_FIRST": "500ms", "RETRY_MOST": "2s", "SWEEP_INTERVAL": "1s", "SWEEP_GRACE": "3s", "SWEEP_REVIVE": "5s",
		"FOLLOW_FIRST": "500ms", "FOLLOW_UNASKED": "500ms", "FOLLOW_MOST": "2s", "SEND_LOOKUP": "4s", "LOOKUP_GAP": "500ms"}, "FAILPOINTS_DIR="+m.points.dir)
	control(t, http.MethodPost, "/control/kraken/tier", map[string]string{"tier": "unlimited"}, nil)
	control(t, http.MethodPost, "/control/kraken/payouts", map[string]string{"seconds": "0"}, nil)
	control(t, http.MethodPost, "/control/bitgo/pace", map[string]string{"unconfirmed": "0s", "confirmed": "0s", "block": "0s"}, nil)
	struck := struckMoves
	if !*wholeMatrix {
		struck = struck[:always]
	}
	first, second := signedIn(t, "alice@example.com"), signedIn(t, "bob@example.com")
	for _, s := range struck {
		t.Run(s.process+" "+s.moment+" "+s.transaction, func(t *testing.T) {
			move := coinMove{}
			first.post("/api/admin/treasury/moves", map[string]string{"asset": "BTC", "network": "bitcoin", "amount": "0.25", "reason": "the test"}, &move)
			point, err := m.points.arm(failpoint{Process: s.process, Transaction: s.transaction, Moment: s.moment, Match: move.ID})
			require.NoError(t, err)
			now := func() (at coinMove) {
				first.try(t.Context(), http.MethodGet, "/api/admin/treasury/moves/"+move.ID, "", nil, &at)
				return at
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			go second.try(ctx, http.MethodPost, "/api/admin/treasury/moves/"+move.ID+"/approve", "", struct{}{}, nil)
			until(t, "the process to stand still", func() bool { return m.points.stopped(point) })
			require.NoError(t, m.strike(ctx, s.process, []*standing{{release: func() error { return m.points.release(point) }}}))
			asked := false
			require.NoError(t, insist(ctx, "the coin to arrive", func() bool { return now().Status == "arrived" }, func() {
				if now().Status != "unknown" {
					return
				}
				asked = true
				second.try(ctx, http.MethodPost, "/api/admin/treasury/moves/"+move.ID+"/resolve", "", map[string]string{"outcome": "resend", "reason": "Kraken shows none"}, nil)
			}))
			require.Equal(t, s.person, asked, "a person is asked where nobody can know, and only there")
			arrivedOnce(t, now())
		})
	}
	var withdrawn int
	var made []struct {
		Provider, Operation string
		Count               int
	}
	control(t, http.MethodGet, "/control/effects", nil, &made)
	for _, effect := range made {
		if effect.Provider == "kraken" && effect.Operation == "withdraw" {
			withdrawn += effect.Count
		}
	}
	require.Equal(t, len(struck), withdrawn, "one withdrawal a move")
	require.NoError(t, balanceBooks(t.Context()))
}

// arrivedOnce searches a move's coin among what arrived in the wallet.
func arrivedOnce(t *testing.T, move coinMove) {
	t.Helper()
	var receipts []struct{ TxID, Amount, State string }
	control(t, http.MethodGet, "/control/bitgo/receipts", nil, &receipts)
	n := 0
	for _, r := range receipts {
		if r.TxID == move.TxID && r.Amount == "24998000" {
			n++
		}
	}
	require.Equal(t, 1, n, "%+v", receipts)
}
