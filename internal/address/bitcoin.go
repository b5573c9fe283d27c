package address

import (
	"errors"
	"strings"

	btc "github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/address/v2/base58"
	"github.com/btcsuite/btcd/address/v2/bech32"
	"github.com/btcsuite/btcd/chaincfg/v2"
)

// segwitPrefixes are the human-readable parts of Bitcoin's networks; only bc
// is the main one.
var segwitPrefixes = map[string]bool{"bc": true, "tb": false, "bcrt": false, "sb": false}

func segwitPrefix(addr string) (prefix string, ok bool) {
	end := strings.LastIndexByte(addr, '1')
	if end < 1 {
		return "", false
	}
	prefix = strings.ToLower(addr[:end])
	_, ok = segwitPrefixes[prefix]
	return prefix, ok
}

func looksSegwit(addr string) bool {
	_, ok := segwitPrefix(addr)
	return ok
}

// checkSegwit checks a bech32 (version 0) or bech32m (version 1) address.
func checkSegwit(addr string) (Result, *Error) {
	prefix, _ := segwitPrefix(addr)
	if !segwitPrefixes[prefix] {
		return Result{}, &Error{Code: Testnet, Network: Bitcoin}
	}
	decoded, err := btc.DecodeAddress(addr, &chaincfg.MainNetParams)
	if err != nil {
		return Result{}, &Error{Code: segwitFault(addr), Network: Bitcoin}
	}
	// IsForNet is needed: decoding alone lets other networks through. So is
	// the comparison: a version 1 program of 20 bytes decodes as version 0.
	if !decoded.IsForNet(&chaincfg.MainNetParams) || decoded.EncodeAddress() != strings.ToLower(addr) {
		return Result{}, &Error{Code: Malformed, Network: Bitcoin}
	}
	if _, anchor := decoded.(*btc.AddressPayToAnchor); anchor {
		return Result{}, &Error{Code: Malformed, Network: Bitcoin} // anyone can spend it
	}
	if allZero(decoded.ScriptAddress()) {
		return Result{}, &Error{Code: ZeroAddress, Network: Bitcoin}
	}
	return Result{Network: Bitcoin, Normalised: decoded.EncodeAddress()}, nil
}

// segwitFault tells a mistyped address from one that never was one. A checksum
// of the other bech32 variant counts as a wrong checksum.
func segwitFault(addr string) Code {
	var checksum bech32.ErrInvalidChecksum
	_, data, version, err := bech32.DecodeGeneric(addr)
	switch {
	case errors.As(err, &checksum):
		return BadChecksum
	case err != nil || len(data) == 0:
		return Malformed
	case (data[0] == 0) != (version == bech32.Version0):
		return BadChecksum
	}
	return Malformed
}

// base58 version bytes of Bitcoin's networks.
const (
	mainPubKeyHash = 0x00
	mainScriptHash = 0x05
	testPubKeyHash = 0x6f
	testScriptHash = 0xc4
)

// hashLength is the size of what a base58 address carries.
const hashLength = 20

func looksBase58Bitcoin(addr string) bool {
	return len(addr) >= 25 && len(addr) <= 35 && strings.ContainsRune("13mn2", rune(addr[0])) && isBase58(addr)
}

func isBase58(addr string) bool {
	for i := range len(addr) {
		if !strings.ContainsRune("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", rune(addr[i])) {
			return false
		}
	}
	return true
}

// checkBase58Bitcoin checks a pay-to-public-key-hash or pay-to-script-hash address.
func checkBase58Bitcoin(addr string) (Result, *Error) {
	payload, version, err := base58.CheckDecode(addr)
	switch {
	case errors.Is(err, base58.ErrChecksum):
		return Result{}, &Error{Code: BadChecksum, Network: Bitcoin}
	case err != nil || len(payload) != hashLength:
		return Result{}, &Error{Code: Malformed}
	case version == testPubKeyHash || version == testScriptHash:
		return Result{}, &Error{Code: Testnet, Network: Bitcoin}
	case version != mainPubKeyHash && version != mainScriptHash:
		return Result{}, &Error{Code: Malformed}
	case allZero(payload):
		return Result{}, &Error{Code: ZeroAddress, Network: Bitcoin}
	}
	return Result{Network: Bitcoin, Normalised: addr}, nil
}

func allZero(raw []byte) bool {
	for _, b := range raw {
		if b != 0 {
			return false
		}
	}
	return true
}
