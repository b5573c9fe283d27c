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
	Offer     money.Offer
}

// AddressTexts are the messages for invalid addresses.
var AddressTexts = map[address.Code]string{
	address.Malformed:     "Enter a valid wallet address",
	address.BadChecksum:   "This address has a typo. Copy it from your wallet again.",
	address.Testnet:       "This is a test-network address. Enter a main-network address.",
	address.Mainnet:       "This is a main-network address. Enter a test-network address.",
	address.WrongNetwork:  "This address is on another network. Enter another address.",
	address.TokenContract: "This is a token contract, not a wallet. Enter your own wallet address.",
	address.ZeroAddress:   "This is the zero address. Anything sent there is lost. Enter your own wallet address.",
	address.HasAmount:     "This is a payment link for an amount. Enter the address alone.",
	address.OwnAddress:    "This is one of our own addresses. Enter your own wallet address.",
}

// Nets are the networks coin is sent on: the test ones in a rehearsal.
func (n *Networks) Nets() address.Nets { return address.Nets(n.Rehearsal) }

// OfferedPlace recognises where coin is to be sent, on a network that is offered.
func (n *Networks) OfferedPlace(asset money.Currency, text string) (address.Result, error) {
	place, err := n.Nets().Check(asset, text)
	if err == nil && !n.Offer.Sends(asset, place.Network) {
		err = &address.Error{Code: address.WrongNetwork, Network: place.Network}
	}
	return place, err
}

// NewAddress recognises where the coin of a new order is to be sent. network, when
// given, is what the customer was shown.
func (n *Networks) NewAddress(asset money.Currency, text string, network *string) (address.Result, error) {
	place, err := n.OfferedPlace(asset, text)
	return readAddress(place, err, text, network)
}

// CheckAddress recognises where the coin of an order that exists is to be sent, also
// of an asset no longer offered.
func (n *Networks) CheckAddress(asset money.Currency, text string, network *string) (address.Result, error) {
	place, err := n.Nets().Check(asset, text)
	return readAddress(place, err, text, network)
}

// readAddress returns what is wrong with a checked address.
func readAddress(place address.Result, err error, text string, network *string) (address.Result, error) {
	if strings.TrimSpace(text) == "" {
		return address.Result{}, rest.FieldProblem("destAddress", "required", "Please enter your wallet address to receive crypto")
	}
	var wrong *address.Error
	if errors.As(err, &wrong) {
		return place, rest.FieldProblem("destAddress", string(wrong.Code), AddressTexts[wrong.Code])
	}
	if err == nil && network != nil && *network != place.Network {
		return place, rest.FieldProblem("destAddress", string(address.WrongNetwork), AddressTexts[address.WrongNetwork])
	}
	return place, err
}
