package address

import (
	"errors"
	"slices"
	"strings"

	btc "github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/address/v2/base58"
	"github.com/btcsuite/btcd/address/v2/bech32"
	"github.com/btcsuite/btcd/chaincfg/v2"
)

// segwitPrefixes are the human-readable parts of Bitcoin's networks: the main
// one, the public test ones, and those of one's own machine.
var segwitPrefixes = []string{"bc", "tb", "bcrt", "sb"}

// params are the network whose addresses are accepted.
func (nets Nets) params() *chaincfg.Params {
	if nets == TestNets {
		return &chaincfg.TestNet3Params // testnet4 and signet have the same prefixes
	}
	return &chaincfg.MainNetParams
}

// otherNets refuses an address of the networks that are not accepted.
func (nets Nets) otherNets() *Error {
	if nets == TestNets {
		return &Error{Code: Mainnet, Network: Bitcoin}
	}
	return &Error{Code: Testnet, Network: Bitcoin}
}

func segwitPrefix(addr string) (prefix string, ok bool) {
	end := strings.LastIndexByte(addr, '1')
	if end < 1 {
		return "", false
	}
	prefix = strings.ToLower(addr[:end])
	return prefix, slices.Contains(segwitPrefixes, prefix)
}

func resemblesSegwit(addr string) bool {
	_, ok := segwitPrefix(addr)
	return ok
}

// checkSegwit checks a bech32 (version 0) or bech32m (version 1) address.
func (nets Nets) checkSegwit(addr string) (Result, *Error) {
	prefix, _ := segwitPrefix(addr)
	if prefix != nets.params().Bech32HRPSegwit {
		if nets == TestNets && prefix != "bc" {
			return Result{}, &Error{Code: Malformed, Network: Bitcoin} // of a local test chain
		}
		return Result{}, nets.otherNets()
	}
	decoded, err := btc.DecodeAddress(addr, nets.params())
	if err != nil {
		return Result{}, &Error{Code: segwitFault(addr), Network: Bitcoin}
	}
	// IsForNet is needed: decoding alone lets other networks through. So is
	// the comparison: a version 1 program of 20 bytes decodes as version 0.
	if !decoded.IsForNet(nets.params()) || decoded.EncodeAddress() != strings.ToLower(addr) {
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

// segwitFault distinguishes a mistyped address from a text that is none. A checksum of the
// other bech32 variant counts as a wrong checksum.
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

// base58Versions are the version bytes of Bitcoin's networks: of a public key's
// hash and of a script's.
var base58Versions = map[Nets][]byte{MainNets: {0x00, 0x05}, TestNets: {0x6f, 0xc4}}

// hashLength is the size of a base58 address's payload.
const hashLength = 20

func resemblesBase58Bitcoin(addr string) bool {
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
func (nets Nets) checkBase58Bitcoin(addr string) (Result, *Error) {
	payload, version, err := base58.CheckDecode(addr)
	switch {
	case errors.Is(err, base58.ErrChecksum):
		return Result{}, &Error{Code: BadChecksum, Network: Bitcoin}
	case err != nil || len(payload) != hashLength:
		return Result{}, &Error{Code: Malformed}
	case slices.Contains(base58Versions[!nets], version):
		return Result{}, nets.otherNets()
	case !slices.Contains(base58Versions[nets], version):
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
