package address

import (
	"strings"

	"github.com/ethereum/go-ethereum/common"
)

// ethereumContracts are the contracts of the tokens we sell. Coin sent to a
// contract stays there for ever.
var ethereumContracts = map[common.Address]bool{
	common.HexToAddress("0xdac17f958d2ee523a2206206994597c13d831ec7"): true, // USDT
	common.HexToAddress("0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"): true, // USDC
}

// checkEthereum checks 0x and 40 hex digits; mixed case must be the checksum
// of EIP-55.
func checkEthereum(addr string) (Result, *Error) {
	mixed, err := common.NewMixedcaseAddressFromString(addr)
	if err != nil {
		return Result{}, &Error{Code: Malformed, Network: Ethereum}
	}
	result := Result{Network: Ethereum, Normalised: mixed.Address().Hex()}
	switch digits := addr[2:]; {
	case mixed.ValidChecksum():
	case digits == strings.ToLower(digits) || digits == strings.ToUpper(digits):
		result.Warning = WarnNoChecksum
	default:
		return Result{}, &Error{Code: BadChecksum, Network: Ethereum}
	}
	switch {
	case mixed.Address() == common.Address{}:
		return Result{}, &Error{Code: ZeroAddress, Network: Ethereum}
	case ethereumContracts[mixed.Address()]:
		return Result{}, &Error{Code: TokenContract, Network: Ethereum}
	}
	return result, nil
}
