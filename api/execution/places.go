package execution

import (
	"net/url"

	"github.com/tradepost/tradepost/models/money"
)

// Places are URLs of pages at the providers, each up to the id of the object. An empty one
// gives staff no link.
type Places struct {
	Stripe, Kraken, Custody string
	Explorers               map[string]string // by network
}

// Transaction is a transaction's page at an explorer of its network; nil before there is one, and where none is configured.
func (p Places) Transaction(network string, txid *string) *string {
	place := p.Explorers[network]
	if place == "" || txid == nil || *txid == "" {
		return nil
	}
	link := place + url.PathEscape(*money.ShownTransaction(network, txid))
	return &link
}
