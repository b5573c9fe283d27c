package sumsub

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/tradepost/tradepost/internal/sandbox"
)

const (
	applicants = "sumsub_applicants"
	byUser     = "sumsub_by_user"
	byAge      = "sumsub_by_age"
	accesses   = "sumsub_accesses" // of the widget, by token
	due        = "sumsub_due"
	settings   = "sumsub_settings" // "digest" → algorithm of webhooks
)

// applicant is a customer as Sumsub stores it. Fields in lower case of the store only begin
// with an underscore and are not shown.
type applicant struct {
	ID             string         `json:"id"`
	CreatedAt      string         `json:"createdAt"`
	Key            string         `json:"key"`
	ClientID       string         `json:"clientId"`
	InspectionID   string         `json:"inspectionId"`
	ExternalUserID string         `json:"externalUserId"`
	Email          string         `json:"email,omitempty"`
	Phone          string         `json:"phone,omitempty"`
	FixedInfo      map[string]any `json:"fixedInfo,omitempty"`
	Info           map[string]any `json:"info,omitempty"`
	Metadata       []any          `json:"metadata,omitempty"`
	Lang           string         `json:"lang"`
	Type           string         `json:"type"`
	RequiredIDDocs map[string]any `json:"requiredIdDocs"`
	Deleted        bool           `json:"deleted,omitempty"` // deactivated
	Tags           []string       `json:"tags,omitempty"`
	Review         review         `json:"review"`
}

// review is the state of an applicant.
type review struct {
	ReviewID              string  `json:"reviewId"`
	AttemptID             string  `json:"attemptId"`
	AttemptCount          int     `json:"attemptCnt"`
	ElapsedSincePendingMs int64   `json:"elapsedSincePendingMs"`
	LevelName             string  `json:"levelName"`
	CreateDate            string  `json:"createDate"`
	ReviewDate            string  `json:"reviewDate,omitempty"`
	Result                *result `json:"reviewResult,omitempty"`
	Status                string  `json:"reviewStatus"`
	Priority              int     `json:"priority"`
}

// result is the answer of a finished review. ModerationComment is for the
// customer, ClientComment for us alone.
type result struct {
	Answer            string   `json:"reviewAnswer"`
	RejectType        string   `json:"reviewRejectType,omitempty"`
	RejectLabels      []string `json:"rejectLabels,omitempty"`
	ModerationComment string   `json:"moderationComment,omitempty"`
	ClientComment     string   `json:"clientComment,omitempty"`
}

// record is an applicant in the store.
type record struct {
	applicant
	PendingSince time.Time `json:"_pendingSince"`
	Submits      int       `json:"_submits"`
	HiddenUntil  time.Time `json:"_hiddenUntil"`
	// PreviousLevel is the one before the last change of level.
	PreviousLevel string `json:"_previousLevel,omitempty"`
}

// accessToken opens the widget for one customer until it expires.
type accessToken struct {
	User    string    `json:"user"`
	Level   string    `json:"level"`
	Email   string    `json:"email"`
	Phone   string    `json:"phone"`
	Expires time.Time `json:"expires"`
}

// outcomes are the results that can be set for a submission.
var outcomes = map[string]result{
	"approve": {Answer: "GREEN"},
	"retry": {Answer: "RED", RejectType: "RETRY", RejectLabels: []string{"UNSATISFACTORY_PHOTOS"},
		ModerationComment: "The photo of your document is not sharp enough. Please take a new one in good light.", ClientComment: "Sandbox: rejected for a retry."},
	"reject": {Answer: "RED", RejectType: "FINAL", RejectLabels: []string{"FORGERY"},
		ModerationComment: "We could not verify your identity.", ClientComment: "Sandbox: rejected for good."},
}

// newID is 24 hex digits, the form of Sumsub's ids.
func newID() string {
	raw := make([]byte, 12)
	_, _ = rand.Read(raw)
	return hex.EncodeToString(raw)
}

