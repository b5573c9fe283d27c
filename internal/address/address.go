package address

import (
	"strings"

	"github.com/tradepost/tradepost/internal/typed"
	"github.com/tradepost/tradepost/models/money"
)

// The networks coin is sent on.
const (
	Bitcoin  = money.Bitcoin
	Ethereum = money.Ethereum
	Tron     = money.Tron
)

// Code is what is wrong with an address.
type Code string

// The reasons an address is refused for.
const (
	Malformed     Code = "malformed"      // not an address of any supported network
	BadChecksum   Code = "bad_checksum"   // mistyped
	Testnet       Code = "testnet"        // of a test network, where a main one is required
	Mainnet       Code = "mainnet"        // of a main network, where a test one is required
	WrongNetwork  Code = "wrong_network"  // of a network the asset is not on
	TokenContract Code = "token_contract" // a token's own contract
	ZeroAddress   Code = "zero_address"   // its key does not exist
	OwnAddress    Code = "own_address"    // one of ours
	HasAmount     Code = "has_amount"     // a payment link for an amount
)

// WarnNoChecksum marks an Ethereum address without a checksum, so that a mistyped character
// cannot be seen.
const WarnNoChecksum = "no_checksum"

// Error refuses an address. It does not hold the address.
type Error struct {
	Code Code
	// Network is the network the address belongs to, when that was recognised.
	Network string
}

func (e *Error) Error() string { return "address refused: " + string(e.Code) }

// Result is an accepted address.
type Result struct {
	Network    string
	Normalised string
	// Warning is empty or WarnNoChecksum.
	Warning string
}

// Nets is whether addresses are of the main networks or of the test ones. Ethereum's and
// Tron's are the same on both.
type Nets bool

// The two.
const (
	MainNets Nets = false
	TestNets Nets = true
)

// Check recognises addr as one of the main networks: MainNets.Check.
func Check(asset money.Currency, addr string, own ...string) (Result, error) {
	return MainNets.Check(asset, addr, own...)
}

// Check recognises addr and decides whether asset can be sent there; own are
// our own addresses, in any spelling. The error is always an *Error.
func (nets Nets) Check(asset money.Currency, addr string, own ...string) (Result, error) {
	result, err := nets.recognise(addr)
	if err != nil {
		if !onNetwork(asset, err.Network) && err.Network != "" {
			err = &Error{Code: WrongNetwork, Network: err.Network}
		}
		return Result{}, err
	}
	if !onNetwork(asset, result.Network) {
		return Result{}, &Error{Code: WrongNetwork, Network: result.Network}
	}
	if nets.isOwn(result, own) {
		return Result{}, &Error{Code: OwnAddress, Network: result.Network}
	}
	return result, nil
}

// recognise finds the one network whose addresses have addr's form and checks addr by its
// rules. Blanks and invisible characters, as pasting leaves them, are ignored. Of a payment link the address is taken,
// unless it asks for an amount, which its sender would be mistaken about, or for what we don't know.
func (nets Nets) recognise(addr string) (Result, *Error) {
	link := typed.Address(addr, money.Networks...)
	if link.Amount != "" {
		return Result{}, &Error{Code: HasAmount}
	}
	if len(link.Required) > 0 {
		return Result{}, &Error{Code: Malformed}
	}
	result, err := nets.recogniseAlone(link.Address)
	if err == nil && link.Scheme != "" && link.Scheme != result.Network {
		return Result{}, &Error{Code: WrongNetwork, Network: result.Network}
	}
	return result, err
}

func (nets Nets) recogniseAlone(addr string) (Result, *Error) {
	switch {
	case len(addr) > maxLength:
		return Result{}, &Error{Code: Malformed}
	case strings.HasPrefix(addr, "0x"):
		return checkEthereum(addr)
	case resemblesTron(addr):
		return checkTron(addr)
	case resemblesSegwit(addr):
		return nets.checkSegwit(addr)
	case resemblesBase58Bitcoin(addr):
		return nets.checkBase58Bitcoin(addr)
	}
	return Result{}, &Error{Code: Malformed}
}

// maxLength is the longest a bech32 string can be.
const maxLength = 90

// onNetwork searches all assets, also those no longer offered: their open orders are still
// sent.
func onNetwork(asset money.Currency, network string) bool {
	return asset.SentOn(network)
}

// isContract reports whether an address is a token's own. Coin sent there stays there
// for ever.
func isContract(network, addr string) bool {
	for _, asset := range money.Assets {
		for _, w := range asset.Wallets() {
			if w.Network == network && w.Contract != "" && strings.EqualFold(w.Contract, addr) {
				return true
			}
		}
	}
	return false
}

func (nets Nets) isOwn(result Result, own []string) bool {
	for _, o := range own {
		ours, err := nets.recognise(o)
		if err == nil && ours.Network == result.Network && ours.Normalised == result.Normalised {
			return true
		}
	}
	return false
}
