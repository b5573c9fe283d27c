package address

import (
	"strings"

	"github.com/ethereum/go-ethereum/common"
)

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
	case isContract(Ethereum, result.Normalised):
		return Result{}, &Error{Code: TokenContract, Network: Ethereum}
	}
	return result, nil
}
