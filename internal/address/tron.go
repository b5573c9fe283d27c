package address

import (
	"errors"

	"github.com/btcsuite/btcd/address/v2/base58"
)

// tronVersion is the first byte of every Tron address; it makes them begin
// with T.
const tronVersion = 0x41

// tronLength is the length of every Tron address.
const tronLength = 34

func resemblesTron(addr string) bool {
	return len(addr) == tronLength && addr[0] == 'T' && isBase58(addr)
}

// checkTron checks a base58check address. Tron's test networks use the same
// version byte, so they cannot be told apart.
func checkTron(addr string) (Result, *Error) {
	payload, version, err := base58.CheckDecode(addr)
	switch {
	case errors.Is(err, base58.ErrChecksum):
		return Result{}, &Error{Code: BadChecksum, Network: Tron}
	case err != nil || version != tronVersion || len(payload) != hashLength:
		return Result{}, &Error{Code: Malformed}
	case allZero(payload):
		return Result{}, &Error{Code: ZeroAddress, Network: Tron}
	case isContract(Tron, addr):
		return Result{}, &Error{Code: TokenContract, Network: Tron}
	}
	return Result{Network: Tron, Normalised: addr}, nil
}
