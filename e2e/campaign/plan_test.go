package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAPlanFollowsFromItsSeedAlone(t *testing.T) {
	for _, brisk := range []bool{false, true} {
		require.Equal(t, NewPlan(7, 40, brisk), NewPlan(7, 40, brisk))
	}
	require.NotEqual(t, NewPlan(7, 40, false).Orders, NewPlan(8, 40, false).Orders)
	var first, second strings.Builder
	require.NoError(t, NewPlan(7, 40, false).print(&first))
	require.NoError(t, NewPlan(7, 40, false).print(&second))
	require.Equal(t, first.String(), second.String(), "it is printed as it is run")
}

// What marks an order for the simulators' faults belongs to it alone.
func TestAmountsAndAddressesBelongToOneOrder(t *testing.T) {
	seen := map[string]int{}
	for _, o := range NewPlan(3, 400, false).Orders {
		for _, mark := range []string{o.Asset + " " + o.Amount, o.Address, o.Amended} {
			require.Zero(t, seen[mark], "%s is in orders %d and %d", mark, seen[mark], o.N)
			seen[mark] = o.N
		}
	}
}

// The five plans of the long run cover every choice and fault, and every process is killed.
func TestLongPlansLeaveNothingOut(t *testing.T) {
	var plan Plan
	for seed := range uint64(5) {
		p := NewPlan(seed+1, 300, false)
		plan.Orders, plan.Strikes = append(plan.Orders, p.Orders...), append(plan.Strikes, p.Strikes...)
		plan.Errands = append(plan.Errands, p.Errands...)
	}
	met := map[string]bool{}
	for _, o := range plan.Orders {
		for _, word := range append(append([]string{o.Asset, o.Method, o.Clicks, o.Decide, o.Fulfil, o.After, o.Surplus, strings.Join(o.Money, "_")}, o.Cards...), o.Trouble...) {
			met[word] = true
		}
		met[o.Second] = true
		for _, a := range o.Asides {
			met[a.At], met[a.What] = true, true
		}
		for _, f := range o.Faults {
			met[f.Provider+"/"+f.Operation+" "+f.Code] = true
		}
	}
	for _, s := range plan.Strikes {
		met[s.Kind+" "+s.What] = true
	}
	for _, e := range plan.Errands {
		met[e.Kind] = true
	}
	for _, choices := range []weighted{assets, rails, clicks, cards, moneys, decides, fulfils, bankFulfils, answers, afters, bankAfters, seconds, surpluses, asideMoments, asideActs, scenarioKinds} {
		for _, c := range choices {
			require.True(t, met[c.word], "%q", c.word)
		}
	}
	for _, c := range catalogue {
		for _, code := range c.codes {
			require.True(t, met[c.provider+"/"+c.operation+" "+code], "%s/%s %s", c.provider, c.operation, code)
		}
	}
	for _, part := range parts {
		require.True(t, met["kill "+part], part)
	}
	for _, what := range restores {
		require.True(t, met["restore "+what], what)
	}
}

// What chance hardly brings about is in every plan of a hundred orders: each recipe, a
// strike of each kind that comes always, a backup put back, and a scenario of each kind.
func TestEveryPlanHasWhatIsNotLeftToChance(t *testing.T) {
	for seed := range uint64(20) {
		p, met := NewPlan(seed, 100, false), map[string]bool{}
		for _, o := range p.Orders {
			met[o.Recipe] = true
		}
		for _, s := range p.Strikes {
			met[s.Kind] = true
		}
		for _, e := range p.Errands {
			met[e.Kind] = true
		}
		for _, r := range recipes {
			require.True(t, met[r.name], "%q", r.name)
		}
		for _, s := range append(always, Strike{Kind: "restore"}) {
			require.True(t, met[s.Kind], "%q", s.Kind)
		}
		for _, e := range scenarioKinds {
			require.True(t, met[e.word], "%q", e.word)
		}
	}
	for _, s := range NewPlan(1, 8, true).Strikes {
		require.NotEqual(t, "restore", s.Kind, "a brisk one")
	}
}
