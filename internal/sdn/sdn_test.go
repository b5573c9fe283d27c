package sdn_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/internal/sdn"
)

const (
	bitcoin  = "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h"
	segwit   = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
	ethereum = "0x901bb9583b24d97e995513c6778dc6888ab6870e"
	mixed    = "0x901bB9583b24D97e995513C6778dc6888AB6870E" // no checksum of EIP-55 that holds
)

// Each form in which the list is published gives the same addresses, in the form
// they are compared in, and names what it refuses.
func TestEveryPublishedFormIsRead(t *testing.T) {
	for name, c := range map[string]struct {
		file, format string
		keys         []string
		refusedAt    []int
	}{
		"lines":            {"# comment\n" + bitcoin + "\r\n\n" + strings.ToUpper(segwit) + "\n" + mixed + "\nnot-an-address\n", sdn.FormatText, []string{bitcoin, segwit, ethereum}, []int{6}},
		"byte order mark":  {"\ufeff" + bitcoin + "\n", sdn.FormatText, []string{bitcoin}, nil},
		"OFAC's text":      {"DOE, John; Digital Currency Address - XBT " + bitcoin + "; alt. Digital Currency\nAddress - ETH " + ethereum + ";\nDigital Currency Address - XMR\n4badaddress; (individual) [CYBER2].\n", sdn.FormatText, []string{bitcoin, ethereum}, []int{4}},
		"JSON":             {`["` + bitcoin + `", "x", "` + ethereum + `"]`, sdn.FormatJSON, []string{bitcoin, ethereum}, []int{2}},
		"sdn.xml":          {"<?xml version=\"1.0\"?>\n<sdnList xmlns=\"https://example.test\"><sdnEntry><idList><id><uid>1</uid><idType>Digital Currency Address - XBT</idType><idNumber>" + bitcoin + "</idNumber></id>\n<id><idType>Passport</idType><idNumber>" + segwit + "</idNumber></id></idList></sdnEntry></sdnList>", sdn.FormatXML, []string{bitcoin}, nil},
		"sdn_advanced.xml": {"<Sanctions><FeatureType ID=\"345\" FeatureTypeGroupID=\"1\">Digital Currency Address - ETH</FeatureType><FeatureType ID=\"8\">Birthdate</FeatureType>\n<Feature ID=\"1\" FeatureTypeID=\"345\"><FeatureVersion><Comment /><VersionDetail DetailTypeID=\"1432\">" + ethereum + "</VersionDetail></FeatureVersion></Feature>\n<Feature FeatureTypeID=\"8\"><VersionDetail>" + bitcoin + "</VersionDetail></Feature></Sanctions>", sdn.FormatAdvancedXML, []string{ethereum}, nil},
		"nothing":          {"", sdn.FormatText, nil, nil},
	} {
		list, err := sdn.Read(strings.NewReader(c.file))
		require.NoError(t, err, name)
		var keys []string
		for _, a := range list.Addresses {
			keys = append(keys, a.Key())
		}
		require.Equal(t, c.keys, keys, name)
		require.Equal(t, c.format, list.Format, name)
		require.Equal(t, c.refusedAt, list.RefusedAt, name)
		require.Len(t, list.Digest, 64, name)
	}
}

// A file that is made to hurt is refused, and read no further than it must be.
func TestHostileFilesAreRefused(t *testing.T) {
	for name, file := range map[string]string{
		"entities":        `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><sdnList><id><idType>&b;</idType></id></sdnList>`,
		"broken XML":      `<sdnList><id`,
		"broken JSON":     `["` + bitcoin + `"`,
		"JSON of objects": `[{"address":"` + bitcoin + `"}]`,
		"deep JSON":       strings.Repeat("[", 100_000),
		"endless line":    strings.Repeat("a", 2<<20),
	} {
		_, err := sdn.Read(strings.NewReader(file))
		require.ErrorIs(t, err, sdn.ErrUnreadable, name+" "+asvs.Claim(t, "1.5.1"))
	}
	var many strings.Builder
	for n := range sdn.MostEntries + 1 {
		fmt.Fprintln(&many, n)
	}
	_, err := sdn.Read(strings.NewReader(many.String()))
	require.ErrorIs(t, err, sdn.ErrTooMany)
	list, err := sdn.Read(strings.NewReader(strings.Repeat("<script>alert(1)</script>\n", 100)))
	require.NoError(t, err)
	require.Empty(t, list.Addresses)
	list, err = sdn.Read(strings.NewReader("=cmd|' /C calc'!A0\n../../etc/passwd\n" + strings.Repeat("x\n", 60)))
	require.NoError(t, err)
	require.Equal(t, 61, list.Refused, "a line with a blank in it is prose")
	require.Len(t, list.RefusedAt, sdn.NamedRefusals)
}
