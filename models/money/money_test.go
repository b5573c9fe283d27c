package money

import (
	"errors"
	"math/big"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestBar23ParseRefusesEverythingButPlainDecimals(t *testing.T) {
	for _, text := range []string{"", ".", "-1", "+1", "1e3", "1E3", "0x10", "1,000", "1_000", " 1", "1 ", "1.", ".5", "1.2.3", "NaN", "Inf", "١"} {
		_, err := USD.Parse(text)
		require.ErrorIs(t, err, ErrSyntax, "%q", text)
	}
	_, err := BTC.Parse("0.123456789")
	require.ErrorIs(t, err, ErrPrecision)
	_, err = ETH.Parse("0.1234567890123456789") // 19 places
	require.ErrorIs(t, err, ErrPrecision)
	_, err = USD.Parse("1" + string(make40Zeros()))
	require.ErrorIs(t, err, ErrTooLarge)
}

func make40Zeros() []byte {
	zeros := make([]byte, 40)
	for i := range zeros {
		zeros[i] = '0'
	}
	return zeros
}

func TestParseReadsWhatFormatWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		currency := rapid.SampledFrom([]Currency{USD, BTC, ETH, USDT, USDC}).Draw(t, "currency")
		n := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 13).Draw(t, "units"))
		units, err := ParseUnits(n.String())
		if err != nil {
			t.Fatal(err)
		}
		back, err := currency.Parse(currency.Format(units))
		if errors.Is(err, ErrTooLarge) {
			return
		}
		if err != nil || back.Cmp(units) != 0 {
			t.Fatalf("%s %s became %s (%v)", currency, units, back, err)
		}
	})
}

func TestRoundingIsNamed(t *testing.T) {
	third := decimal.RequireFromString("0.335")
	require.Equal(t, "34", USD.FromDecimal(third, Up).String())
	require.Equal(t, "33", USD.FromDecimal(third, Down).String())
	require.Equal(t, "34", USD.FromDecimal(third, HalfUp).String())
	require.Equal(t, "33", USD.FromDecimal(decimal.RequireFromString("0.3349"), HalfUp).String())
}

func TestDollarsAreWrittenAsPeopleReadThem(t *testing.T) {
	for cents, want := range map[int64]string{0: "$0.00", 5: "$0.05", 99_999: "$999.99", 100_000: "$1,000.00", 123_456_789: "$1,234,567.89", -200_000: "-$2,000.00"} {
		require.Equal(t, want, Dollars(FromInt(cents)))
	}
}
