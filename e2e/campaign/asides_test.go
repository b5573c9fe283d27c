package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// An aside is undone by its reversal, or when it is found undone; a call that was refused for another reason leaves it.
// An act that requires two admins is done by two, whatever the body.
func TestAsidesAreRevertedByWhatTheirAnswersSay(t *testing.T) {
	b := &browser{cluster: &cluster{counts: map[string]int{}}}
	says := func(status int, code string) answer {
		return b.answered(page{status: status, body: []byte(`{"code":"` + code + `"}`)})
	}
	for code, back := range map[string]bool{"not_paused": true, "not_frozen": true, "decision_open": false, "second_person": false, "list_changed": false} {
		require.Equal(t, back, says(409, code).asBefore(), code)
	}
	require.True(t, says(200, "").asBefore())
	require.False(t, says(403, "forbidden").asBefore())
	require.False(t, says(503, "unavailable").asBefore())

	answers := func(got answer) step { return func(context.Context) answer { return got } }
	require.True(t, byTwo(answers(says(409, "second_person")), answers(says(200, "")))(t.Context()).done())
	require.Equal(t, 403, byTwo(answers(says(403, "forbidden")), answers(says(200, "")))(t.Context()).status)
}
