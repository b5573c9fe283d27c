package sumsub

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// TestVectors are known signatures (providers §4.1), made by no code of ours.
func TestVectors(t *testing.T) {
	for _, v := range []struct{ method, target, body, want string }{
		{"POST", "/resources/accessTokens/sdk", `{"userId":"cust_0001","levelName":"basic-kyc-level","ttlInSecs":600}`, "1c685fa8080ddf8915554ba3c54dc234793e794a5a5756a8fdfd9a20dd8b8aca"},
		{"GET", "/resources/applicants/-;externalUserId=cust_0001/one", "", "b534fc0b0d1c71effb50db4107ed6a78b6a936ef9f6f3314896c2e5e7ab86291"},
	} {
		require.Equal(t, v.want, requestSignature("sumsub-lab-secret", "1750000000", v.method, v.target, []byte(v.body)))
	}
	body := `{"applicantId":"66f0000000000000000000a1","inspectionId":"66f0000000000000000000a2","correlationId":"req-00000000-0000-4000-8000-000000000001","levelName":"basic-kyc-level","externalUserId":"cust_0001","type":"applicantReviewed","sandboxMode":true,"reviewStatus":"completed","createdAtMs":"2025-06-15 15:06:40.000","applicantType":"individual","reviewResult":{"reviewAnswer":"GREEN"},"clientId":"lab"}`
	for name, want := range map[string]string{
		"HMAC_SHA256_HEX": "2957c77d700abcf944aa64661924ceaf1175d5a78e40bce36e558c66ca95c64e",
		"HMAC_SHA1_HEX":   "d25f7249cf4f77508391be950914bbce4b30f42f",
		"HMAC_SHA512_HEX": "780ea8d639fbcb37396be3bb16cd2364a9dd4dc09b5685da274a290c1841038114e766b763456ea4c376e25abb680181ec480f2d3dc8497fb05feac0fe1237ae",
	} {
		header := digestBy(name, "sumsub-lab-webhook-secret", []byte(body))
		require.Equal(t, []string{want, name}, []string{header.Get("X-Payload-Digest"), header.Get("X-Payload-Digest-Alg")})
	}
	made, err := json.Marshal(notice{
		ApplicantID: "66f0000000000000000000a1", InspectionID: "66f0000000000000000000a2", CorrelationID: "req-00000000-0000-4000-8000-000000000001",
		LevelName: "basic-kyc-level", ExternalUserID: "cust_0001", Type: "applicantReviewed", SandboxMode: true, ReviewStatus: "completed",
		CreatedAtMs: "2025-06-15 15:06:40.000", ApplicantType: "individual", ReviewResult: &result{Answer: "GREEN"}, ClientID: "lab",
	})
	require.NoError(t, err)
	require.Equal(t, body, string(made))
}

// office is a running simulator and a receiver of its webhooks.
type office struct {
	*testing.T
	world *sandbox.World
	url   string

	mu      sync.Mutex
	notices []notice
}

func start(t *testing.T) *office {
	t.Helper()
	o := &office{T: t}
	hooks := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("X-Payload-Digest") != hexMAC("hook-secret", body) {
			return
		}
		var n notice
		_ = json.Unmarshal(body, &n)
		o.mu.Lock()
		defer o.mu.Unlock()
		o.notices = append(o.notices, n)
	}))
	t.Cleanup(hooks.Close)
	world, err := sandbox.Open(sandbox.Config{
		Mode: "local", Data: t.TempDir(), HookURL: hooks.URL, SumsubAppToken: "sbx:token", SumsubSecret: "secret", SumsubWebhookSecret: "hook-secret", SumsubLevel: "basic-kyc-level", SumsubEnhancedLevel: "enhanced-kyc-level",
	}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	simulator := New()
	server := httptest.NewServer(world.Handler(simulator))
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan struct{})
	go func() { world.Run(ctx, simulator); close(ran) }()
	t.Cleanup(func() { server.Close(); cancel(); <-ran; _ = world.Close() })
	o.world, o.url = world, server.URL
	return o
}

