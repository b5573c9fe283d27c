package e2e

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// span is one of a process, as an OTLP receiver is sent it.
type span struct {
	service string
	*spans.Span
}

// value is the text of an attribute.
func (s span) value(key string) string {
	for _, attribute := range s.GetAttributes() {
		if attribute.GetKey() == key {
			return attribute.GetValue().GetStringValue()
		}
	}
	return ""
}

// spanStore receives the spans of all processes of the stack, and keeps them while a test reads them.
type spanStore struct {
	sync.Mutex
	looking bool
	kept    []span
}

// traces is what the shared stack sends its spans to.
var traces spanStore

// serveTraces starts the receiver and says where it is.
func serveTraces() (address string, stop func()) {
	server := httptest.NewServer(&traces)
	return server.URL, server.Close
}

// ServeHTTP implements http.Handler.
func (s *spanStore) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var sent collector.ExportTraceServiceRequest
	if err != nil || proto.Unmarshal(raw, &sent) != nil {
		http.Error(w, "not spans", http.StatusBadRequest)
		return
	}
	s.Lock()
	defer s.Unlock()
	for _, resource := range sent.GetResourceSpans() {
		service := resource.GetResource().GetAttributes()[0].GetValue().GetStringValue()
		for _, scope := range resource.GetScopeSpans() {
			for _, one := range scope.GetSpans() {
				if s.looking {
					s.kept = append(s.kept, span{service, one})
				}
			}
		}
	}
}

// poll keeps spans until the test ends.
func (s *spanStore) poll(t *testing.T) {
	s.Lock()
	defer s.Unlock()
	s.looking = true
	t.Cleanup(func() {
		s.Lock()
		defer s.Unlock()
		s.looking, s.kept = false, nil
	})
}

// of is the trace in which an order's workflow was started, so far.
func (s *spanStore) of(orderID string) (id string, trace []span) {
	s.Lock()
	defer s.Unlock()
	for _, one := range s.kept {
		if one.GetName() == "StartWorkflow:Order" && one.value("temporalWorkflowID") == "order/"+orderID {
			id = string(one.GetTraceId())
		}
	}
	for _, one := range s.kept {
		if id != "" && string(one.GetTraceId()) == id {
			trace = append(trace, one)
		}
	}
	return hex.EncodeToString([]byte(id)), trace
}

// ofService are the spans that a process left so far.
func (s *spanStore) ofService(service string) (list []span) {
	s.Lock()
	defer s.Unlock()
	for _, one := range s.kept {
		if one.service == service {
			list = append(list, one)
		}
	}
	return list
}

// has reports whether a process left a span of that name, below one of the same
// trace unless it is the first.
func has(trace []span, service, name string) bool {
	for _, one := range trace {
		if one.service != service || one.GetName() != name {
			continue
		}
		for _, parent := range trace {
			if len(one.GetParentSpanId()) == 0 || string(parent.GetSpanId()) == string(one.GetParentSpanId()) {
				return true
			}
		}
	}
	return false
}

// One trace leads from the request that made an order through its workflow and the
// steps of every worker to the calls at each provider; it holds ids and codes, and
// lines of logs lead to it.
func TestOneTraceHoldsAWholeOrder(t *testing.T) {
	t.Parallel()
	traces.poll(t)
	customer, staff := verified(t), admin(t)
	what := some(t, "BTC", "0.01")
	o := customer.buy(what)
	customer.authorise(o.ID)
	staff.process(o.ID)
	customer.reaches(o.ID, "payment_approved")
	staff.decide(o.ID, "fulfill", "")
	sent := customer.reaches(o.ID, "sent")

	var id string
	var trace []span
	wanted := [][2]string{{"api", "POST /api/orders"}, {"core", "RunWorkflow:Order"}, {"payments", "RunActivity:CreateCheckout"}, {"payments", "stripe POST"},
		{"payments", "RunActivity:Capture"}, {"exchange", "RunActivity:Buy"}, {"exchange", "kraken POST"}, {"custody", "RunActivity:Send"}, {"custody", "bitgo POST"}}
	until(t, "the whole trace", func() bool {
		id, trace = traces.of(o.ID)
		for _, one := range wanted {
			if !has(trace, one[0], one[1]) {
				return false
			}
		}
		return true
	})

	var signUp []span
	until(t, "the spans of the sign-up", func() bool {
		signUp = traces.ofService("identity")
		return has(signUp, "identity", "POST /signup/code")
	})

	secrets := map[string]string{"e-mail": customer.mail, "address": what.address, "card": goodCard, "password": newPassword, "page": "/pay/cs_",
		"amount": what.amount, "total": sent.QuoteFiat, "key": "sk_test", "transaction": sent.TxID}
	for _, one := range append(trace, signUp...) {
		for name, secret := range secrets {
			require.NotContains(t, one.String(), secret, "%s in a span of %s", name, one.service)
		}
	}
	log := ""
	files, err := filepath.Glob(filepath.Join(options.DataDir, "logs", "api*"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		log += string(text)
	}
	require.True(t, strings.Contains(log, "trace_id="+id), "the log of the request leads to its trace %s", id)
}
