package payout

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Spellings of one person's name are one holder; another name is not.
func TestHolderComparesWithVerifiedName(t *testing.T) {
	for _, c := range []struct {
		holder, first, last string
		same                bool
	}{
		{"Casey Cust", "Casey", "Cust", true},
		{"CUST, CASEY", "Casey", "Cust", true},
		{"José María Núñez", "Jose", "Nunez", false}, // María is not verified
		{"Jose Nunez", "José", "Núñez", true},
		{"Jose\u0301 Nu\u0301n\u0303ez", "José", "Núñez", true}, // marks of their own
		{"Le Minh", "Minh", "Le", true},
		{"Juergen Mueller", "Jürgen", "Müller", true},
		{"Jurgen Muller", "Jürgen", "Müller", true},
		{"Soren Oestergaard", "Søren", "Östergaard", true},
		{"Anne-Marie Strauß", "Anne Marie", "Strauss", true},
		{"Anne Strauss", "Anne Marie", "Strauß", true},
		{"A. Strauss", "Anne Marie", "Strauß", false},
		{"Anne M. Strauss", "Anne Marie", "Strauß", true},
		{"Anne K. Strauss", "Anne Marie", "Strauß", false},
		{"Casey Q. Cust", "Casey", "Cust", true},
		{"Casey Quentin Cust", "Casey", "Cust", false},
		{"Ludwig Beethoven", "Ludwig", "van Beethoven", true},
		{"Maria de la Cruz", "María", "Cruz", true},
		{"Sean OBrien", "Seán", "O’Brien", true},
		{"Gabriel Garcia", "Gabriel", "García Márquez", false},
		{"Casey Cust and Ada Mule", "Casey", "Cust", false},
		{"Mule", "Casey", "Cust", false},
		{"Somebody Else", "Casey", "Cust", false},
		{"Casey Casey", "Casey", "Cust", false},
		{"Ана Петрова", "Ана", "Петрова", true},
		{"王小明", "小明", "王", false}, // written as one word, it takes two people
		{"Cher", "", "Cher", true},
		{"Casey Cust", "", "", false},
	} {
		require.Equal(t, c.same, sameHolder(c.holder, c.first, c.last), "%q for %q %q", c.holder, c.first, c.last)
	}
}