// call sends a request signed at the moment.
func (o *office) call(method, target, body string, at time.Time) (int, map[string]any) {
	o.Helper()
	r, err := http.NewRequest(method, o.url+target, strings.NewReader(body))
	require.NoError(o, err)
	stamp := strconv.FormatInt(at.Unix(), 10)
	r.Header.Set("X-App-Token", "sbx:token")
	r.Header.Set("X-App-Access-Ts", stamp)
	r.Header.Set("X-App-Access-Sig", requestSignature("secret", stamp, method, target, []byte(body)))
	return o.do(r)
}

func (o *office) do(r *http.Request) (int, map[string]any) {
	o.Helper()
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	require.NoError(o, err)
	defer func() { _ = res.Body.Close() }()
	answer := map[string]any{}
	require.NoError(o, json.NewDecoder(res.Body).Decode(&answer))
	return res.StatusCode, answer
}

func (o *office) now(method, target, body string) (int, map[string]any) {
	o.Helper()
	return o.call(method, target, body, o.world.Clock.Now())
}

// widget calls what the framed page calls.
func (o *office) widget(path string, fields map[string]string) (int, map[string]any) {
	o.Helper()
	body, err := json.Marshal(fields)
	require.NoError(o, err)
	r, err := http.NewRequest("POST", o.url+"/websdk/api/"+path, strings.NewReader(string(body)))
	require.NoError(o, err)
	return o.do(r)
}

// awaitWebhook waits for a webhook of the type and result.
func (o *office) awaitWebhook(kind, answer string) {
	o.Helper()
	require.Eventually(o, func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		for _, n := range o.notices {
			if n.Type == kind && (answer == "" || (n.ReviewResult != nil && n.ReviewResult.Answer == answer)) {
				return true
			}
		}
		return false
	}, time.Minute, 10*time.Millisecond, "no webhook %s %s", kind, answer)
}

func TestSignatures(t *testing.T) {
	o := start(t)
	token := `{"userId":"cust","levelName":"basic-kyc-level"}`
	now := o.world.Clock.Now()
	for _, away := range []time.Duration{-62 * time.Second, 62 * time.Second} {
		status, answer := o.call("POST", "/resources/accessTokens/sdk", token, now.Add(away))
		require.Equal(t, 401, status, "%s", away)
		require.EqualValues(t, 401, answer["code"])
	}
	status, answer := o.call("POST", "/resources/accessTokens/sdk", token, now.Add(-50*time.Second))
	require.Equal(t, 200, status)
	require.Contains(t, answer["token"], "_act-")
	require.Equal(t, "cust", answer["userId"])

	r, err := http.NewRequest("GET", o.url+"/resources/applicants/-;externalUserId=cust/one", nil)
	require.NoError(t, err)
	r.Header.Set("X-App-Token", "sbx:token")
	r.Header.Set("X-App-Access-Ts", strconv.FormatInt(now.Unix(), 10))
	r.Header.Set("X-App-Access-Sig", requestSignature("other", strconv.FormatInt(now.Unix(), 10), "GET", "/resources/applicants/-;externalUserId=cust/one", nil))
	status, _ = o.do(r)
	require.Equal(t, 401, status)
}

func TestApplicants(t *testing.T) {
	o := start(t)
	status, _ := o.now("GET", "/resources/applicants/-;externalUserId=cust_1/one", "")
	require.Equal(t, 404, status)
	status, _ = o.now("POST", "/resources/applicants?levelName=Basic-KYC-Level", `{"externalUserId":"cust_1"}`)
	require.Equal(t, 404, status)
	status, made := o.now("POST", "/resources/applicants?levelName=basic-kyc-level", `{"externalUserId":"cust_1","email":"casey@example.com"}`)
	require.Equal(t, 200, status)
	id, _ := made["id"].(string)
	require.Len(t, id, 24)
	status, again := o.now("POST", "/resources/applicants?levelName=basic-kyc-level", `{"externalUserId":"cust_1"}`)
	require.Equal(t, 409, status)
	require.Equal(t, "Applicant with external user id 'cust_1' already exists: "+id, again["description"])
	_, one := o.now("GET", "/resources/applicants/-;externalUserId=cust_1/one", "")
	require.Equal(t, id, one["id"])
	_, by := o.now("GET", "/resources/applicants/-/byExternalUserId/nobody", "")
	require.Equal(t, false, by["exists"])
	o.awaitWebhook("applicantCreated", "")

	status, _ = o.now("POST", "/resources/applicants/"+id+"/status/testCompleted", `{"reviewAnswer":"RED"}`)
	require.Equal(t, 400, status)
	status, _ = o.now("POST", "/resources/applicants/"+id+"/status/testCompleted", `{"reviewAnswer":"RED","reviewRejectType":"RETRY","rejectLabels":["SCREENSHOTS"],"moderationComment":"Again, please."}`)
	require.Equal(t, 200, status)
	_, state := o.now("GET", "/resources/applicants/"+id+"/status", "")
	require.Equal(t, "completed", state["reviewStatus"])
	require.Equal(t, "Again, please.", state["reviewResult"].(map[string]any)["moderationComment"])
	o.awaitWebhook("applicantReviewed", "RED")
	status, _ = o.now("POST", "/resources/applicants/"+id+"/reset", "")
	require.Equal(t, 200, status)
	_, state = o.now("GET", "/resources/applicants/"+id+"/status", "")
	require.Equal(t, "init", state["reviewStatus"])
}

