package workflows

import (
	"go.temporal.io/sdk/workflow"
)

// Each change to what a running workflow does, step by step, is a predicate in
// this file, named after what changed and built on workflow.GetVersion:
//
//	func asksCustomerFirst(ctx workflow.Context) bool {
//		return workflow.GetVersion(ctx, "asks customer first", workflow.DefaultVersion, 1) == 1
//	}
//
// Workflows begun before the change continue without it. replay_test.go replays the
// histories in testdata, recorded from earlier builds, on today's code: a change that is
// missing here fails there.
//
// A change that is in force from a workflow's first step on needs no marker in its history:
// the input contains the release that started it, and the first row that it reads the
// release that executes it. A change of what a worker does goes by the second, since a
// worker of an earlier release may be given what a later one started.

// Release is what workflows that are started now can do.
const Release = 1

// showsPassingStates reports whether every status becomes a search attribute,
// with what never changes beside it. Since release 1 those that an order only
// passes through do not: each costs the server as much as an activity.
func (in OrderInput) showsPassingStates() bool { return in.Release < 1 }

// rowKnowsPaymentFirst reports whether the row may record the payment before the workflow: since
// release 2 the webhook of an authorised card is recorded on receipt, and signals nothing.
// The row then determines which decisions are possible.
func (o *orderRun) rowKnowsPaymentFirst() bool { return o.release >= 2 }

// showsAttention reports whether the reference of an order and the reason why it waits for a person are search
// attributes, which they are since release 3.
func (o *orderRun) showsAttention() bool { return o.release >= 3 }

// awaitsCustodian reports whether a transfer that was sent is first read when the
// custodian's webhook arrives, or after its silence.
func awaitsCustodian(release int) bool { return release >= 2 }

// rereadsWhenSignalled reports whether a redemption that waits for staff reads its row again when
// it is signalled: a transfer that was declared dead may have sent it.
func rereadsWhenSignalled(ctx workflow.Context) bool {
	return workflow.GetVersion(ctx, "reads when woken", workflow.DefaultVersion, 1) == 1
}

// signalsItsOrder reports whether a refund's workflow signals its order's at its end:
// no coin is bought or sent while a refund is under way, so the order waits for it.
func signalsItsOrder(ctx workflow.Context) bool {
	return workflow.GetVersion(ctx, "wakes its order", workflow.DefaultVersion, 1) == 1
}
