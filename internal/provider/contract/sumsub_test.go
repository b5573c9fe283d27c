package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/internal/provider/sumsub"
)

func identityOf(b *box) *sumsub.Client {
	return sumsub.New(sumsub.Config{
		URL: b.url, AppToken: sumsubToken, Secret: sumsubSecret, Level: sumsubLevel, Timeout: longEnough,
		Now: func(context.Context) (time.Time, error) { return b.now(), nil },
	})
}

// widget does what the widget's page does in the browser.
func (b *box) widget(call string, fields map[string]any) {
	b.t.Helper()
	body, err := json.Marshal(fields)
	if err != nil {
		b.t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, b.url+"/websdk/api/"+call, bytes.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		b.t.Fatalf("%s answered %d", call, answer.StatusCode)
	}
}

func TestSumsubFromTokenToVerdict(t *testing.T) {
	b := start(t)
	client := identityOf(b)
	if _, err := client.Status(t.Context(), "user-1"); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("a stranger: %v", err)
	}
	token, err := client.WidgetToken(t.Context(), "user-1", "ada@example.com", "")
	if err != nil || token == "" {
		t.Fatalf("%q, %v", token, err)
	}
	b.widget("launch", map[string]any{"accessToken": token})
	if got, err := client.Status(t.Context(), "user-1"); err != nil || got.Status != provider.ReviewNotStarted || got.Level != sumsubLevel {
		t.Errorf("launched: %+v, %v", got, err)
	}
	b.widget("submit", map[string]any{"accessToken": token, "country": "GBR", "document": "PASSPORT", "outcome": "hold"})
	steps := []struct {
		outcome string
		want    provider.Review
	}{
		{"retry", provider.Review{Status: provider.ReviewRejected, CanRetry: true}},
		{"reject", provider.Review{Status: provider.ReviewRejected}},
		{"approve", provider.Review{Status: provider.ReviewApproved}},
		{"reject", provider.Review{Status: provider.ReviewRejected}}, // a later result overturns an earlier one
	}
	for _, step := range steps {
		b.control("sumsub/decide", map[string]any{"user": "user-1", "outcome": step.outcome})
		b.until(step.outcome, func() bool {
			got, err := client.Status(t.Context(), "user-1")
			if err != nil {
				t.Fatal(err)
			}
			return got.Status == step.want.Status && got.CanRetry == step.want.CanRetry && got.Country == "GB" && !got.At.IsZero()
		})
	}
	if event := b.awaitWebhook("sumsub", sumsub.NewVerifier(sumsubHook), "user-1"); event.Type == "" || event.At.IsZero() {
		t.Errorf("%+v", event)
	}
}

// The clock of signatures is the one given: a month later it still works.
func TestSumsubSignsWithTheGivenClock(t *testing.T) {
	b := start(t)
	b.control("clock", map[string]any{"advance": "720h"})
	if _, err := identityOf(b).WidgetToken(t.Context(), "user-1", "", ""); err != nil {
		t.Error(err)
	}
	late := sumsub.New(sumsub.Config{URL: b.url, AppToken: sumsubToken, Secret: sumsubSecret, Level: sumsubLevel})
	if _, err := late.WidgetToken(t.Context(), "user-1", "", ""); provider.ClassOf(err) != provider.Refused {
		t.Errorf("with a clock that is a month behind: %v", err)
	}
}
