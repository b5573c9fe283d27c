package models_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/team"
	"github.com/tradepost/tradepost/models/treasury"
)

// versionOf is the version of what waits under an id, as the page shows it; empty where nothing waits.
func versionOf(ctx context.Context, db *store.DB, kind casework.ApprovalKind, id string) string {
	row, err := casework.WaitingApproval(ctx, db, kind, id)
	if err != nil || row == nil {
		return ""
	}
	return row.Version()
}

// Whatever is withdrawn with a person's role is in the inbox, once; role proposals end with the admins' own rules, and a
// move may be proposed by the system.
func TestEveryFirstApprovalIsInTheInbox(t *testing.T) {
	var listed []casework.ApprovalKind
	for _, rules := range casework.ApprovalKinds() {
		require.NotEmpty(t, rules.Label, rules.Kind)
		require.NotEmpty(t, rules.Titles, rules.Kind)
		require.NotEmpty(t, rules.Roles, rules.Kind)
		listed = append(listed, rules.Kind)
	}
	require.ElementsMatch(t, listed, slices.Concat(team.FirstApprovals(), []casework.ApprovalKind{team.KindApproval, treasury.KindApproval}))
}

// Each kind's query runs and finds nothing where nothing waits.
func TestEveryApprovalQueryRuns(t *testing.T) {
	s := openShop(t)
	for _, rules := range casework.ApprovalKinds() {
		row, err := casework.WaitingApproval(t.Context(), s.db, rules.Kind, s.user)
		require.NoError(t, err, rules.Kind)
		require.Nil(t, row, rules.Kind)
	}
}
