package api

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// listen opens the visitor's event stream and gives the order ids it tells of.
func (v *visitor) listen(ctx context.Context) <-chan string {
	v.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.origin+"/api/events", http.NoBody)
	require.NoError(v, err)
	res, err := v.client.Do(req)
	require.NoError(v, err)
	require.Equal(v, http.StatusOK, res.StatusCode)
	told := make(chan string, 100)
	go func() {
		defer func() { _ = res.Body.Close() }()
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				told <- data
			}
		}
	}()
	return told
}

func TestBar01EventStreamTellsOnlyOfOnesOwnOrders(t *testing.T) {
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
		case told := <-mine:
			return strings.Contains(told, `"id"`)
		default:
			return false
		}
	}, settledWait, 25*settledLook)
	// What the stranger is told first is their own order, after all of the owner's.
	own := stranger.order("domestic_wire")
	told := <-theirs
	require.Contains(t, told, own)
	require.NotContains(t, told, seen)
	h.server.EndStreams()
	stop()
	<-running
}
