package api

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/api/event"
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
