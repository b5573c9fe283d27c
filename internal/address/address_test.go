package address

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/tradepost/tradepost/models/money"
)

const (
	legacy   = "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2"
	script   = "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"
	segwit   = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
	taproot  = "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0"
	ether    = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	tronAddr = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"
)

func TestAcceptedAddresses(t *testing.T) {
	cases := []struct {
		asset               money.Currency
		addr, network, norm string
		warning             string
	}{
		{money.BTC, legacy, Bitcoin, legacy, ""},
		{money.BTC, script, Bitcoin, script, ""},
		{money.BTC, segwit, Bitcoin, segwit, ""},
		{money.BTC, "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", Bitcoin, segwit, ""},
		{money.BTC, taproot, Bitcoin, taproot, ""},
		{money.BTC, "  " + segwit + "\n", Bitcoin, segwit, ""},
		{money.BTC, segwit[:9] + "\u200b" + segwit[9:20] + "\ufeff" + segwit[20:], Bitcoin, segwit, ""},
		{money.BTC, "bitcoin:" + segwit, Bitcoin, segwit, ""},
		{money.BTC, "BITCOIN:BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4?LABEL=a", Bitcoin, segwit, ""},
		{money.ETH, "ethereum:" + ether, Ethereum, ether, ""},
		{money.ETH, ether, Ethereum, ether, ""},
		{money.ETH, "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", Ethereum, ether, WarnNoChecksum},
		{money.USDT, "0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED", Ethereum, ether, WarnNoChecksum},
		{money.USDC, ether, Ethereum, ether, ""},
		{money.USDT, tronAddr, Tron, tronAddr, ""},
		{money.USDC, tronAddr, Tron, tronAddr, ""},
	}
	for _, c := range cases {
		got, err := Check(c.asset, c.addr)
		want := Result{Network: c.network, Normalised: c.norm, Warning: c.warning}
		if err != nil || got != want {
			t.Errorf("%s %q: got %+v, %v; want %+v", c.asset, c.addr, got, err, want)
		}
	}
}

