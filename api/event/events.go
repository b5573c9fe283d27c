package event

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
)

// Hub forwards the notifications of one database connection to all open event streams of
// this process. They are signals, not facts: one that is lost costs a poll.
type Hub struct {
	mu        sync.Mutex
	listeners map[*listener]struct{}
	of        map[string][]*listener // by whose they are, the longest open first
	closed    chan struct{}          // no more streams: we are stopping
}

// listener is one open stream: a customer's receives their own events, staff's all.
type listener struct {
	userID  string
	staff   bool
	notices chan casework.Notice // full means that the reader is slow and will poll
	recheck chan struct{}        // full means that the session is about to be read again
	over    chan struct{}        // closed when the person has opened too many after it
}

// newListener makes a stream of a person.
func newListener(userID string, staff bool) *listener {
	return &listener{userID: userID, staff: staff, notices: make(chan casework.Notice, maxWaiting), recheck: make(chan struct{}, 1), over: make(chan struct{})}
}

// NewHub makes a hub without listeners.
func NewHub() *Hub {
	return &Hub{listeners: map[*listener]struct{}{}, of: map[string][]*listener{}, closed: make(chan struct{})}
}

// EndStreams ends all event streams, so that a stopping process does not wait
// for them. Browsers come back elsewhere. It is called once.
func (h *Handlers) EndStreams() { close(h.Hub.closed) }

// join adds a stream. A person has MostStreams at most: the one that was open the
// longest, which may be a dead tab's, makes room.
func (h *Hub) join(l *listener) (leave func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if mine := h.of[l.userID]; len(mine) >= MostStreams {
		close(mine[0].over)
		h.forget(mine[0])
	}
	h.listeners[l] = struct{}{}
	h.of[l.userID] = append(h.of[l.userID], l)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.forget(l)
	}
}

// forget removes a stream; a second call changes nothing.
func (h *Hub) forget(l *listener) {
	delete(h.listeners, l)
	h.of[l.userID] = slices.DeleteFunc(h.of[l.userID], func(other *listener) bool { return other == l })
	if len(h.of[l.userID]) == 0 {
		delete(h.of, l.userID)
	}
}

// publish passes a notice on to the streams that it concerns. A notice about a person's sessions reaches no reader: it
// makes that person's streams read their session again.
func (h *Hub) publish(n casework.Notice) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n.Kind == casework.NoticeSession {
		for _, l := range h.of[n.UserID] {
			select {
			case l.recheck <- struct{}{}:
			default:
			}
		}
		return
	}
	for l := range h.listeners {
		if !l.staff && l.userID != n.UserID {
			continue
		}
		select {
		case l.notices <- n:
		default:
		}
	}
}

// Listen receives the database's notifications until ctx ends, and reconnects after a
// failure.
func (h *Hub) Listen(ctx context.Context, db *store.DB, log *slog.Logger) {
	for ctx.Err() == nil {
		err := casework.Listen(ctx, db, func() {}, h.publish)
		if ctx.Err() != nil {
			return
		}
		log.WarnContext(ctx, "event stream lost the database; trying again", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// Parameters of event streams: a comment keeps proxies from closing an idle stream, and the browser has to reconnect
// regularly. The session is read again with each comment, in case the notice that it ended was lost.
const (
	streamPing = 20 * time.Second
	streamLife = 15 * time.Minute
	maxWaiting = 64
	// MostStreams of one person are open at a time, in one process.
	MostStreams = 20
)

// StreamEvents answers GET /api/events.
func (h *Handlers) StreamEvents(ctx context.Context, _ *rest.Nothing) (*huma.StreamResponse, error) {
	who := rest.PrincipalOf(ctx)
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		c := humagin.Unwrap(hc)
		l := newListener(who.UserID, h.Policy.Allows(rest.RolesOf(who), policy.ReadCustomers))
		l.recheck <- struct{}{} // once it has joined: the session may have ended before
		defer h.Hub.join(l)()
		header := c.Writer.Header()
		header.Set("Content-Type", "text/event-stream")
		header.Set("X-Accel-Buffering", "no")
		h.stream(hc.Context(), c.Writer, who, l)
	}}, nil
}

// stream writes events until the reader leaves, the session ends or the stream reaches its
// maximum age.
func (h *Handlers) stream(ctx context.Context, w http.ResponseWriter, who *account.Principal, l *listener) {
	control := http.NewResponseController(w)
	send := func(text string) bool {
		_ = control.SetWriteDeadline(time.Now().Add(10 * time.Second))
		_, err := fmt.Fprint(w, text)
		return err == nil && control.Flush() == nil
	}
	if !send("retry: 3000\n: hello\n\n") {
		return
	}
	ping, end := time.NewTicker(streamPing), time.NewTimer(streamLife)
	defer ping.Stop()
	defer end.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-end.C:
			return
		case <-h.Hub.closed:
			return
		case <-l.over:
			return
		case n := <-l.notices:
			if !send(fmt.Sprintf("event: %s\ndata: {\"id\":%q}\n\n", n.Kind, n.ID)) {
				return
			}
		case <-l.recheck:
			if !h.lasts(ctx, who) {
				return
			}
		case <-ping.C:
			if !h.lasts(ctx, who) || !send(": ping\n\n") {
				return
			}
		}
	}
}

// lasts reports whether the session of a stream still exists, with the same roles and without owing the second factor.
// Reading it is no use of the session: an open page alone does not keep a person signed in.
func (h *Handlers) lasts(ctx context.Context, who *account.Principal) bool {
	alive, err := account.ReadSession(ctx, h.DB, who.TokenHash)
	return err == nil && alive != nil && slices.Equal(alive.Roles, who.Roles) && !h.Owes(alive)
}
