package worker

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/customer"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/workflows"
)

// The nightly workflow gives each customer the tier of their purchases, and its schedule is
// created once however often it is requested.
func TestTheNightFollowsVolumes(t *testing.T) {
	h := open(t)
	h.exec(`UPDATE users SET volume_tier = 'platinum' WHERE id = $1`, h.customer)
	run, err := h.client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{TaskQueue: workflows.CoreQueue}, workflows.TiersType, workflows.TiersInput{})
	require.NoError(t, err)
	require.NoError(t, run.Get(t.Context(), nil))
	c, err := customer.Customer(t.Context(), h.db, h.customer)
	require.NoError(t, err)
	require.Equal(t, "bronze", c.VolumeTier)
	h.record(run.GetID(), "tiers")
	require.NoError(t, scheduleTiers(t.Context(), h.client))
	require.NoError(t, scheduleTiers(t.Context(), h.client), "it is there already")
}

// A customer is frozen when their order is about to buy: it parks there, and the decision
// that unfreezing writes resumes it.
func TestAFrozenOrderGoesOnWhenItsCustomerIsUnfrozen(t *testing.T) {
	h := open(t)
	o := h.paid()
	officer := account.StaffAction{CustomerID: h.customer, ActorID: h.staff, ActorRole: "compliance", Reason: "a question"}
	require.NoError(t, customer.FreezeCustomer(t.Context(), h.db, officer))
	require.Equal(t, casework.AttentionCustomer, h.decide(o.ID, workflows.Fulfill, nil).Code)
	h.attention(o.ID, casework.AttentionCustomer)
	parked, err := customer.UnfreezeCustomer(t.Context(), h.db, officer)
	require.NoError(t, err)
	require.Len(t, parked, 1)
	h.until("the sweep to deliver what nobody told", func() bool {
		h.sweep()
		now, err := order.ReadOrder(t.Context(), h.db, o.ID)
		require.NoError(t, err)
		return now.Status == order.StatusSent
	})
}
