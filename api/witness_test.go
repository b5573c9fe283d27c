package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
)

// pact is the contract as a strict client reads it: an answer of a status, a media
// type, a header or a field that it does not have is wrong.
type pact struct {
	ways     []way
	mu       sync.Mutex
	compiler *jsonschema.Compiler
}

// way is an operation's method and path, and what it may answer.
type way struct {
	method   string
	segments []string
	id       string
	pointer  string
	answers  map[string]promise
	answered map[string]bool
}

// promise is one documented answer.
type promise struct {
	Content map[string]struct {
		Schema any `json:"schema"`
	} `json:"content"`
	Headers map[string]any `json:"headers"`
	Codes   []string       `json:"x-codes"`
}

var contracted = sync.OnceValues(func() (*pact, error) {
	raw, err := OpenAPI()
	if err != nil {
		return nil, err
	}
	return pactOf(raw)
})

func pactOf(raw []byte) (*pact, error) {
	var document struct {
		Paths map[string]map[string]struct {
			ID        string             `json:"operationId"`
			Responses map[string]promise `json:"responses"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		return nil, err
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	p := &pact{compiler: jsonschema.NewCompiler()}
	p.compiler.AssertFormat()
	if err := p.compiler.AddResource("contract.json", tree); err != nil {
		return nil, err
	}
	for path, methods := range document.Paths {
		for method, op := range methods {
			p.ways = append(p.ways, way{strings.ToUpper(method), strings.Split(path, "/"), op.ID,
				"/paths/" + strings.ReplaceAll(path, "/", "~1") + "/" + method, op.Responses, map[string]bool{}})
		}
	}
	slices.SortFunc(p.ways, func(a, b way) int { return strings.Count(a.pointer, "{") - strings.Count(b.pointer, "{") })
	return p, nil
}

// find is the operation that a request is for; nil for a page and what is nowhere.
func (p *pact) find(method, path string) *way {
	asked := strings.Split(path, "/")
	for i := range p.ways {
		w := &p.ways[i]
		if w.method == method && slices.EqualFunc(w.segments, asked, func(want, got string) bool {
			return want == got || strings.HasPrefix(want, "{") && got != ""
		}) {
			return w
		}
	}
	return nil
}

// broken is what an answer has that the contract has not, or "".
func (p *pact) broken(w *way, status int, header http.Header, body []byte) string {
	answer, known := w.answers[strconv.Itoa(status)]
	if !known {
		return "the status is not documented"
	}
	for _, name := range []string{"Link", "X-Total-Count"} {
		_, declared := answer.Headers[name]
		if given := header.Get(name) != ""; given && !declared || declared && !given && name != "Link" {
			return fmt.Sprintf("%s: declared %t, given %t", name, declared, given)
		}
	}
	if len(answer.Content) == 0 {
		if len(body) > 0 {
			return "a body where none is documented"
		}
		return ""
	}
	media, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if _, known := answer.Content[media]; err != nil || !known {
		return fmt.Sprintf("the media type %q is not among %v", media, slices.Collect(maps.Keys(answer.Content)))
	}
	if !strings.HasSuffix(media, "json") {
		return ""
	}
	schema, err := p.schema(w.pointer + "/responses/" + strconv.Itoa(status) + "/content/" + strings.ReplaceAll(media, "/", "~1") + "/schema")
	if err != nil {
		return err.Error()
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		return err.Error()
	}
	if reported, _ := value.(map[string]any); closed(status) && !slices.Contains(answer.Codes, fmt.Sprint(reported["code"])) {
		return fmt.Sprintf("the code %v is not among %v", reported["code"], answer.Codes)
	}
	return ""
}

// closed reports whether the guards alone answer a status.
func closed(status int) bool {
	return slices.ContainsFunc(rest.Refusals, func(one rest.Refusal) bool { return one.Status == status && !one.Open })
}

func (p *pact) schema(pointer string) (*jsonschema.Schema, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.compiler.Compile("contract.json#" + strings.NewReplacer("{", "%7B", "}", "%7D").Replace(pointer))
}

// witnessed holds every answer of a test's server against the contract.
func witnessed(t *testing.T, next http.Handler) http.Handler {
	t.Helper()
	p, err := contracted()
	require.NoError(t, err)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &seen{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(seen, r)
		way := p.find(r.Method, r.URL.Path)
		if way == nil || r.Context().Err() != nil {
			return
		}
		if wrong := p.broken(way, seen.status, seen.Header(), seen.body.Bytes()); wrong != "" {
			t.Errorf("%s answered %d outside of the contract: %s\n%.600s", way.id, seen.status, wrong, seen.body.String())
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		way.answered[strconv.Itoa(seen.status)] = true
	})
}

// seen is an answer as it was written.
type seen struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (s *seen) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

func (s *seen) Write(p []byte) (int, error) {
	s.body.Write(p)
	return s.ResponseWriter.Write(p)
}

func (s *seen) Flush() { http.NewResponseController(s.ResponseWriter).Flush() } //nolint:errcheck // as net/http's own

// Unwrap gives http.ResponseController the writer below.
func (s *seen) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// unseen are the declared answers that no request of the suite received: a success, a page,
// a missing object and a conflict. Other refusals follow from the guards; of a decision,
// done and still being executed are one success.
func (p *pact) unseen() (missing []string) {
	for _, w := range p.ways {
		_, done := w.answers["200"]
		for status := range w.answers {
			promised := status < "400" || status == "404" || status == "409"
			seen := w.answered[status] || status == "200" && w.answered["202"]
			if !promised || status == "202" && done || seen {
				continue
			}
			missing = append(missing, w.id+" "+status)
		}
	}
	slices.Sort(missing)
	return missing
}

// TestMain holds the contract against the whole suite: an answer that is not declared
// fails its own test, and one that is declared and never given fails here.
func TestMain(m *testing.M) {
	failed := m.Run()
	asked := func(name string) bool { return flag.Lookup("test."+name).Value.String() != "" }
	if p, err := contracted(); failed == 0 && err == nil && !asked("run") && !asked("skip") && !asked("list") && !asked("fuzz") {
		for _, missing := range p.unseen() {
			fmt.Println("declared and never answered:", missing)
			failed = 1
		}
	}
	os.Exit(failed)
}

// The witness itself: each kind of breach is seen, and a fitting answer is none.
func TestTheContractIsReadStrictly(t *testing.T) {
	p, err := contracted()
	require.NoError(t, err)
	plain := func(media string) http.Header { return http.Header{"Content-Type": {media}} }
	token := p.find(http.MethodGet, "/api/csrf-token")
	require.Equal(t, "getCsrfToken", token.id)
	require.Equal(t, "getGiftCardCatalogue", p.find(http.MethodGet, "/api/gift-cards/catalogue").id)
	require.Nil(t, p.find(http.MethodGet, "/orders/1"))
	require.Empty(t, p.broken(token, 200, plain("application/json"), []byte(`{"csrfToken":"x"}`)))
	for name, a := range map[string]struct {
		status int
		header http.Header
		body   string
	}{
		"status":   {202, plain("application/json"), `{"csrfToken":"x"}`},
		"media":    {200, plain("text/plain"), `{"csrfToken":"x"}`},
		"unknown":  {200, plain("application/json"), `{"csrfToken":"x","more":1}`},
		"missing":  {200, plain("application/json"), `{}`},
		"null":     {200, plain("application/json"), `{"csrfToken":null}`},
		"type":     {200, plain("application/json"), `{"csrfToken":1}`},
		"no JSON":  {200, plain("application/json"), `{`},
		"of lists": {200, http.Header{"Content-Type": {"application/json"}, "X-Total-Count": {"1"}}, `{"csrfToken":"x"}`},
	} {
		require.NotEmpty(t, p.broken(token, a.status, a.header, []byte(a.body)), name)
	}
	require.Contains(t, p.broken(token, 401, plain("application/problem+json"), []byte(`{"message":"","code":"else","type":"","title":"","status":401,"detail":""}`)), "else")
	list := p.find(http.MethodGet, "/api/orders")
	require.Contains(t, p.broken(list, 200, plain("application/json"), []byte(`[]`)), "X-Total-Count")
}

// What is declared and not answered is named.
func TestADeclaredAnswerThatIsNeverGivenIsNamed(t *testing.T) {
	raw, err := OpenAPI()
	require.NoError(t, err)
	p, err := pactOf(raw)
	require.NoError(t, err)
	for i := range p.ways {
		for status := range p.ways[i].answers {
			p.ways[i].answered[status] = true
		}
	}
	require.Empty(t, p.unseen())
	p.find(http.MethodGet, "/api/orders/{id}").answered["404"] = false
	require.Equal(t, []string{"getOrder 404"}, p.unseen())
}

// Each operation says in a sentence of its own what it does; one without registers not.
func TestEveryOperationSaysWhatItDoes(t *testing.T) {
	raw, err := OpenAPI()
	require.NoError(t, err)
	var document struct {
		Paths map[string]map[string]struct{ OperationID, Summary, Description string }
	}
	require.NoError(t, json.Unmarshal(raw, &document))
	said := map[string]string{}
	for _, methods := range document.Paths {
		for _, op := range methods {
			words := strings.Fields(op.Summary)
			require.Regexp(t, `^\p{Lu}.{9,88}[^.]$`, op.Summary, op.OperationID)
			require.Greater(t, len(words), 1, op.OperationID)
			require.NotEqual(t, strings.ToLower(op.OperationID), strings.ToLower(strings.Join(words, "")), "%s only says its name", op.OperationID)
			require.Empty(t, said[op.Summary], "%s says what %s does", op.OperationID, said[op.Summary])
			require.Regexp(t, `(Open to everybody|For who is signed in|For staff: )`, op.Description, op.OperationID)
			said[op.Summary] = op.OperationID
		}
	}
	require.Panics(t, func() {
		rest.Get(rest.NewTable(rest.NewContract(gin.New()), &rest.Guard{}), "/api/x", "x", "", policy.Anyone, rest.Reading, (&Server{}).account.GetSession)
	})
}
