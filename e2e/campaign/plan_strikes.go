package main

import "math/rand/v2"

// Strike affects all orders: a process dies, a price or a clock moves. It comes when At orders are half-way, on the
// average of those begun and those over.
type Strike struct {
	At   int    `json:"at"`
	Kind string `json:"kind"`
	What string `json:"what"`
}

// parts are the processes that die.
var parts = []string{"core", "payments", "exchange", "custody", "api", "temporal", "postgres", "sandbox"}

// restores are what is put back: Postgres alone, or with a Temporal that begins empty.
var restores = []string{"database", "database and empty Temporal"}

// always are the strikes of every plan that is not brisk: providers that are away for longer than any retry, a network
// that is slower than every wait, and a pair that the exchange no longer lists.
var always = []Strike{{Kind: "outage", What: "90s"}, {Kind: "slow network", What: "80s"},
	{Kind: "delisted", What: "XETHZUSD"}}

func planStrikes(r *rand.Rand, orders int, brisk bool) []Strike {
	var list []Strike
	for _, i := range r.Perm(len(parts)) {
		list = append(list, Strike{Kind: "kill", What: parts[i]})
	}
	if !brisk {
		for range orders / 8 {
			list = append(list, Strike{Kind: "kill", What: parts[r.IntN(len(parts))]})
		}
		for range orders / 25 {
			list = append(list, Strike{Kind: "away", What: parts[r.IntN(len(parts))]})
		}
		list = append(list, always...)
	}
	for range max(3, orders/12) {
		list = append(list, chance(r))
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	if !brisk {
		list = withRestores(r, list)
	}
	spread(list, orders)
	return list
}

// spread has strikes fall at equal distances.
func spread(list []Strike, orders int) {
	for i := range list {
		list[i].At = (i + 1) * orders / (len(list) + 1)
	}
}

// chance is a strike of no process: prices, markets, approvals, forgeries, clocks.
func chance(r *rand.Rand) Strike {
	kind := weighted{{"price", 4}, {"maintenance", 1}, {"approvals", 1}, {"forge", 2}, {"clock", 1}}.pick(r)
	what := map[string][]string{
		"price": {"BTC 1.02", "BTC 1.005", "ETH 1.03", "ETH 0.99", "BTC 0.98"}, "maintenance": {"maintenance", "cancel_only"},
		"approvals": {"btc", "eth", "usdc"}, "forge": {"stripe", "bitgo", "sumsub"}, "clock": {"10m", "40m", "3h"},
	}[kind]
	return Strike{Kind: kind, What: what[r.IntN(len(what))]}
}

// withRestores restores a backup in the middle of a plan, and in every third plan again towards its end.
func withRestores(r *rand.Rand, list []Strike) []Strike {
	places := []int{len(list) / 2}
	if r.IntN(3) == 0 {
		places = append(places, len(list)*4/5)
	}
	first := r.IntN(len(restores))
	for i := len(places) - 1; i >= 0; i-- {
		s := Strike{Kind: "restore", What: restores[(first+i)%len(restores)]}
		list = append(list[:places[i]], append([]Strike{s}, list[places[i]:]...)...)
	}
	return list
}