// TestWidgetLife: the widget's launch makes the applicant, its submission is
// approved by the clock, and an approval can be overturned.
func TestWidgetLife(t *testing.T) {
	o := start(t)
	_, token := o.now("POST", "/resources/accessTokens?userId=cust_2&levelName=basic-kyc-level&ttlInSecs=600", "")
	access := token["token"].(string)
	status, state := o.widget("launch", map[string]string{"accessToken": access})
	require.Equal(t, 200, status)
	require.Equal(t, "init", state["reviewStatus"])
	_, state = o.widget("submit", map[string]string{"accessToken": access, "country": "USA", "document": "PASSPORT", "outcome": "approve"})
	require.Equal(t, "pending", state["reviewStatus"])
	o.awaitWebhook("applicantPending", "")
	require.NoError(t, o.world.Clock.Advance(reviewDelay+time.Second))
	o.awaitWebhook("applicantReviewed", "GREEN")
	_, state = o.widget("launch", map[string]string{"accessToken": access})
	require.Equal(t, "completed", state["reviewStatus"])

	r, err := http.NewRequest("POST", o.url+"/control/sumsub/decide", strings.NewReader(`{"user":"cust_2","outcome":"reject"}`))
	require.NoError(t, err)
	status, _ = o.do(r)
	require.Equal(t, 200, status)
	o.awaitWebhook("applicantReviewed", "RED")
	_, state = o.widget("launch", map[string]string{"accessToken": access})
	seen := state["reviewResult"].(map[string]any)
	require.Equal(t, "FINAL", seen["reviewRejectType"])
	require.NotContains(t, seen, "clientComment")

	require.NoError(t, o.world.Clock.Advance(11*time.Minute))
	status, _ = o.widget("launch", map[string]string{"accessToken": access})
	require.Equal(t, 401, status)
}

// TestOnTheWay: every state between a submission and its result, each with its webhook; a
// planned result takes effect all the same, and a call can be refused.
func TestOnTheWay(t *testing.T) {
	o := start(t)
	_, made := o.now("POST", "/resources/applicants?levelName=basic-kyc-level", `{"externalUserId":"cust_3"}`)
	id := made["id"].(string)
	decide := func(outcome string) {
		t.Helper()
		r, err := http.NewRequest("POST", o.url+"/control/sumsub/decide", strings.NewReader(`{"user":"cust_3","outcome":"`+outcome+`"}`))
		require.NoError(t, err)
		status, _ := o.do(r)
		require.Equal(t, 200, status, outcome)
	}
	for _, step := range []struct{ outcome, status, reports string }{
		{"wait", "pending", "applicantPending"}, {"precheck", "prechecked", "applicantPrechecked"}, {"queue", "queued", ""},
		{"service", "awaitingService", "applicantAwaitingService"}, {"ask", "awaitingUser", "applicantAwaitingUser"}, {"hold", "onHold", "applicantOnHold"},
		{"approve", "completed", "applicantReviewed"}, {"reset", "init", "applicantReset"},
	} {
		decide(step.outcome)
		_, state := o.now("GET", "/resources/applicants/"+id+"/status", "")
		require.Equal(t, step.status, state["reviewStatus"], step.outcome)
		if step.reports != "" {
			o.awaitWebhook(step.reports, "")
		}
	}
	_, err := o.world.Faults.Arm(sandbox.Fault{Provider: "sumsub", Operation: "token", Match: "cust_3", Code: "decline:403:forbidden"})
	require.NoError(t, err)
	token := func() int {
		status, _ := o.now("POST", "/resources/accessTokens/sdk", `{"userId":"cust_3","levelName":"basic-kyc-level"}`)
		return status
	}
	require.Equal(t, []int{403, 200}, []int{token(), token()})
}

