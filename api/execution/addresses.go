package execution

import (
	"errors"
	"strings"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/address"
	"github.com/tradepost/tradepost/models/money"
)

// Networks checks addresses on the networks that coin is sent on.
type Networks struct {
	Rehearsal bool // on test networks
}

// AddressTexts say what is wrong with an address.
var AddressTexts = map[address.Code]string{
	address.Malformed:     "Enter a valid wallet address",
	address.BadChecksum:   "This address has a typo. Copy it from your wallet again.",
	address.Testnet:       "This is a test-network address. Enter a main-network address.",
	address.Mainnet:       "This is a main-network address. Enter a test-network address.",
	address.WrongNetwork:  "This address is on another network. Enter another address.",
	address.TokenContract: "This is a token contract, not a wallet. Enter your own wallet address.",
	address.ZeroAddress:   "This is the zero address. Anything sent there is lost. Enter your own wallet address.",
	address.OwnAddress:    "This is one of our own addresses. Enter your own wallet address.",
}

// Nets are the networks coin is sent on: the test ones in a rehearsal.
func (n *Networks) Nets() address.Nets { return address.Nets(n.Rehearsal) }

// CheckAddress recognises where coin is to be sent. network, when given, is
// what the customer was shown.
func (n *Networks) CheckAddress(asset money.Currency, text string, network *string) (address.Result, error) {
	if strings.TrimSpace(text) == "" {
		return address.Result{}, rest.FieldProblem("destAddress", "required", "Please enter your wallet address to receive crypto")
	}
	place, err := n.Nets().Check(asset, text)
	var wrong *address.Error
	if errors.As(err, &wrong) {
		return place, rest.FieldProblem("destAddress", string(wrong.Code), AddressTexts[wrong.Code])
	}
	if err == nil && network != nil && *network != place.Network {
		return place, rest.FieldProblem("destAddress", string(address.WrongNetwork), AddressTexts[address.WrongNetwork])
	}
	return place, err
}
