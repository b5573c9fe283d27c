package stripe_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	stripego "github.com/stripe/stripe-go/v85"
)

// post sends a form as it is written and answers the status and the object.
func (tn *testServer) post(path, form string, headers ...string) (int, map[string]any) {
	tn.Helper()
	r, err := http.NewRequest(http.MethodPost, tn.url+path, strings.NewReader(form))
	require.NoError(tn, err)
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(headers); i += 2 {
		r.Header[headers[i]] = []string{headers[i+1]}
	}
	res, err := http.DefaultClient.Do(r)
	require.NoError(tn, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(tn, err)
	object := map[string]any{}
	require.NoError(tn, json.Unmarshal(body, &object), "%s", body)
	return res.StatusCode, object
}

// TestListsWithoutNumbers: a[][b]=… is how clients without numbers write a list
// of objects; an element ends where one of its names comes again.
func TestListsWithoutNumbers(t *testing.T) {
	tn := start(t)
	item := func(name, cents string) string {
		return "line_items[][quantity]=2&line_items[][price_data][currency]=usd&line_items[][price_data][unit_amount]=" + cents + "&line_items[][price_data][product_data][name]=" + name
	}
	status, page := tn.post("/v1/checkout/sessions", "mode=payment&success_url=http%3A%2F%2Flocalhost%2F&payment_method_types[]=card&"+item("first", "100")+"&"+item("second", "250")+"&expand[]=line_items")
	require.Equal(t, 200, status, page)
	require.InDelta(t, 700, page["amount_total"], 0)
	lines := page["line_items"].(map[string]any)["data"].([]any)
	require.Len(t, lines, 2)
	require.Equal(t, "second", lines[1].(map[string]any)["description"])
}

// TestMetadataIsUnset: an empty value removes a name, an empty metadata all of them; the
// others stay.
func TestMetadataIsUnset(t *testing.T) {
	tn := start(t)
	_, pi := tn.post("/v1/payment_intents", "amount=1000&currency=usd&payment_method=pm_card_visa&confirm=true&capture_method=manual&metadata[a]=1&metadata[b]=2&expand[]=latest_charge")
	path := "/v1/payment_intents/" + pi["id"].(string)
	_, pi = tn.post(path, "metadata[a]=&metadata[c]=3")
	require.Equal(t, map[string]any{"b": "2", "c": "3"}, pi["metadata"])
	_, pi = tn.post(path, "metadata=&statement_descriptor_suffix=SHOP")
	require.Equal(t, map[string]any{}, pi["metadata"])
	require.Equal(t, "SHOP", pi["statement_descriptor_suffix"])
	_, pi = tn.post(path+"/capture", "metadata[d]=4&statement_descriptor_suffix=LATE&expand[]=latest_charge.balance_transaction&expand[]=latest_charge.refunds")
	require.Equal(t, map[string]any{"d": "4"}, pi["metadata"])
	ch := pi["latest_charge"].(map[string]any)
	require.Equal(t, "LATE", ch["statement_descriptor_suffix"])
	require.Empty(t, ch["refunds"].(map[string]any)["data"])
	require.Equal(t, "payments", ch["balance_transaction"].(map[string]any)["balance_type"])
	_, re := tn.post("/v1/refunds", "payment_intent="+pi["id"].(string)+"&metadata[a]=1")
	_, re = tn.post("/v1/refunds/"+re["id"].(string), "metadata[a]=&metadata[b]=2")
	require.Equal(t, map[string]any{"b": "2"}, re["metadata"])
	_, cus := tn.post("/v1/customers", "email=a%40example.com&metadata[a]=1")
	_, cus = tn.post("/v1/customers/"+cus["id"].(string), "metadata[a]=&name=Ada&email=")
	require.Equal(t, []any{map[string]any{}, "Ada", nil}, []any{cus["metadata"], cus["name"], cus["email"]})
}

// TestOperationsWithoutAuthentication: a payment whose customer is away, or whose caller
// wants an error, is declined where 3-D Secure would be asked for.
func TestOperationsWithoutAuthentication(t *testing.T) {
	tn := start(t)
	for _, how := range []string{"error_on_requires_action=true", "off_session=true", "off_session=one_off"} {
		status, answer := tn.post("/v1/payment_intents", "amount=1000&currency=usd&payment_method=pm_card_authenticationRequired&confirm=true&"+how)
		problem := answer["error"].(map[string]any)
		require.Equal(t, []any{402, "card_error", "authentication_required"}, []any{status, problem["type"], problem["code"]}, how)
		require.Equal(t, "requires_payment_method", problem["payment_intent"].(map[string]any)["status"])
	}
	status, answer := tn.post("/v1/payment_intents", "amount=1000&currency=usd&payment_method=pm_card_visa&confirm=1")
	require.Equal(t, []any{400, "confirm"}, []any{status, answer["error"].(map[string]any)["param"]})
	// A card that asks for nothing goes through all the same.
	status, answer = tn.post("/v1/payment_intents", "amount=1000&currency=usd&confirm=true&off_session=true&payment_method_data[type]=card&payment_method_data[card][token]=tok_visa")
	require.Equal(t, []any{200, "succeeded"}, []any{status, answer["status"]})
	_, answer = tn.post("/v1/payment_intents", "amount=1000&currency=usd&confirm=true&payment_method_data[type]=card&payment_method_data[card][token]=tok_chargeDeclined")
	require.Equal(t, "card_declined", answer["error"].(map[string]any)["code"])
}

// TestWhatIsSentIsShown: a payment shows what it was made with, and no payment is made as a
// customer who does not exist.
func TestWhatIsSentIsShown(t *testing.T) {
	tn := start(t)
	status, pi := tn.post("/v1/payment_intents", "amount=1000&currency=usd&automatic_payment_methods[enabled]=true&automatic_payment_methods[allow_redirects]=never&transfer_group=g&setup_future_usage=off_session&shipping[name]=Ada&shipping[address][line1]=Main+1")
	require.Equal(t, []any{200, "g", "off_session"}, []any{status, pi["transfer_group"], pi["setup_future_usage"]})
	require.Equal(t, "never", pi["automatic_payment_methods"].(map[string]any)["allow_redirects"])
	place := pi["shipping"].(map[string]any)
	require.Equal(t, []any{"Ada", "Main 1", nil}, []any{place["name"], place["address"].(map[string]any)["line1"], place["phone"]})
	for _, path := range []string{"/v1/payment_intents", "/v1/payment_intents/" + pi["id"].(string)} {
		form := "customer=cus_nobody"
		if path == "/v1/payment_intents" {
			form += "&amount=1000&currency=usd"
		}
		status, answer := tn.post(path, form)
		problem := answer["error"].(map[string]any)
		require.Equal(t, []any{400, "resource_missing", "customer"}, []any{status, problem["code"], problem["param"]})
	}
}

// TestHeaders: the scheme's case is ignored, and a version may name previews beside its
// train.
func TestHeaders(t *testing.T) {
	tn := start(t)
	for _, headers := range [][]string{
		{"Authorization", "bearer " + key}, {"Stripe-Version", "2026-03-25.preview; some_beta=v1"}, {"Expect", "100-continue"}, {"Accept-Encoding", "gzip, br"},
		{"Content-Type", ""}, {"Content-Type", "Application/X-WWW-Form-URLEncoded ; charset=UTF-8"},
	} {
		status, _ := tn.post("/v1/customers", "email=a%40example.com", headers...)
		require.Equal(t, 200, status, headers)
	}
	_, pm := tn.post("/v1/payment_methods", "type=card&card[token]=tok_mastercard")
	require.Equal(t, "mastercard", pm["card"].(map[string]any)["brand"])
	cus, err := tn.stripe.V1Customers.Create(context.Background(), &stripego.CustomerCreateParams{})
	require.NoError(t, err)
	_, pm = tn.post("/v1/payment_methods/"+pm["id"].(string)+"/attach", "customer="+cus.ID)
	require.Equal(t, cus.ID, pm["customer"])
}
