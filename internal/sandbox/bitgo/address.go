package bitgo

import (
	"crypto/sha256"
	"net/http"
	"strings"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/address/v2/base58"
	"github.com/ethereum/go-ethereum/common"
)

const tronVersion = 0x41

// validAddress checks form and checksum for the coin's chain. Those of Ethereum and Tron are the same on their test networks.
func validAddress(c coin, text string) bool {
	switch c.Chain.Kind {
	case "btc":
		a, err := address.DecodeAddress(text, c.Chain.Bitcoin)
		return err == nil && a.IsForNet(c.Chain.Bitcoin) && a.EncodeAddress() != "" && !isPublicKey(a)
	case "eth":
		return validEthereum(text)
	case "trx":
		payload, version, err := base58.CheckDecode(text)
		return err == nil && version == tronVersion && len(payload) == 20
	}
	return false
}

// isPublicKey is true for a raw public key in hex, which the decoder accepts as an address.
func isPublicKey(a address.Address) bool {
	_, raw := a.(*address.AddressPubKey)
	return raw
}

// validEthereum requires 0x and 40 hex digits, and the EIP-55 checksum when both cases
// occur.
func validEthereum(text string) bool {
	digits, found := strings.CutPrefix(text, "0x")
	if !found || !common.IsHexAddress(text) {
		return false
	}
	if digits == strings.ToLower(digits) || digits == strings.ToUpper(digits) {
		return true
	}
	a, err := common.NewMixedcaseAddressFromString(text)
	return err == nil && a.ValidChecksum()
}

// receiveAddress is the wallet's own address, always the same, with a right
// checksum.
func receiveAddress(w wallet) string {
	sum := sha256.Sum256([]byte("receive " + w.Coin.Chain.Kind + w.ID))
	switch w.Coin.Chain.Kind {
	case "btc":
		a, err := address.NewAddressWitnessPubKeyHash(sum[:20], w.Coin.Chain.Bitcoin)
		if err != nil {
			return ""
		}
		return a.EncodeAddress()
	case "eth":
		return common.BytesToAddress(sum[:20]).Hex()
	}
	return base58.CheckEncode(sum[:20], tronVersion)
}

// addressView is the wallet's one address as answers show it.
func (w wallet) addressView() map[string]any {
	return map[string]any{
		"id": newID("address " + w.key()), "address": receiveAddress(w), "chain": 0, "index": 0, "coin": w.Coin.Ticker, "wallet": w.ID,
		"label": "", "coinSpecific": map[string]any{},
	}
}

func (s *Simulator) listAddresses(c *call) (int, any, error) {
	if err := s.findWallet(c); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, map[string]any{
		"coin": c.coin.Ticker, "count": 1, "totalAddressCount": 1, "pendingAddressCount": 0, "addresses": []any{c.wallet.addressView()},
	}, nil
}

// getAddress finds the wallet's address by itself or by its id.
func (s *Simulator) getAddress(c *call) (int, any, error) {
	if err := s.findWallet(c); err != nil {
		return 0, nil, err
	}
	view := c.wallet.addressView()
	if id := c.r.PathValue("id"); id != view["id"] && id != view["address"] {
		return 0, nil, missing("address")
	}
	return http.StatusOK, view, nil
}

func (s *Simulator) verifyAddress(c *call) (int, any, error) {
	return http.StatusOK, map[string]bool{"isValid": validAddress(c.coin, c.fields.text("address"))}, nil
}
