package bitgo

import (
	"testing"
	"time"
)

// A deposit that the network dropped is over after two weeks; a transfer of ours that
// was removed stays open, since a person has to know what became of its coin.
func TestRemovedTransfersSettleByWhoseTheyAre(t *testing.T) {
	now := time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		state, kind string
		age         time.Duration
		want        bool
	}{
		{"removed", "receive", forgottenAfter, false},
		{"removed", "receive", forgottenAfter + time.Second, true},
		{"removed", "send", 365 * 24 * time.Hour, false},
		{"unconfirmed", "receive", 365 * 24 * time.Hour, false},
		{"confirmed", "receive", 0, true},
		{"replaced", "send", 0, true},
	} {
		one := listed{transfer: transfer{State: c.state}, Type: c.kind, Date: now.Add(-c.age)}
		if one.settled(now) != c.want {
			t.Errorf("%s %s of %s: settled %v", c.kind, c.state, c.age, !c.want)
		}
	}
}
