package casework

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Event is something that happened to an order, a gift card or a case. Data holds
// codes and figures, never a provider's text; Internal events are for staff only.
type Event struct {
	Kind     string
	Actor    Actor
	Internal bool
	Data     map[string]any
	Dedupe   string
	// MailAfter is how long the mails that it causes wait.
	MailAfter time.Duration
}

// prepare checks that an event's kind is listed, and gives its data as it is
// stored. One without an actor is the system's.
func (e *Event) prepare(kinds []string) (json.RawMessage, error) {
	if !slices.Contains(kinds, e.Kind) {
		return nil, fmt.Errorf("write event: %q is no kind of event: list it", e.Kind)
	}
	if e.Actor == "" {
		e.Actor = BySystem
	}
	if e.Data == nil {
		return json.RawMessage("{}"), nil
	}
	data, err := json.Marshal(e.Data)
	if err != nil {
		return nil, fmt.Errorf("write event %s: %w", e.Kind, err)
	}
	return data, nil
}

// once is the event's Dedupe as it is stored: nothing where it may happen again.
func (e *Event) once() *string {
	if e.Dedupe == "" {
		return nil
	}
	return &e.Dedupe
}

// Actor says on whose side an event began.
type Actor string

// The actors of order events.
const (
	BySystem   Actor = "system"
	ByCustomer Actor = "customer"
	ByStaff    Actor = "staff"
	ByProvider Actor = "provider"
)
