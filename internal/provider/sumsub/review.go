package sumsub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/text/language"

	"github.com/tradepost/tradepost/internal/provider"
)

// tokenRequest requests a widget token. Field order is the documented one.
type tokenRequest struct {
	UserID      string       `json:"userId"`
	Level       string       `json:"levelName"`
	TTL         int          `json:"ttlInSecs"`
	Identifiers *identifiers `json:"applicantIdentifiers,omitempty"`
}

type identifiers struct {
	Email string `json:"email"`
}

// WidgetToken makes an access token for the browser widget; it is valid for ten minutes,
// and belongs to that customer's browser alone.
func (c *Client) WidgetToken(ctx context.Context, userID, email, level string) (string, error) {
	const operation = "widget_token"
	in := tokenRequest{UserID: userID, Level: level, TTL: tokenSeconds}
	if level == "" {
		in.Level = c.config.Level
	}
	if email != "" {
		in.Identifiers = &identifiers{Email: email}
	}
	body, err := json.Marshal(in)
	if err != nil {
		return "", retry(operation, "bad_request", "")
	}
	var answer struct {
		Token string `json:"token"`
	}
	if err := c.call(ctx, operation, http.MethodPost, "/resources/accessTokens/sdk", body, &answer); err != nil {
		return "", err
	}
	if answer.Token == "" {
		return "", retry(operation, "unreadable_answer", "no token")
	}
	return answer.Token, nil
}

// Reset has a customer verified from the beginning: Sumsub marks what they sent as inactive
// and requires documents again.
func (c *Client) Reset(ctx context.Context, applicantID string) error {
	return c.call(ctx, "reset", http.MethodPost, "/resources/applicants/"+url.PathEscape(applicantID)+"/reset", nil, nil)
}

// applicant holds the fields of an applicant that we read: no names, no dates
// of birth, no documents.
type applicant struct {
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"` // "deactivated" in the dashboard
	Info    struct {
		Country string `json:"country"`
		IDDocs  []struct {
			Country    string `json:"country"`
			ValidUntil string `json:"validUntil"`
		} `json:"idDocs"`
	} `json:"info"`
	FixedInfo struct {
		Country string `json:"country"`
	} `json:"fixedInfo"`
}

// reviewState is the answer of an applicant's status.
type reviewState struct {
	Level   string `json:"levelName"`
	Status  string `json:"reviewStatus"`
	Attempt string `json:"attemptId"`
	Result  struct {
		Answer     string   `json:"reviewAnswer"`
		RejectType string   `json:"reviewRejectType"`
		Labels     []string `json:"rejectLabels"`
		Moderation string   `json:"moderationComment"`
	} `json:"reviewResult"`
	ReviewDate string `json:"reviewDate"`
}

// Status reads the state of a customer's review.
func (c *Client) Status(ctx context.Context, userID string) (provider.Review, error) {
	const operation = "status"
	var a applicant
	path := "/resources/applicants/-;externalUserId=" + url.PathEscape(userID) + "/one"
	if err := c.read(ctx, "applicant", path, &a); err != nil {
		return provider.Review{}, err
	}
	if a.ID == "" {
		return provider.Review{}, retry(operation, "unreadable_answer", "an applicant without an id")
	}
	var s reviewState
	if err := c.read(ctx, operation, "/resources/applicants/"+url.PathEscape(a.ID)+"/status", &s); err != nil {
		return provider.Review{}, err
	}
	out, known := s.review()
	if !known {
		return provider.Review{}, retry(operation, "unreadable_answer", "an unknown review status")
	}
	out.ApplicantID, out.DocumentsUntil, out.Deactivated = a.ID, a.documentsUntil(), a.Deleted
	out.Country, out.CountryUnread = a.country()
	return out, nil
}

// read is call for lookups, where not found means that the customer is not there yet.
func (c *Client) read(ctx context.Context, operation, path string, out any) error {
	err := c.call(ctx, operation, http.MethodGet, path, nil, out)
	var e *provider.Error
	if errors.As(err, &e) && e.Code == codeNotFound {
		return provider.ErrNotFound
	}
	return err
}

// review maps Sumsub's states to ours, by the product's decisions.
func (s reviewState) review() (provider.Review, bool) {
	out := provider.Review{Level: s.Level, State: s.Status, Attempt: s.Attempt}
	switch s.Status {
	case "init":
		out.Status = provider.ReviewNotStarted
	case "pending", "prechecked", "queued", "awaitingService":
		out.Status = provider.ReviewPending
	case "onHold":
		out.Status, out.OnHold = provider.ReviewPending, true
	case "awaitingUser":
		out.Status, out.CanRetry = provider.ReviewRejected, true
		out.Reason, out.Labels = s.Result.Moderation, s.Result.Labels
	case "completed":
		return s.verdict(out)
	default:
		return out, false
	}
	return out, true
}

// verdict reads a finished review. Only RETRY lets a customer try again.
func (s reviewState) verdict(out provider.Review) (provider.Review, bool) {
	out.At = parseDate(s.ReviewDate)
	switch s.Result.Answer {
	case "GREEN":
		out.Status = provider.ReviewApproved
	case "RED":
		out.Status, out.CanRetry = provider.ReviewRejected, s.Result.RejectType == "RETRY"
		out.Reason, out.Labels = s.Result.Moderation, s.Result.Labels
	default:
		return out, false
	}
	return out, true
}

// dateLayouts are the forms Sumsub writes dates in; without a zone they are UTC.
var dateLayouts = []string{
	"2006-01-02 15:04:05.000", "2006-01-02 15:04:05", "2006-01-02 15:04:05-0700", time.RFC3339,
}

func parseDate(text string) time.Time {
	for _, layout := range dateLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}

// documentsUntil is the day on which the first of the documents runs out.
func (a applicant) documentsUntil() time.Time {
	var first time.Time
	for _, doc := range a.Info.IDDocs {
		until, err := time.Parse(time.DateOnly, doc.ValidUntil)
		if err == nil && (first.IsZero() || until.Before(first)) {
			first = until
		}
	}
	return first
}

// otherCountries are codes of countries in documents that ISO 3166-1 does not have: those of Kosovo's passports and of
// British ones that are no citizen's, and the one letter of German ones (ICAO Doc 9303, part 3, section 5).
var otherCountries = map[string]string{"XKX": "XK", "RKS": "XK", "D": "DE", "GBD": "GB", "GBN": "GB", "GBO": "GB", "GBP": "GB", "GBS": "GB"}

// country gives the verified country in two letters; Sumsub writes three. What was verified comes before what the
// customer stated (fixedInfo). Where the first that is given names no country that we know, it is unread: a person has
// to decide then, and nothing less certain takes its place.
func (a applicant) country() (code, unread string) {
	candidates := []string{a.Info.Country}
	for _, doc := range a.Info.IDDocs {
		candidates = append(candidates, doc.Country)
	}
	for _, text := range append(candidates, a.FixedInfo.Country) {
		if text == "" {
			continue
		}
		name := strings.ToUpper(strings.TrimSpace(text))
		if region, err := language.ParseRegion(cmp.Or(otherCountries[name], name)); err == nil && region.IsCountry() {
			return region.String(), ""
		}
		return "", lettersOf(name)
	}
	return "", ""
}

// longestName is the most that is kept of a country's name that we don't know.
const longestName = 12

// lettersOf keeps the first letters of a name, or a question mark of one without any.
func lettersOf(name string) string {
	var kept []rune
	for _, r := range name {
		if r >= 'A' && r <= 'Z' && len(kept) < longestName {
			kept = append(kept, r)
		}
	}
	return cmp.Or(string(kept), "?")
}
