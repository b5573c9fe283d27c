package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/doctor"
)

// Doctor has each check that init makes at its end.
func TestInitMakesChecksOfDoctor(t *testing.T) {
	_, unknown := doctor.Examine(t.Context(), doctor.Options{Only: beforeTheStart, Getenv: func(string) string { return "" }})
	require.Empty(t, unknown)
}
