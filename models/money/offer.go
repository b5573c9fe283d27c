package money

import "slices"

// Offer is what an installation sells and how it is paid. An empty list narrows
// nothing, so the zero value offers everything.
type Offer struct {
	Assets   []Currency
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
	return kept(each(asset.Wallets(), func(w Wallet) string { return w.Network }), o.Networks)
}

// Sends reports whether an asset is offered on a network.
func (o Offer) Sends(asset Currency, network string) bool {
	return slices.Contains(o.NetworksOf(asset), network)
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
