package api

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/api/event"
	"github.com/tradepost/tradepost/internal/local/asvs"
)

// listen opens the visitor's event stream and gives the order ids in its events.
func (v *visitor) listen(ctx context.Context) <-chan string {
	v.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.origin+"/api/events", http.NoBody)
	require.NoError(v, err)
	res, err := v.client.Do(req)
	require.NoError(v, err)
	require.Equal(v, http.StatusOK, res.StatusCode)
	reported := make(chan string, 100)
	go func() {
		defer close(reported)
		defer func() { _ = res.Body.Close() }()
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				reported <- data
			}
		}
	}()
	return reported
}

func TestBar01EventStreamHasOnlyOnesOwnOrders(t *testing.T) {
	h := open(t)
	ctx, stop := context.WithCancel(t.Context())
	running := make(chan struct{})
	go func() { defer close(running); h.server.Run(ctx) }()
	owner, stranger := h.customer(), h.customer()
	mine, theirs := owner.listen(ctx), stranger.listen(ctx)
	var seen string
	require.Eventually(t, func() bool { // the ear at the database may still be opening
		seen = owner.order("domestic_wire")
		select {
		case reported := <-mine:
			return strings.Contains(reported, `"id"`)
		default:
			return false
		}
	}, settledWait, 25*settledPoll)
	// The other customer's first event is about their own order, after all of the owner's.
	own := stranger.order("domestic_wire")
	reported := <-theirs
	require.Contains(t, reported, own)
	require.NotContains(t, reported, seen)
	h.server.event.EndStreams()
	stop()
	<-running
}

// A reader of the inbox is notified at once that a colleague assigned a ticket to another.
func TestReassigningATicketIsShownLive(t *testing.T) {
	h := open(t, unscaled)
	ctx, stop := context.WithCancel(t.Context())
	running := make(chan struct{})
	go func() { defer close(running); h.server.Run(ctx) }()
	v, helper, colleague := h.customer(), h.customer("support"), h.customer("admin")
	reported := colleague.listen(ctx)
	receives := func(id string) bool {
		for {
			select {
			case data, on := <-reported:
				if !on || strings.Contains(data, id) {
					return on
				}
			default:
				return false
			}
		}
	}
	id := v.asks(newTicket)
	path := "/api/admin/support/tickets/" + id
	helper.post(path+"/take", "").is(http.StatusOK)
	require.Eventually(t, func() bool { // the ear at the database may still be opening
		v.post("/api/support/tickets/"+id+"/messages", `{"message":"Hello?"}`).is(http.StatusOK)
		return receives(id)
	}, settledWait, 25*settledPoll)
	later := v.asks(newTicket) // its events follow all those of the first
	require.Eventually(t, func() bool { return receives(later) }, settledWait, settledPoll)
	helper.post(path+"/assign", `{"assigneeId":"`+colleague.userID+`","from":"`+helper.userID+`"}`).is(http.StatusOK)
	require.Eventually(t, func() bool { return receives(id) }, settledWait, settledPoll)
	require.True(t, one[bool](h, `SELECT internal FROM matter_events WHERE matter_id = $1 AND kind = 'assigned'`, id))
	h.server.event.EndStreams()
	stop()
	<-running
}

// Bar 43: no user exhausts a process's memory by opening streams: their oldest end, and no
// other user's do.
func TestBar43APersonHasFewStreamsOpen(t *testing.T) {
	h := open(t, unscaled)
	v, other := h.customer(), h.customer()
	theirs := other.listen(t.Context())
	var mine []<-chan string
	for range event.MostStreams + 3 {
		mine = append(mine, v.listen(t.Context()))
	}
	for _, ended := range mine[:3] {
		_, on := <-ended
		require.False(t, on)
	}
	for _, stream := range append(mine[3:], theirs) {
		select {
		case _, on := <-stream:
			require.True(t, on, "a stream ended that is not among the oldest")
		default:
		}
	}
}

// replica serves one more replica, whose event streams run, and gives its origin.
func (h *testServer) replica() string {
	h.Helper()
	first, firstServer := h.web, h.server
	h.web, h.server = nil, nil
	h.serve()
	second, server := h.web, h.server
	h.web, h.server = first, firstServer
	h.streams(server)
	return second.URL
}

