package models_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/dualcontrol"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/payout"
	"github.com/tradepost/tradepost/models/store"
)

// returns has a member of staff record that a bank returned a payout, with the limit of one person, and executes it.
func (p *till) returns(id string, who int, limit int64) error {
	most := money.FromInt(limit)
	decision, err := payout.OpenPayoutDecision(p.Context(), p.db, id, casework.NewCaseDecision{Kind: payout.PayoutReturn, ActorID: p.staff[who], ActorRole: "finance",
		Reason: "account closed", Alone: &most})
	if err != nil {
		return err
	}
	return payout.ReturnPayout(p.Context(), p.db, id, decision.ID)
}

// transferred is a payout that was paid.
func (p *till) transferred(cents int64) string {
	p.Helper()
	row, err := p.ask(cents)
	require.NoError(p, err)
	for who, kind := range map[int]string{0: payout.PayoutApprove, 1: payout.PayoutApprove} {
		if err := p.decide(row.ID, kind, who); store.ReasonOf(err) != "payout_state" {
			require.NoError(p, err)
		}
	}
	require.NoError(p, p.decide(row.ID, payout.PayoutConfirm, 0))
	return row.ID
}

// What single persons credit to a customer counts together in a day; above the limit a return is proposed, and booked
// once another person has approved it.
func TestBar46AReturnedPayoutAboveTheLimitTakesTwoPeople(t *testing.T) {
	p := openTill(t)
	p.earn(300_000)
	const limit = 30_000
	small, second, large := p.transferred(20_000), p.transferred(20_000), p.transferred(40_000)
	require.ErrorIs(t, p.returns(large, 0, limit), dualcontrol.ErrSecondPerson)
	require.NoError(t, p.returns(small, 0, limit))
	require.ErrorIs(t, p.returns(second, 1, limit), dualcontrol.ErrSecondPerson, "another person, the same customer and day")
	word, err := dualcontrol.AloneFor(t.Context(), p.db, p.user, dualcontrol.Ref{}, dualcontrol.Receipt, dualcontrol.CardValue, dualcontrol.PayoutReturned)
	require.NoError(t, err)
	require.Equal(t, money.FromInt(20_000), word)

	by := func(who string) store.Actor {
		return store.Actor{ActorID: who, ActorRole: "finance", Reason: "account closed"}
	}
	back := money.FromInt(38_500)
	act := &correction.ReturnPayout{PayoutID: large, Returned: &back, Said: "account closed"}
	_, err = correction.ProposeMoney(t.Context(), p.db, act, "", by(p.user))
	require.Equal(t, "own_payout", store.ReasonOf(err))
	proposal, err := correction.ProposeMoney(t.Context(), p.db, act, "", by(p.staff[0]))
	require.NoError(t, err)
	require.Equal(t, payout.PayoutPaid, p.payout(large).Status, "a proposal books nothing")
	_, err = correction.ProposeMoney(t.Context(), p.db, act, "", by(p.staff[1]))
	require.Equal(t, "proposal_open", store.ReasonOf(err))
	require.Equal(t, "proposal_open", store.ReasonOf(p.returns(large, 1, 1_000_000)), "nor does who may it alone go past it")
	_, err = correction.ApproveMoney(t.Context(), p.db, proposal.ID, by(p.staff[0]))
	require.Equal(t, "own_proposal", store.ReasonOf(err))
	_, err = correction.ApproveMoney(t.Context(), p.db, proposal.ID, by(p.user))
	require.Equal(t, "own_payout", store.ReasonOf(err))
	before, _ := p.holds()
	done, err := correction.ApproveMoney(t.Context(), p.db, proposal.ID, store.Actor{ActorID: p.staff[1], ActorRole: "finance", Reason: "I saw it too"})
	require.NoError(t, err)
	require.NoError(t, payout.ReturnPayout(t.Context(), p.db, large, done.Matter.ID))
	after, _ := p.holds()
	require.EqualValues(t, 40_000, after-before, "the customer gets all of it")
	require.Equal(t, "account closed", *p.payout(large).Reason, "the customer reads what the first person wrote")
	word, err = dualcontrol.AloneFor(t.Context(), p.db, p.user, dualcontrol.Ref{}, dualcontrol.Receipt, dualcontrol.CardValue, dualcontrol.PayoutReturned)
	require.NoError(t, err)
	require.Equal(t, money.FromInt(20_000), word, "what two people said is not one person's word")
	p.ahead("25 hours")
	require.NoError(t, p.returns(second, 1, limit), "another day's")
	totals, err := ledger.TrialBalance(t.Context(), p.db)
	require.NoError(t, err)
	require.Empty(t, ledger.CheckTrialBalance(totals))
}