// notices are the applicant's webhooks of providers §4.4, each with an outcome of
// the control page that makes Sumsub send it.
var notices = map[string]string{
	"applicantPrechecked": "precheck", "applicantPending": "wait", "applicantReviewed": "approve", "applicantOnHold": "hold",
	"applicantAwaitingUser": "ask", "applicantAwaitingService": "service", "applicantReset": "reset", "applicantLevelChanged": "level",
	"applicantPersonalInfoChanged": "info", "applicantTagsChanged": "tag", "applicantActivated": "activate", "applicantDeactivated": "deactivate",
	"applicantPersonalDataDeleted": "forget", "applicantWorkflowCompleted": "workflow", "applicantActionPending": "action-pending",
	"applicantActionReviewed": "action-reviewed", "applicantActionOnHold": "action-hold",
	"applicantDeleted": "delete", // the last: the applicant is deleted afterwards
}

// TestEveryNotice: the control page makes each webhook an applicant can cause, and offers
// no unknown value.
func TestEveryNotice(t *testing.T) {
	o := start(t)
	decide := func(user, outcome string) int {
		t.Helper()
		r, err := http.NewRequest("POST", o.url+"/control/sumsub/decide", strings.NewReader(`{"user":"`+user+`","outcome":"`+outcome+`"}`))
		require.NoError(t, err)
		status, _ := o.do(r)
		return status
	}
	for kind, outcome := range notices {
		user := "cust_" + kind
		status, _ := o.now("POST", "/resources/applicants?levelName=basic-kyc-level", `{"externalUserId":"`+user+`"}`)
		require.Equal(t, 200, status)
		require.Equal(t, 200, decide(user, outcome), outcome)
		o.awaitWebhook(kind, "")
	}
	for _, outcome := range choices {
		user := "every_" + outcome
		o.now("POST", "/resources/applicants?levelName=basic-kyc-level", `{"externalUserId":"`+user+`"}`)
		require.Equal(t, 200, decide(user, outcome), outcome)
	}
	status, _ := o.now("GET", "/resources/applicants/-;externalUserId=cust_applicantDeleted/one", "")
	require.Equal(t, 404, status)
}

// TestLevels: a widget that opens with a token for the other level moves the
// customer there, with nothing decided; not while they are being checked.
func TestLevels(t *testing.T) {
	o := start(t)
	token := func(level string) string {
		t.Helper()
		status, answer := o.now("POST", "/resources/accessTokens/sdk", `{"userId":"cust_4","levelName":"`+level+`"}`)
		require.Equal(t, 200, status)
		return answer["token"].(string)
	}
	status, _ := o.now("POST", "/resources/accessTokens/sdk", `{"userId":"cust_4","levelName":"no-such-level"}`)
	require.Equal(t, 404, status)
	_, state := o.widget("launch", map[string]string{"accessToken": token("basic-kyc-level")})
	id := state["applicantId"].(string)
	o.widget("submit", map[string]string{"accessToken": token("basic-kyc-level"), "country": "USA", "document": "PASSPORT", "outcome": "none"})
	_, state = o.widget("launch", map[string]string{"accessToken": token("enhanced-kyc-level")})
	require.Equal(t, "basic-kyc-level", state["levelName"], "being checked")
	for _, call := range [][2]string{{"POST", "/reset"}, {"POST", "/moveToLevel?name=enhanced-kyc-level"}, {"PATCH", "/presence/deactivated"}} {
		status, _ = o.now(call[0], "/resources/applicants/"+id+call[1], "")
		require.Equal(t, 400, status, "%s while being checked", call[1])
	}
	o.now("POST", "/resources/applicants/"+id+"/status/testCompleted", `{"reviewAnswer":"GREEN"}`)
	_, state = o.widget("launch", map[string]string{"accessToken": token("enhanced-kyc-level")})
	require.Equal(t, []any{"enhanced-kyc-level", "init"}, []any{state["levelName"], state["reviewStatus"]})
	require.Eventually(t, func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return slices.ContainsFunc(o.notices, func(n notice) bool {
			return n.Type == "applicantLevelChanged" && n.PreviousLevel == "basic-kyc-level" && n.LevelName == "enhanced-kyc-level"
		})
	}, time.Minute, 10*time.Millisecond)
	status, moved := o.now("POST", "/resources/applicants/"+id+"/moveToLevel?name=basic-kyc-level", "")
	require.Equal(t, 200, status)
	require.Equal(t, "basic-kyc-level", moved["review"].(map[string]any)["levelName"])
	_, off := o.now("PATCH", "/resources/applicants/"+id+"/presence/deactivated", "")
	require.Equal(t, true, off["deleted"])
	_, on := o.now("PATCH", "/resources/applicants/"+id+"/presence/activated", "")
	require.NotContains(t, on, "deleted")
}