// streams runs a server's event streams until the test ends.
func (h *testServer) streams(server *Server) {
	ctx, stop := context.WithCancel(h.Context())
	running := make(chan struct{})
	go func() { defer close(running); server.Run(ctx) }()
	h.Cleanup(func() {
		server.event.EndStreams()
		stop()
		<-running
	})
}

// A stream ends within a second or two of its session, on every replica, however the session ends, and others go on.
func TestStreamsEndWithTheirSession(t *testing.T) {
	h := open(t, unscaled)
	h.streams(h.server)
	second := h.replica()
	bystander := h.customer("support")
	others := []<-chan string{bystander.listen(t.Context()), bystander.at(second).listen(t.Context())}
	admin := h.customer("admin")
	listening := h.customer().listen(t.Context())
	require.Eventually(t, func() bool { // both replicas listen to Postgres
		bystander.order("domestic_wire")
		return len(others[0]) > 0 && len(others[1]) > 0
	}, settledWait, 25*settledPoll)
	for name, end := range map[string]func(v *visitor){
		"sign-out":   func(v *visitor) { v.post("/api/logout", "").is(http.StatusSeeOther) },
		"role taken": func(v *visitor) { h.exec(`DELETE FROM user_roles WHERE user_id = $1 AND role = 'finance'`, v.userID) },
		"frozen": func(v *visitor) {
			admin.post("/api/admin/customers/"+v.userID+"/freeze", `{"reason":"stop"}`).is(http.StatusOK)
		},
		"ended by staff":   func(v *visitor) { admin.post("/api/admin/customers/"+v.userID+"/sign-out", "").is(http.StatusOK) },
		"ended elsewhere":  func(v *visitor) { v.again().post("/api/sessions/end-others", "").is(http.StatusOK) },
		"account disabled": func(v *visitor) { h.exec(`UPDATE users SET disabled_at = clock_now() WHERE id = $1`, v.userID) },
		"owes a second factor": func(v *visitor) {
			h.exec(enrolled, v.userID)
			h.exec(`UPDATE second_factors SET sealed_seed = 'x', enabled_at = clock_now() WHERE user_id = $1`, v.userID)
		},
	} {
		v := h.customer("finance")
		streams := []<-chan string{v.listen(t.Context()), v.at(second).listen(t.Context())}
		began := time.Now()
		end(v)
		for i, stream := range streams {
			for on := true; on; {
				select {
				case _, on = <-stream:
				case <-time.After(settledWait):
					t.Fatalf("%s: the stream at replica %d goes on", name, i+1)
				}
			}
		}
		require.Less(t, time.Since(began), 10*time.Second, "%s: the notice ends streams, not the regular check: %s", name, asvs.Claim(t, "7.4.1"))
	}
	for _, stream := range append(others, listening) {
		requireOpen(t, stream)
	}
}

// enrolled makes a person begin to set up a second factor.
const enrolled = `INSERT INTO second_factors (user_id) VALUES ($1)`

func requireOpen(t *testing.T, stream <-chan string) {
	t.Helper()
	for {
		select {
		case _, on := <-stream:
			require.True(t, on, "the stream of another session ended")
		default:
			return
		}
	}
}

// An open stream is no use of a session, neither when it is requested nor while it is open: a page that nobody uses
// does not keep a person signed in. Any other request is.
func TestAnEventStreamIsNoUseOfItsSession(t *testing.T) {
	h := open(t, unscaled)
	v := h.customer()
	h.exec(`UPDATE sessions SET last_seen_at = clock_now() - interval '2 hours' WHERE user_id = $1`, v.userID)
	seen := func() time.Time {
		return one[time.Time](h, `SELECT last_seen_at FROM sessions WHERE user_id = $1`, v.userID)
	}
	before := seen()
	h.streams(h.server)
	stream := v.listen(t.Context())
	for range 3 { // the session is read again, and the stream goes on
		require.Eventually(t, func() bool {
			h.exec(`SELECT pg_notify('session_changed', $1 || ' ' || $1), pg_notify('order_changed', $1 || ' ' || $1)`, v.userID)
			return len(stream) > 0
		}, settledWait, settledPoll)
		<-stream
	}
	requireOpen(t, stream)
	require.Equal(t, before, seen(), asvs.Claim(t, "7.3.1"))
	v.get("/api/auth/user").is(http.StatusOK)
	require.Less(t, before, seen())
}
