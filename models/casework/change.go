package casework

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Event is something that happened to an order. Data holds codes and figures,
// never a provider's text; Internal events are for staff only. Two events of
// one order with the same Dedupe are one event.
type Event struct {
	Kind     string
	Actor    Actor
	Internal bool
	Data     map[string]any
	Dedupe   string
	// MailAfter is how long the mails that it causes wait.
	MailAfter time.Duration
}

// Prepare checks that an event's kind is listed, and gives its data as it is
// stored. One of nobody's is the system's.
func (e *Event) Prepare(kinds []string) (json.RawMessage, error) {
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

// Once is the event's Dedupe as it is stored: nothing where it may be told again.
func (e *Event) Once() *string {
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
