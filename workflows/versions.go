package workflows

// Each change to what a running workflow does, step by step, is a predicate in
// this file, named after what changed and built on workflow.GetVersion:
//
//	func asksCustomerFirst(ctx workflow.Context) bool {
//		return workflow.GetVersion(ctx, "asks customer first", workflow.DefaultVersion, 1) == 1
//	}
//
// Workflows begun before the change go on without it. replay_test.go replays
// the histories in testdata, recorded from earlier builds, on today's code: a
// change that is missing here fails there. There has been none yet.
