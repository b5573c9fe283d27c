package api

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/store"
)

// wire is the way to Postgres. It can be cut after so many messages of ours,
// and then leads nowhere until it is mended.
type wire struct {
	net.Listener
	to string

	mu     sync.Mutex
	left   int // messages that still come through; negative is all
	struck bool
	open   map[net.Conn]net.Conn
}

// newWire lays a wire to the server of a connection string, and returns the
// string that leads over it.
func newWire(t *testing.T, dsn string) (w *wire, over string) {
	t.Helper()
	address, err := url.Parse(dsn)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w = &wire{Listener: listener, to: address.Host, left: -1, open: map[net.Conn]net.Conn{}}
	t.Cleanup(func() { _ = listener.Close() })
	go w.serve()
	address.Host = listener.Addr().String()
	return w, address.String()
}

func (w *wire) serve() {
	for {
		ours, err := w.Accept()
		if err != nil {
			return
		}
		theirs, err := net.Dial("tcp", w.to)
		if err != nil || !w.joined(ours, theirs) {
			_ = ours.Close()
			continue
		}
		go func() { _, _ = io.Copy(ours, theirs) }()
		go w.pass(ours, theirs)
	}
}

func (w *wire) joined(ours, theirs net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left == 0 {
		return theirs.Close() != nil
	}
	w.open[ours] = theirs
	return true
}

// pass forwards our messages, one at a time.
func (w *wire) pass(ours, theirs net.Conn) {
	message := make([]byte, 64<<10)
	for {
		n, err := ours.Read(message)
		if err != nil || !w.lets() {
			break
		}
		if _, err := theirs.Write(message[:n]); err != nil {
			break
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.open, ours)
	_, _ = ours.Close(), theirs.Close()
}

// lets counts a message; the first that may not pass cuts all that is open.
func (w *wire) lets() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left > 0 {
		w.left--
		return true
	}
	if w.left < 0 {
		return true
	}
	w.struck = true
	for ours, theirs := range w.open {
		_, _ = ours.Close(), theirs.Close()
	}
	return false
}

// cutAfter has the wire cut after so many messages; a negative number mends it.
func (w *wire) cutAfter(messages int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left, w.struck = messages, false
}

func (w *wire) cut() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.struck
}

// Bar 27: Postgres fails before, and during, every call, at each message that the call
// sends it. The answer is 503 with Retry-After, or complete where no more was needed; never
// 500, and when Postgres returns, so does the site.
func TestBar27PostgresGoesInTheMiddleOfEveryCall(t *testing.T) {
	var w *wire
	h := open(t, func(d *Dependencies) {
		var over string
		w, over = newWire(t, d.DB.Pool().Config().ConnString())
		db, err := store.Open(t.Context(), over, store.Options{MaxConns: 2})
		require.NoError(t, err)
		t.Cleanup(db.Close)
		d.DB, d.Quoter = db, pricing.NewQuoter(db, d.SecretKey)
	})
	v := h.customer("admin", "finance", "compliance", "support")
	id := v.order("domestic_wire")
	payment := one[string](h, `SELECT id::text FROM payments WHERE order_id = $1`, id)
	reported, stride, claim := 0, 1, asvs.Claim(t, "16.5.2")
	if testing.Short() {
		stride = 3
	}
	for i, op := range operations(t) {
		entered := false
		for messages, struck := i%stride, true; struck; messages += stride {
			require.NoError(t, h.server.DB.Pool().Ping(t.Context())) // connects again, so that the call's own messages are counted
			w.cutAfter(messages)
			a := v.on(op, id, payment)
			h.server.background.Wait()
			struck = w.cut()
			w.cutAfter(-1)
			require.Less(t, messages, 100, "%s has no end", op.id)
			if a.status == http.StatusUnauthorized && !entered { // a call before signed it out
				v.enter()
				entered, struck = true, true
				messages -= stride
				continue
			}
			entered = false
			if a.status < 500 || op.id == "getReadiness" {
				continue
			}
			require.Equal(t, http.StatusServiceUnavailable, a.status, "%s, cut after %d messages: %s: %s", op.id, messages, a.body, claim)
			require.NotEmpty(t, a.header.Get("Retry-After"), "%s, cut after %d messages: %s", op.id, messages, a.body)
			reported++
		}
	}
	require.Greater(t, reported, 100)
}

// sentBodies are what calls are sent that want more than a reason.
var sentBodies = map[string]string{
	"createOrder": newOrder, "buy": newOrder, "calculatePricing": newOrder, "amendOrderAddress": `{"reason":"x","destAddress":"` + btcAddress + `"}`,
	"requoteOrder": `{"quoteId":"x"}`,
}

// on sends an operation about an order and its payment, with a body that it
// accepts where that is easily said.
func (v *visitor) on(op operation, id, payment string) *answer {
	v.Helper()
	if op.id == "streamEvents" {
		return v.call(op)
	}
	about := id
	if strings.HasPrefix(op.path, "/api/admin/payments/") {
		about = payment
	}
	path := strings.NewReplacer("{id}", about, "{key}", "no-such-file").Replace(op.path)
	if op.method == http.MethodGet {
		return v.get(path)
	}
	body, known := sentBodies[op.id]
	if !known {
		body = `{"reason":"looked at"}`
	}
	return v.unsafe(op.method, path, body)
}
