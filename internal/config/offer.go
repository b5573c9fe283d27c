package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/pricing"
)

// Offering is what the installation sells and how it is paid. What it does not name
// is offered nowhere, and needs no wallet, price or key.
type Offering struct {
	Assets   []string `name:"assets" env:"ASSETS" ask:"may" suggest:"{SMALLEST_ASSETS}" help:"Coins that are sold, such as BTC; empty: all."`
	Networks []string `name:"networks" env:"NETWORKS" ask:"may" when:"networks" help:"Networks coin is sent on, such as bitcoin, or coins on networks, such as USDT:tron; empty: all networks of the coins. USDC:tron is offered only if it is named."`
	Rails    []string `name:"rails" env:"RAILS" ask:"may" suggest:"{SMALLEST_RAILS}" help:"Payment methods that are taken, and gift_card and voucher: the codes of rules §2, such as domestic_wire; empty: all."`
}

// Check implements Group.
func (o *Offering) Check(Mode) error {
	err := errors.Join(subset("ASSETS", o.Assets, texts(money.Assets)), subset("NETWORKS", o.Networks, slices.Concat(money.Networks, money.Pairs)), subset("RAILS", o.Rails, pricing.Rails))
	if err != nil {
		return err
	}
	offer := o.Offer()
	for _, asset := range offer.Coins() {
		if len(offer.NetworksOf(asset)) == 0 {
			err = errors.Join(err, fmt.Errorf("NETWORKS names none that %s is sent on", asset))
		}
	}
	for _, named := range offer.Networks {
		if !uses(offer, named) {
			err = errors.Join(err, fmt.Errorf("NETWORKS: no coin of ASSETS is sent on %s", named))
		}
	}
	return err
}

// uses reports whether a coin that is offered is sent on a network, or is the coin of a pair.
func uses(offer money.Offer, named string) bool {
	return slices.ContainsFunc(offer.Coins(), func(asset money.Currency) bool {
		return slices.ContainsFunc(offer.NetworksOf(asset), func(network string) bool {
			return named == network || named == money.PairOf(asset, network)
		})
	})
}

// Offer is the configured offer; Check has validated it.
func (o *Offering) Offer() money.Offer {
	offer := money.Offer{Networks: o.Networks, Rails: o.Rails}
	for _, asset := range o.Assets {
		offer.Assets = append(offer.Assets, money.Currency(asset))
	}
	return offer
}

// Sold are the coins that are sold, as a text names them.
func (o *Offering) Sold() string { return strings.Join(texts(o.Offer().Coins()), ", ") }

// Speaking is the languages offered to people.
type Speaking struct {
	Languages []string `name:"languages" env:"LANGUAGES" ask:"may" help:"Languages of pages and mails, of en,es; the first is for those who ask for none of them. Empty: all. Staff's pages are in English."`
}

// Check implements Group.
func (s *Speaking) Check(Mode) error { return subset("LANGUAGES", s.Languages, account.Languages) }

// Spoken are the offered languages, the first being the default.
func (s *Speaking) Spoken() []string {
	if len(s.Languages) == 0 {
		return account.Languages
	}
	return s.Languages
}

// Depends is a Group whose demands depend on what is offered.
type Depends interface {
	Group
	// CheckOffer names every value that the offer needs and that is missing.
	CheckOffer(mode Mode, offer money.Offer) error
}

// CheckOffers checks every group whose demands depend on the offer; a process without an
// Offering offers everything.
func CheckOffers(mode Mode, groups []Group) error {
	var offer money.Offer
	for _, group := range groups {
		if offering, is := group.(*Offering); is && offering != nil {
			offer = offering.Offer()
		}
	}
	var err error
	for _, group := range groups {
		if d, is := group.(Depends); is {
			err = errors.Join(err, d.CheckOffer(mode, offer))
		}
	}
	return err
}

// subset refuses what is none of all, and what is named twice.
func subset(name string, given, all []string) error {
	for i, one := range given {
		if !slices.Contains(all, one) {
			return fmt.Errorf("%s: %q is none of %s", name, one, strings.Join(all, ", "))
		}
		if slices.Contains(given[:i], one) {
			return fmt.Errorf("%s names %s twice", name, one)
		}
	}
	return nil
}

func texts[T ~string](list []T) []string {
	var out []string
	for _, one := range list {
		out = append(out, string(one))
	}
	return out
}