func TestRefusedAddresses(t *testing.T) {
	cases := []struct {
		asset money.Currency
		addr  string
		code  Code
	}{
		{money.BTC, "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3", BadChecksum},
		{money.BTC, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", BadChecksum},
		// bech32 where version 1 wants bech32m, and the other way round.
		{money.BTC, "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd", BadChecksum},
		{money.BTC, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh", BadChecksum},
		{money.BTC, "bc1qW508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", Malformed},
		{money.BTC, "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", Testnet},
		{money.BTC, "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", Testnet},
		{money.BTC, "2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc", Testnet},
		{money.BTC, "1111111111111111111114oLvT2", ZeroAddress},
		{money.BTC, ether, WrongNetwork},
		{money.BTC, tronAddr, WrongNetwork},
		// A public key is no address, though a decoder may accept it as one.
		{money.BTC, "02192d74d0cb94344c9569c2e77901573d8d7903c3ebec3a957724895dca52c6b4", Malformed},
		{money.BTC, "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9", Malformed},
		{money.BTC, "", Malformed},
		{money.BTC, "litecoin:" + segwit, Malformed},
		{money.BTC, "bitcoin:" + segwit + "?req-unknown=1", Malformed},
		{money.BTC, "bitcoin:" + segwit + "?amount=0.5", HasAmount},
		{money.BTC, "BITCOIN:BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4?AMOUNT=0.5", HasAmount},
		{money.BTC, "bitcoin:" + ether, WrongNetwork},
		{money.ETH, "bitcoin:" + ether, WrongNetwork},
		{money.ETH, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", BadChecksum},
		{money.ETH, "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", Malformed},
		{money.ETH, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe", Malformed},
		{money.ETH, "0x0000000000000000000000000000000000000000", ZeroAddress},
		{money.ETH, "0xdAC17F958D2ee523a2206206994597C13D831ec7", TokenContract},
		{money.USDT, "0xdac17f958d2ee523a2206206994597c13d831ec7", TokenContract},
		{money.USDC, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", TokenContract},
		{money.ETH, tronAddr, WrongNetwork},
		{money.ETH, legacy, WrongNetwork},
		{money.USDT, segwit, WrongNetwork},
		{money.USDT, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", TokenContract},
		{money.USDC, "TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8", TokenContract},
		{money.USDT, "TJRabPrwbZy45sbavfcjinPJC18kjpRTv9", BadChecksum},
		{money.USDT, "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", ZeroAddress},
		{money.Currency("DOGE"), ether, WrongNetwork},
	}
	for _, c := range cases {
		_, err := Check(c.asset, c.addr)
		var refused *Error
		if !errors.As(err, &refused) || refused.Code != c.code {
			t.Errorf("%s %q: got %v, want %s", c.asset, c.addr, err, c.code)
		}
	}
}

// A rehearsal sends on test networks: their addresses are accepted there alone, and the
// main networks' in all other modes alone. Ethereum and Tron have one form.
func TestNetsTakeTheirOwnAddresses(t *testing.T) {
	const testSegwit = "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"
	for _, addr := range []string{testSegwit, "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", "2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc"} {
		result, err := TestNets.Check(money.BTC, addr)
		if err != nil || result.Network != Bitcoin || result.Normalised != addr || result.Key() != addr {
			t.Errorf("%s in a rehearsal: %+v, %v", addr, result, err)
		}
		if code := codeOf(MainNets.Check(money.BTC, addr)); code != Testnet {
			t.Errorf("%s in production: %s", addr, code)
		}
	}
	for _, addr := range []string{segwit, taproot, legacy, script} {
		if code := codeOf(TestNets.Check(money.BTC, addr)); code != Mainnet {
			t.Errorf("%s in a rehearsal: %s", addr, code)
		}
	}
	for addr, asset := range map[string]money.Currency{ether: money.ETH, tronAddr: money.USDT} {
		if _, err := TestNets.Check(asset, addr); err != nil {
			t.Errorf("%s in a rehearsal: %v", addr, err)
		}
	}
	for addr, want := range map[string]Code{
		"bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080": Malformed, "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsy": BadChecksum,
		"mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfm": BadChecksum} {
		if code := codeOf(TestNets.Check(money.BTC, addr)); code != want {
			t.Errorf("%s in a rehearsal: %s, want %s", addr, code, want)
		}
	}
	if code := codeOf(TestNets.Check(money.BTC, testSegwit, "TB1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KXPJZSX")); code != OwnAddress {
		t.Errorf("our own address in a rehearsal: %s", code)
	}
}

func codeOf(_ Result, err error) Code {
	var refused *Error
	errors.As(err, &refused)
	if refused == nil {
		return ""
	}
	return refused.Code
}

func TestOwnAddressesAreRefusedInAnySpelling(t *testing.T) {
	own := []string{"BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "not an address"}
	for addr, asset := range map[string]money.Currency{segwit: money.BTC, ether: money.USDT} {
		_, err := Check(asset, addr, own...)
		var refused *Error
		if !errors.As(err, &refused) || refused.Code != OwnAddress {
			t.Errorf("%s: got %v, want own_address", addr, err)
		}
	}
	if _, err := Check(money.BTC, legacy, own...); err != nil {
		t.Errorf("an address that is not ours: %v", err)
	}
}

// One wrong character is always seen, wherever there is a checksum.
func TestEveryMistypedCharacterIsSeen(t *testing.T) {
	valid := map[string]money.Currency{
		legacy: money.BTC, script: money.BTC, segwit: money.BTC, taproot: money.BTC, tronAddr: money.USDT,
	}
	rapid.Check(t, func(t *rapid.T) {
		addr := rapid.SampledFrom([]string{legacy, script, segwit, taproot, tronAddr}).Draw(t, "address")
		at := rapid.IntRange(0, len(addr)-1).Draw(t, "position")
		with := rapid.SampledFrom([]byte("023456789acdefghjklmnpqrstuvwxyzACDEFGHJKLMNPQRSTUVWXYZ")).Draw(t, "character")
		mistyped := addr[:at] + string(with) + addr[at+1:]
		if mistyped == addr {
			return
		}
		if got, err := Check(valid[addr], mistyped); err == nil {
			t.Fatalf("%q was accepted as %+v", mistyped, got)
		}
	})
}