func sumsubTime(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05-0700") }

// find loads the applicant by its own id or by ours; nil when there is none.
func find(tx *sandbox.Tx, id, user string) (*record, error) {
	if id == "" {
		if found, err := tx.Get(byUser, user, &id); err != nil || !found {
			return nil, err
		}
	}
	doc := new(record)
	found, err := tx.Get(applicants, id, doc)
	if err != nil || !found {
		return nil, err
	}
	return doc, nil
}

// create makes the applicant of a customer who has none.
func (c *change) create(user, level, email, phone string) (*record, error) {
	id := newID()
	doc := &record{applicant: applicant{
		ID: id, CreatedAt: c.now.UTC().Format("2006-01-02 15:04:05"), Key: newID(), ClientID: "sandbox", InspectionID: newID(),
		ExternalUserID: user, Email: email, Phone: phone, Lang: "en", Type: "individual",
		RequiredIDDocs: map[string]any{"docSets": []any{
			map[string]any{"idDocSetType": "IDENTITY", "types": []string{"PASSPORT", "ID_CARD", "DRIVERS"}},
			map[string]any{"idDocSetType": "SELFIE", "types": []string{"SELFIE"}},
		}},
		Review: review{ReviewID: newID(), AttemptID: newID(), LevelName: level, CreateDate: sumsubTime(c.now), Status: "init"},
	}}
	n, err := c.tx.NextID(byAge)
	if err != nil {
		return nil, err
	}
	if err := c.tx.Put(byAge, fmt.Sprintf("%012d", n), id); err != nil {
		return nil, err
	}
	if err := c.tx.Put(byUser, user, id); err != nil {
		return nil, err
	}
	if fault, armed := c.sim.world.Faults.TakeCode("sumsub", "create_applicant", []string{"lag"}, user); armed {
		doc.HiddenUntil = c.now.Add(time.Duration(fault.Seconds()) * time.Second)
	}
	if err := c.count("applicant", user); err != nil {
		return nil, err
	}
	return doc, c.save(doc, "applicantCreated")
}

// submit sends the applicant into review; the outcome follows shortly after,
// unless it is left to a person.
func (c *change) submit(doc *record, country, document, validUntil, outcome string) error {
	if inReview(doc.Review.Status) || (doc.Review.Status == "completed" && doc.Review.Result.Answer == "GREEN") {
		return nil
	}
	doc.Info = map[string]any{"country": country, "idDocs": []any{map[string]any{"idDocType": document, "country": country, "validUntil": validUntil}}}
	doc.FixedInfo = map[string]any{"country": country}
	doc.Submits++
	doc.PendingSince = c.now
	doc.Review.AttemptID, doc.Review.AttemptCount = newID(), doc.Submits-1
	doc.Review.Status, doc.Review.Result, doc.Review.ReviewDate = "pending", nil, ""
	if err := c.count("submit", doc.ExternalUserID); err != nil {
		return err
	}
	if _, known := outcomes[outcome]; known || outcome == "hold" {
		at := c.now.Add(reviewDelay)
		planned := plan{Applicant: doc.ID, Attempt: doc.Review.AttemptID, Outcome: outcome}
		if err := c.tx.Put(due, fmt.Sprintf("%012d/%s", at.UnixMilli(), doc.ID), planned); err != nil {
			return err
		}
	}
	return c.save(doc, "applicantPending")
}

// plan is an outcome that takes effect with time, unless another is set before.
type plan struct {
	Applicant, Attempt, Outcome string
}

// inReview reports whether a submission waits for Sumsub.
func inReview(status string) bool {
	return slices.Contains([]string{"pending", "prechecked", "queued", "awaitingService"}, status)
}

// onTheWay are the states of a review in progress, with their webhooks; Sumsub has none for
// the queue.
var onTheWay = map[string]struct{ status, webhook string }{
	"wait": {"pending", "applicantPending"}, "precheck": {"prechecked", "applicantPrechecked"}, "queue": {"queued", ""},
	"service": {"awaitingService", "applicantAwaitingService"},
}

// beingChecked are the states in which Sumsub works on what was sent: a profile
// can be neither reset nor deactivated then.
var beingChecked = []string{"pending", "queued", "prechecked"}

// mayMove reports whether the level can be changed now.
func (doc *record) mayMove() bool {
	return !slices.Contains([]string{"pending", "queued", "onHold"}, doc.Review.Status)
}

// levelChanged is the webhook that names the former level, too.
const levelChanged = "applicantLevelChanged"

// move puts an applicant at another level, which requires more of them.
func (c *change) move(doc *record, level string) error {
	if doc.Review.LevelName == level {
		return nil
	}
	doc.PreviousLevel, doc.Review.LevelName = doc.Review.LevelName, level
	doc.Review.Status, doc.Review.Result, doc.Review.ReviewDate = "init", nil, ""
	return c.save(doc, levelChanged)
}

// profile are the changes of a profile without a review, each with its webhook.
var profile = map[string]string{
	"deactivate": "applicantDeactivated", "activate": "applicantActivated", "tag": "applicantTagsChanged", "info": "applicantPersonalInfoChanged",
	"forget": "applicantPersonalDataDeleted", "workflow": "applicantWorkflowCompleted", "action-pending": "applicantActionPending",
	"action-reviewed": "applicantActionReviewed", "action-hold": "applicantActionOnHold",
}

// touch does to a profile what needs no review.
func (c *change) touch(doc *record, word string) error {
	switch word {
	case "deactivate", "activate":
		doc.Deleted = word == "deactivate"
	case "tag":
		doc.Tags = []string{"reviewed-" + newID()[:4]}
	case "forget":
		doc.Info, doc.FixedInfo, doc.Email, doc.Phone = nil, nil, "", ""
	}
	return c.save(doc, profile[word])
}

// remove deletes an applicant for good: the customer is a stranger again.
func (c *change) remove(doc *record) error {
	if err := c.tx.Delete(byUser, doc.ExternalUserID); err != nil {
		return err
	}
	if err := c.tx.Delete(applicants, doc.ID); err != nil {
		return err
	}
	return c.notify(doc, "applicantDeleted")
}

// decide brings the applicant to an outcome: one of outcomes, a state of onTheWay or
// profile, hold, ask (awaitingUser), reset, level (the other one) or delete. It may
// overturn an earlier one.
func (c *change) decide(doc *record, outcome string) error {
	if _, known := profile[outcome]; known {
		return c.touch(doc, outcome)
	}
	switch outcome {
	case "hold":
		doc.Review.Status = "onHold"
		return c.save(doc, "applicantOnHold")
	case "ask":
		doc.Review.Status, doc.Review.Result = "awaitingUser", nil
		return c.save(doc, "applicantAwaitingUser")
	case "reset":
		doc.Review.Status, doc.Review.Result, doc.Review.ReviewDate, doc.Info = "init", nil, "", nil
		if err := c.count("reset", doc.ExternalUserID); err != nil {
			return err
		}
		return c.save(doc, "applicantReset")
	case "level":
		other := slices.IndexFunc(c.sim.levels(), func(level string) bool { return level != "" && level != doc.Review.LevelName })
		if other < 0 {
			return fmt.Errorf("there is no other level")
		}
		return c.move(doc, c.sim.levels()[other])
	case "delete":
		return c.remove(doc)
	}
	if next, goesOn := onTheWay[outcome]; goesOn {
		if doc.PendingSince.IsZero() || !inReview(doc.Review.Status) {
			doc.PendingSince = c.now
		}
		doc.Review.Status, doc.Review.Result = next.status, nil
		return c.save(doc, next.webhook)
	}
	verdict, known := outcomes[outcome]
	if !known {
		return fmt.Errorf("unknown outcome %q", outcome)
	}
	return c.conclude(doc, verdict)
}

func (c *change) conclude(doc *record, verdict result) error {
	doc.Review.Status, doc.Review.Result, doc.Review.ReviewDate = "completed", &verdict, sumsubTime(c.now)
	if !doc.PendingSince.IsZero() {
		doc.Review.ElapsedSincePendingMs = c.now.Sub(doc.PendingSince).Milliseconds()
	}
	if err := c.count("review", doc.ExternalUserID); err != nil {
		return err
	}
	return c.save(doc, "applicantReviewed")
}

// save stores the applicant and queues the webhook of its change, if there is one.
func (c *change) save(doc *record, kind string) error {
	if err := c.tx.Put(applicants, doc.ID, doc); err != nil {
		return err
	}
	if kind == "" {
		return nil
	}
	return c.notify(doc, kind)
}
