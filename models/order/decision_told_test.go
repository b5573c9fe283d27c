package order

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEveryDecisionIsToldWithItsActor(t *testing.T) {
	for _, kind := range DecisionKinds {
		require.NotEmpty(t, pastTense[kind], kind)
	}
	for kind := range pastTense {
		require.True(t, slices.Contains(DecisionKinds, kind), kind)
	}
	staff, own := NewDecision{Kind: DecisionHold}, NewDecision{Kind: DecisionCancel, Own: true}
	made := &lastDecision{Decision: Decision{}, ActorName: "Bob Baker", AgeSeconds: 2}
	made.Kind = DecisionProcess
	require.Equal(t, ". Bob Baker processed it 2 seconds ago.", made.Told(staff))
	require.Empty(t, made.Told(own), "customers get no names")
	require.Empty(t, (*lastDecision)(nil).Told(staff))
	made.ByCustomer, made.Kind = true, DecisionKeepOrder
	require.Equal(t, ". The customer kept it as ordered 2 seconds ago.", made.Told(staff))
	made.ByCustomer, made.ActorName = false, ""
	require.Equal(t, ". A colleague kept it as ordered 2 seconds ago.", made.Told(staff))
}

func TestAgeIsToldInItsLargestUnit(t *testing.T) {
	for age, want := range map[time.Duration]string{
		-time.Second:      "just now",
		0:                 "just now",
		time.Second:       "1 second ago",
		59 * time.Second:  "59 seconds ago",
		time.Minute:       "1 minute ago",
		119 * time.Minute: "1 hour ago",
		47 * time.Hour:    "47 hours ago",
		48 * time.Hour:    "2 days ago",
	} {
		require.Equal(t, want, ago(age), age.String())
	}
}
