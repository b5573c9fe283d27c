package models_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/models"
	"github.com/tradepost/tradepost/models/money"
)

// returns has one of staff say that a bank sent a payout back, with the limit of one
// person, and carries it out.
func (p *till) returns(id string, who int, limit int64) error {
	most := money.FromInt(limit)
	decision, err := p.db.OpenPayoutDecision(p.Context(), id, models.NewMatterDecision{Kind: models.PayoutReturn, ActorID: p.staff[who], ActorRole: "finance",
		Reason: "account closed", Alone: &most})
	if err != nil {
		return err
	}
	return p.db.ReturnPayout(p.Context(), id, decision.ID)
}

// transferred is a payout that was paid.
func (p *till) transferred(cents int64) string {
	p.Helper()
	payout, err := p.ask(cents)
	require.NoError(p, err)
	for who, kind := range map[int]string{0: models.PayoutApprove, 1: models.PayoutApprove} {
		if err := p.carry(payout.ID, kind, who); models.ReasonOf(err) != "payout_state" {
			require.NoError(p, err)
		}
	}
	require.NoError(p, p.carry(payout.ID, models.PayoutConfirm, 0))
	return payout.ID
}

// What one person's word credits to a customer counts together in a day; above the
// limit a return is proposed, and booked once another person has approved it.
func TestBar46AReturnedPayoutAboveTheLimitTakesTwoPeople(t *testing.T) {
	p := openTill(t)
	p.earn(300_000)
	const limit = 30_000
	small, second, large := p.transferred(20_000), p.transferred(20_000), p.transferred(40_000)
	require.ErrorIs(t, p.returns(large, 0, limit), models.ErrSecondPerson)
	require.NoError(t, p.returns(small, 0, limit))
	require.ErrorIs(t, p.returns(second, 1, limit), models.ErrSecondPerson, "another person, the same customer and day")
	word, err := p.db.ByOneWord(t.Context(), p.user)
	require.NoError(t, err)
	require.Equal(t, money.FromInt(20_000), word)

	by := func(who string) models.By {
		return models.By{ActorID: who, ActorRole: "finance", Reason: "account closed"}
	}
	back := money.FromInt(38_500)
	act := &models.ReturnPayout{PayoutID: large, Returned: &back, Said: "account closed"}
	_, err = p.db.ProposeMoney(t.Context(), act, "", by(p.user))
	require.Equal(t, "own_payout", models.ReasonOf(err))
	proposal, err := p.db.ProposeMoney(t.Context(), act, "", by(p.staff[0]))
	require.NoError(t, err)
	require.Equal(t, models.PayoutPaid, p.payout(large).Status, "a proposal books nothing")
	_, err = p.db.ProposeMoney(t.Context(), act, "", by(p.staff[1]))
	require.Equal(t, "proposal_open", models.ReasonOf(err))
	require.Equal(t, "proposal_open", models.ReasonOf(p.returns(large, 1, 1_000_000)), "nor does who may it alone go past it")
	_, err = p.db.ApproveMoney(t.Context(), proposal.ID, by(p.staff[0]))
	require.Equal(t, "own_proposal", models.ReasonOf(err))
	_, err = p.db.ApproveMoney(t.Context(), proposal.ID, by(p.user))
	require.Equal(t, "own_payout", models.ReasonOf(err))
	before, _ := p.holds()
	done, err := p.db.ApproveMoney(t.Context(), proposal.ID, models.By{ActorID: p.staff[1], ActorRole: "finance", Reason: "I saw it too"})
	require.NoError(t, err)
	require.NoError(t, p.db.ReturnPayout(t.Context(), large, done.Matter.ID))
	after, _ := p.holds()
	require.EqualValues(t, 40_000, after-before, "the customer gets all of it")
	require.Equal(t, "account closed", *p.payout(large).Reason, "the customer reads what the first person wrote")
	word, err = p.db.ByOneWord(t.Context(), p.user)
	require.NoError(t, err)
	require.Equal(t, money.FromInt(20_000), word, "what two people said is not one person's word")
	p.ahead("25 hours")
	require.NoError(t, p.returns(second, 1, limit), "another day's")
	totals, err := p.db.TrialBalance(t.Context())
	require.NoError(t, err)
	require.Empty(t, models.CheckTrialBalance(totals))
}
