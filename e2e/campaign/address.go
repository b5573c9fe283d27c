package main

import (
	"math/rand/v2"

	"github.com/btcsuite/btcd/address/v2/base58"
	"github.com/btcsuite/btcd/address/v2/bech32"
	"github.com/ethereum/go-ethereum/common"
)

// newAddress creates an address of a network that is unique in the campaign.
func newAddress(r *rand.Rand, network string) string {
	key := make([]byte, 20)
	for i := range key {
		key[i] = byte(r.IntN(256))
	}
	switch network {
	case "bitcoin":
		groups, err := bech32.ConvertBits(key, 8, 5, true)
		if err != nil {
			panic(err) // twenty bytes always convert
		}
		text, err := bech32.Encode("bc", append([]byte{0}, groups...))
		if err != nil {
			panic(err)
		}
		return text
	case "tron":
		return base58.CheckEncode(key, 0x41)
	}
	return common.BytesToAddress(key).Hex()
}
