package api

import (
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptrace"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// slowForm begins to send a picture of an order and stops: reading says that the
// server asked for the body, end sends the rest.
func (v *visitor) slowForm(ctx context.Context, orderID string) (reading <-chan struct{}, end func() int) {
	v.Helper()
	asked, status := make(chan struct{}), make(chan int, 1)
	body, feed := io.Pipe()
	w := multipart.NewWriter(feed)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{Got100Continue: func() { close(asked) }})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, v.origin+"/api/orders/"+orderID+"/evidence", body)
	require.NoError(v, err)
	req.Header.Set("Content-Type", w.FormDataContentType())
	req.Header.Set("Expect", "100-continue")
	req.Header.Set("Origin", v.origin)
	client := &http.Client{Jar: v.client.Jar, Transport: &http.Transport{ExpectContinueTimeout: time.Minute}}
	v.Cleanup(client.CloseIdleConnections)
	go func() {
		res, err := client.Do(req)
		if err != nil {
			status <- 0
			return
		}
		_ = res.Body.Close()
		status <- res.StatusCode
	}()
	return asked, func() int {
		_ = w.WriteField("kind", "receipt")
		part, err := w.CreatePart(map[string][]string{"Content-Disposition": {`form-data; name="file"; filename="a.png"`}, "Content-Type": {"image/png"}})
		require.NoError(v, err)
		_, _ = part.Write(picture(v.T, 4))
		_ = w.Close()
		_ = feed.Close()
		return <-status
	}
}

// Bar 37: of a user who sends many forms at once, slowly, one is read at a time, and no
// other user is delayed.
func TestBar37FormsOfOnePersonAreReadOneAtATime(t *testing.T) {
	h := open(t, unscaled)
	v, other := h.customer(), h.customer()
	id, theirs := v.order("domestic_wire"), other.order("domestic_wire")
	reading, end := v.slowForm(t.Context(), id)
	<-reading
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	second, _ := v.slowForm(short, id)
	free, endTheirs := other.slowForm(t.Context(), theirs)
	<-free
	require.Equal(t, http.StatusCreated, endTheirs())
	<-short.Done()
	select {
	case <-second:
		t.Fatal("the second form of one person is read beside the first")
	default:
	}
	require.Equal(t, http.StatusCreated, end())
	third, endThird := v.slowForm(t.Context(), id)
	<-third
	require.Equal(t, http.StatusCreated, endThird())
}
