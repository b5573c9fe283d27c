package activities

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// A complete reading has the form of earlier releases, whose workflows still run, and whose histories are read.
func TestMoneyReadingKeepsItsForm(t *testing.T) {
	for text, reading := range map[string]MoneyReading{
		`null`:                        {},
		`[]`:                          {Open: []int{}},
		`[1,3]`:                       {Open: []int{1, 3}},
		`{"open":[2],"unread":true}`:  {Open: []int{2}, Unread: true},
		`{"open":null,"unread":true}`: {Unread: true},
	} {
		written, err := json.Marshal(reading)
		require.NoError(t, err)
		require.JSONEq(t, text, string(written))
		var read MoneyReading
		require.NoError(t, json.Unmarshal([]byte(text), &read))
		require.Equal(t, reading, read, text)
	}
}
