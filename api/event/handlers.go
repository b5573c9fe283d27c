// Package event answers the calls about the event stream.
package event

import (
	"time"

	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/store"
)

// Handlers answer the calls about the event stream.
type Handlers struct {
	*rest.SecondFactor
	DB     *store.DB
	Hub    *Hub
	Policy *policy.Policy
	// Ping is the time between two comments in a stream, and so how late a lost notice is noticed; zero is 20 seconds.
	Ping time.Duration
}
