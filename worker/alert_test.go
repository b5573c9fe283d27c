package worker

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/activities"
	"github.com/tradepost/tradepost/models/reporting"
)

// hookSecret is the one of the vector that Standard Webhooks publishes.
const hookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// listener is the other side of the webhook of alerts.
type listener struct {
	mu       sync.Mutex
	refuse   bool
	received []received
}

type received struct {
	id, timestamp, signature, body string
}

func (h *testCluster) openListener(log *slog.Logger) *activities.Caller {
	h.listener = &listener{}
	server := httptest.NewServer(h.listener)
	h.Cleanup(server.Close)
	caller, err := activities.NewCaller(h.db, server.URL, hookSecret, "http://localhost", log)
	require.NoError(h, err)
	return caller
}

func (l *listener) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.received = append(l.received, received{r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp"), r.Header.Get("webhook-signature"), string(body)})
	if l.refuse {
		http.Error(rw, "not now", http.StatusInternalServerError)
	}
}

func (l *listener) all() []received {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.received
}

func (l *listener) refuses(refuse bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refuse = refuse
}

// calls counts the calls of which something is true.
func (h *testCluster) calls(what string) (n int) {
	h.Helper()
	require.NoError(h, h.db.Pool().QueryRow(h.Context(), "SELECT count(*) FROM alert_calls WHERE "+what).Scan(&n))
	return n
}

// signed computes what Standard Webhooks asks for, by its text alone.
func signed(t *testing.T, id, timestamp, body string) string {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(hookSecret[len("whsec_"):])
	require.NoError(t, err)
	sum := hmac.New(sha256.New, key)
	sum.Write([]byte(id + "." + timestamp + "." + body))
	return "v1," + base64.StdEncoding.EncodeToString(sum.Sum(nil))
}

// An alert is sent to the webhook, signed, until it is accepted: each time as the same
// message; and to staff by mail, which describes the problem and links to it.
func TestAlertsReachTheWebhookAndPeople(t *testing.T) {
	require.Equal(t, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", // the published vector
		signed(t, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", `{"test": 2432232314}`))
	h := open(t)
	h.exec(`INSERT INTO user_roles (user_id, role, granted_by) VALUES ($1, 'admin', 'test')`, h.staff)
	h.exec(`INSERT INTO provider_answers (queue, answered_at, failed_at) VALUES ('custody', clock_now() - interval '2 hours', clock_now())`)
	h.listener.refuses(true)
	limits := reporting.AlertLimits{Provider: time.Hour}
	require.NoError(t, reporting.WatchAlerts(t.Context(), h.db, limits, true))
	h.deliverMails()
	h.until("the webhook to be called", func() bool { return len(h.listener.all()) == 1 })
	h.until("its refusal to be noted", func() bool { return h.calls("last_error = 'answer_500'") == 1 })
	h.listener.refuses(false)
	h.exec(`UPDATE alert_calls SET next_try_at = clock_now()`)
	h.until("the call to be taken", func() bool { return h.calls("sent_at IS NOT NULL") == 1 })

	h.exec(`UPDATE provider_answers SET answered_at = clock_now()`)
	require.NoError(t, reporting.WatchAlerts(t.Context(), h.db, limits, true))
	h.exec(`UPDATE alerts SET gone_at = gone_at - interval '1 hour'`)
	require.NoError(t, reporting.WatchAlerts(t.Context(), h.db, limits, true))
	h.until("the end to be told", func() bool { return h.calls("sent_at IS NOT NULL") == 2 })
	calls := h.listener.all()
	require.Len(t, calls, 3)
	require.Equal(t, calls[0].id, calls[1].id, "the same message")
	require.NotEqual(t, calls[1].id, calls[2].id)
	for i, kind := range []string{"alert.opened", "alert.opened", "alert.closed"} {
		require.Equal(t, signed(t, calls[i].id, calls[i].timestamp, calls[i].body), calls[i].signature)
		var message struct {
			Type string
			Data struct{ Kind, Subject, Text, Link string }
		}
		require.NoError(t, json.Unmarshal([]byte(calls[i].body), &message))
		require.Equal(t, kind, message.Type)
		require.Equal(t, "provider_silent", message.Data.Kind)
		require.Contains(t, message.Data.Text, "The custodian has not answered since")
		require.Equal(t, "http://localhost/admin", message.Data.Link)
	}
	h.until("both mails to be sent", func() bool { return h.waitingMails() == 0 })
	arrived := h.mails("staff@example.com")
	require.Len(t, arrived, 2)
	for i, subject := range []string{"Alert: The custodian has not answered since", "Resolved: The custodian has not answered since"} {
		require.Contains(t, arrived[i].Subject, subject)
		require.Equal(t, []string{"http://localhost/open?to=/admin"}, arrived[i].Links)
	}
}
