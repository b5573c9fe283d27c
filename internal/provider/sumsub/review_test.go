package sumsub

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tradepost/tradepost/internal/provider"
)

// The product's name of each state, by rules §1. The client comment, which is for us alone,
// is in every answer and must never be read.
func TestReviewsAreReadInOurWords(t *testing.T) {
	type review = provider.Review
	rejected := review{
		Status: provider.ReviewRejected, Reason: "Please take a sharper photo.", Labels: []string{"UNSATISFACTORY_PHOTOS"},
	}
	again := rejected
	again.CanRetry = true
	cases := []struct {
		state, result string
		want          review
	}{
		{"init", `{}`, review{Status: provider.ReviewNotStarted}},
		{"pending", `{}`, review{Status: provider.ReviewPending}},
		{"prechecked", `{}`, review{Status: provider.ReviewPending}},
		{"queued", `{}`, review{Status: provider.ReviewPending}},
		{"awaitingService", `{}`, review{Status: provider.ReviewPending}},
		{"onHold", `{}`, review{Status: provider.ReviewPending, OnHold: true}},
		{"awaitingUser", `{"moderationComment":"Please take a sharper photo.","rejectLabels":["UNSATISFACTORY_PHOTOS"]}`, again},
		{"completed", `{"reviewAnswer":"GREEN"}`, review{Status: provider.ReviewApproved}},
		{"completed", `{"reviewAnswer":"RED","reviewRejectType":"RETRY","rejectLabels":["UNSATISFACTORY_PHOTOS"],
		 "clientComment":"canary-4711","moderationComment":"Please take a sharper photo."}`, again},
		{"completed", `{"reviewAnswer":"RED","reviewRejectType":"FINAL","rejectLabels":["UNSATISFACTORY_PHOTOS"],
		 "clientComment":"canary-4711","moderationComment":"Please take a sharper photo."}`, rejected},
		{"completed", `{"reviewAnswer":"RED","moderationComment":"Please take a sharper photo.","rejectLabels":["UNSATISFACTORY_PHOTOS"]}`, rejected},
	}
	for _, c := range cases {
		body := fmt.Sprintf(`{"levelName":"basic-kyc-level","attemptId":"a7","reviewStatus":%q,"reviewResult":%s,
		 "createDate":"2026-11-20 10:00:00+0000","reviewDate":"2026-11-21 12:30:00+0000"}`, c.state, c.result)
		client, _ := start(t, map[string]reply{
			oneCall:    {200, `{"id":"66f0","info":{"country":"GBR","firstName":"Ada"},"clientComment":"canary-4711"}`},
			statusCall: {200, body},
		})
		got, err := client.Status(t.Context(), "u1")
		want := c.want
		want.ApplicantID, want.Level, want.Country = "66f0", "basic-kyc-level", "GB"
		want.State, want.Attempt = c.state, "a7"
		if c.state == "completed" { // a date before that is of an earlier result
			want.At = time.Date(2026, 11, 21, 12, 30, 0, 0, time.UTC)
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s %s: %v\n%s", c.state, c.result, err, diff)
		}
	}
}

func TestReviewsThatMakeNoSense(t *testing.T) {
	for _, body := range []string{
		`{"reviewStatus":"on_holiday"}`, `{}`, `{"reviewStatus":"completed"}`,
		`{"reviewStatus":"completed","reviewResult":{"reviewAnswer":"BLUE"}}`,
	} {
		client, _ := start(t, map[string]reply{oneCall: {200, `{"id":"66f0"}`}, statusCall: {200, body}})
		if got, err := client.Status(t.Context(), "u1"); err == nil || got.Status == provider.ReviewApproved {
			t.Errorf("%s: %+v", body, got)
		}
	}
}

func TestCountriesComeInTwoLetters(t *testing.T) {
	for body, want := range map[string]string{
		`{"id":"66f0","info":{"country":"USA"}}`:                                            "US",
		`{"id":"66f0","fixedInfo":{"country":"DEU"}}`:                                       "DE",
		`{"id":"66f0","info":{"idDocs":[{"country":"FRA"}]}}`:                               "FR",
		`{"id":"66f0","info":{"country":"XKX"}}`:                                            "XK",
		`{"id":"66f0","info":{"idDocs":[{"country":"rks"}]}}`:                               "XK",
		`{"id":"66f0","info":{"idDocs":[{"country":"D"}]}}`:                                 "DE",
		`{"id":"66f0","info":{"country":"GBN"}}`:                                            "GB",
		`{"id":"66f0","info":{"country":"XXX"},"fixedInfo":{"country":"DEU"}}`:              "?XXX", // what was stated replaces nothing
		`{"id":"66f0","info":{"country":"XXX","idDocs":[{"country":"FRA"}]}}`:               "?XXX",
		`{"id":"66f0","info":{"idDocs":[{"country":"FRA"}]},"fixedInfo":{"country":"USA"}}`: "FR",
		`{"id":"66f0","info":{"country":"XXX"},"fixedInfo":{"country":"Utopia"}}`:           "?XXX",
		`{"id":"66f0","info":{"country":"Utopia, the <island>"}}`:                           "?UTOPIATHEISL",
		`{"id":"66f0"}`: "",
	} {
		client, _ := start(t, map[string]reply{oneCall: {200, body}, statusCall: {200, `{"reviewStatus":"init"}`}})
		if got, err := client.Status(t.Context(), "u1"); err != nil || got.Country+got.CountryUnread != strings.TrimPrefix(want, "?") || (got.CountryUnread != "") != strings.HasPrefix(want, "?") {
			t.Errorf("%s: %q, unread %q, %v", body, got.Country, got.CountryUnread, err)
		}
	}
}

func TestTheFirstDocumentToRunOutCounts(t *testing.T) {
	for body, want := range map[string]string{
		`{"id":"66f0","info":{"idDocs":[{"validUntil":"2031-05-01"},{"validUntil":"2029-02-28"},{}]}}`: "2029-02-28",
		`{"id":"66f0","info":{"idDocs":[{"validUntil":"soon"}]}}`:                                      "0001-01-01",
		`{"id":"66f0","deleted":true}`:                                                                 "0001-01-01",
	} {
		client, _ := start(t, map[string]reply{oneCall: {200, body}, statusCall: {200, `{"reviewStatus":"init"}`}})
		got, err := client.Status(t.Context(), "u1")
		if err != nil || got.DocumentsUntil.Format(time.DateOnly) != want || got.Deactivated != strings.Contains(body, "deleted") {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
}