// TestTheAccountChoosesTheDigest: a webhook is signed with the algorithm that was
// chosen, and says so.
func TestTheAccountChoosesTheDigest(t *testing.T) {
	o := start(t)
	choose := func(name string) int {
		res, err := http.Post(o.url+"/control/sumsub/digest", "application/json", strings.NewReader(`{"algorithm":"`+name+`"}`))
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res.StatusCode
	}
	var sim Simulator
	sim.world = o.world
	require.Equal(t, "HMAC_SHA256_HEX", sim.digest([]byte("{}"), time.Time{}).Get("X-Payload-Digest-Alg"))
	require.Equal(t, 200, choose("HMAC_SHA512_HEX"))
	header := sim.digest([]byte("{}"), time.Time{})
	require.Equal(t, digestBy("HMAC_SHA512_HEX", "hook-secret", []byte("{}")), header)
	require.NotEqual(t, 200, choose("MD5"))
}

// TestApplicantsAreChanged: what an applicant is made with is kept, a change
// touches what it names, and a check can be asked for without the widget.
func TestApplicantsAreChanged(t *testing.T) {
	o := start(t)
	status, made := o.now("POST", "/resources/applicants?levelName=basic-kyc-level", `{"externalUserId":"cust 1/x","lang":"de","email":"a@example.com","metadata":[{"key":"k","value":"v"}],"fixedInfo":{"country":"DEU"}}`)
	require.Equal(t, []any{200, "de"}, []any{status, made["lang"]})
	require.Len(t, made["metadata"], 1)
	id := made["id"].(string)
	for _, target := range []string{"/resources/applicants/", "/resources/applicants"} {
		status, changed := o.now("PATCH", target, `{"id":"`+id+`","phone":"+491"}`)
		require.Equal(t, []any{200, "a@example.com", "+491"}, []any{status, changed["email"], changed["phone"]}, target)
	}
	status, _ = o.now("PATCH", "/resources/applicants/", `{"phone":"+491"}`)
	require.Equal(t, 404, status)
	status, info := o.now("PATCH", "/resources/applicants/"+id+"/fixedInfo", `{"firstName":"Ada"}`)
	require.Equal(t, []any{200, map[string]any{"country": "DEU", "firstName": "Ada"}}, []any{status, info})
	status, _ = o.now("PATCH", "/resources/applicants/"+id+"/info", `{"applicantId":"`+id+`","lastName":"Byron","firstName":"Ada","unsetFields":"firstName,dob"}`)
	require.Equal(t, 200, status)
	_, seen := o.now("GET", "/resources/applicants/-;externalUserId=cust%201%2Fx/one", "")
	require.Equal(t, []any{id, map[string]any{"lastName": "Byron"}}, []any{seen["id"], seen["info"]})
	status, moved := o.now("POST", "/resources/applicants/"+id+"/moveToLevel?name=enhanced-kyc-level", "")
	require.Equal(t, []any{200, "enhanced-kyc-level"}, []any{status, moved["review"].(map[string]any)["levelName"]})
	status, _ = o.now("POST", "/resources/applicants/"+id+"/status/pending?reason=again", "")
	require.Equal(t, 200, status)
	_, review := o.now("GET", "/resources/applicants/"+id+"/status", "")
	require.Equal(t, "pending", review["reviewStatus"])
	status, _ = o.now("GET", "/resources/status/api", "")
	require.Equal(t, 200, status)
}
