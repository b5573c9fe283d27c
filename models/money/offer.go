package money

import "slices"

// Offer is what an installation sells and how it is paid: a list of coin and network pairs, and of rails. An empty list
// narrows nothing, so the zero value offers everything but the pairs that have to be named.
type Offer struct {
	Assets []Currency
	// Networks are networks, and pairs such as PairOf writes. A network stands for each of its coins, but for those that
	// have to be named.
	Networks []string
	Rails    []string // payment methods, and the other ways by which value comes in
}

// Coins are the assets offered, in the order screens show them.
func (o Offer) Coins() []Currency { return kept(Assets, o.Assets) }

// Sells reports whether an asset is offered.
func (o Offer) Sells(asset Currency) bool { return slices.Contains(o.Coins(), asset) }

// NetworksOf are the networks an asset is sent on, the usual one first; none
// when the asset is not offered.
func (o Offer) NetworksOf(asset Currency) []string {
	if !o.Sells(asset) {
		return nil
	}
	var out []string
	for _, w := range asset.Wallets() {
		if o.pairs(asset, w) {
			out = append(out, w.Network)
		}
	}
	return out
}

// pairs reports whether a coin's wallet is one of the offered pairs.
func (o Offer) pairs(asset Currency, w Wallet) bool {
	if slices.Contains(o.Networks, PairOf(asset, w.Network)) {
		return true
	}
	return !w.Named && (len(o.Networks) == 0 || slices.Contains(o.Networks, w.Network))
}

// Sends reports whether an asset is offered on a network.
func (o Offer) Sends(asset Currency, network string) bool {
	return slices.Contains(o.NetworksOf(asset), network)
}

// SentOn reports whether a coin can be sent on a network at all, offered or not: what was sold before still is.
func (c Currency) SentOn(network string) bool {
	return slices.ContainsFunc(c.Wallets(), func(w Wallet) bool { return w.Network == network })
}

// Takes reports whether a rail is offered.
func (o Offer) Takes(rail string) bool { return len(o.Rails) == 0 || slices.Contains(o.Rails, rail) }

// kept are those of all that a list narrows them to, in the order of all.
func kept[T comparable](all, narrowed []T) []T {
	if len(narrowed) == 0 {
		return all
	}
	var out []T
	for _, one := range all {
		if slices.Contains(narrowed, one) {
			out = append(out, one)
		}
	}
	return out
}
