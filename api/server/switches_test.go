package main

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

// Each switch has one name for operators, which is read and shown alike.
func TestSwitchNamesAreReadAsTheyAreShown(t *testing.T) {
	for _, what := range []string{"deliveries", "sign-ups", "asset:BTC", "rail:card"} {
		kind, name, err := switchOf(what)
		require.NoError(t, err, what)
		require.Equal(t, what, switchName(kind, name))
		require.Contains(t, turned(kind, name, true), what)
		require.Contains(t, turned(kind, name, false), "on")
	}
	for _, wrong := range []string{"", "fulfilment", "asset:", "rail", "coin:BTC"} {
		_, _, err := switchOf(wrong)
		require.ErrorContains(t, err, "is no switch", wrong)
	}
}

// A switch is turned with a responsible admin and a reason, and listed without either.
func TestSwitchCommandsNeedAnAdminAndAReason(t *testing.T) {
	parses := func(args ...string) error {
		parser, err := kong.New(&commands{}, kong.Exit(func(int) {}), kong.Vars{"version": "test"})
		require.NoError(t, err)
		_, err = parser.Parse(append([]string{"switches"}, args...))
		return err
	}
	t.Setenv("DATABASE_URL", "postgres://role:secret@127.0.0.1:1/tradepost")
	require.NoError(t, parses())
	require.NoError(t, parses("show"))
	require.NoError(t, parses("off", "deliveries", "--by", "you@your-company.com", "--reason", "a restore"))
	require.ErrorContains(t, parses("off", "deliveries", "--reason", "a restore"), "--by")
	require.ErrorContains(t, parses("on", "deliveries", "--by", "you@your-company.com"), "--reason")
}

// Lines without a seal are named, however many there are.
func TestUnsealedLinesAreNamed(t *testing.T) {
	require.Equal(t, "Every line has a seal.", unsealed(nil, 0))
	require.Contains(t, unsealed([]int64{3, 34}, 2), "2 (line 3, 34).")
	require.Contains(t, unsealed([]int64{3, 34}, 7), "7 (line 3, 34 and 5 more).")
}
