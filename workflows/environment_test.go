package workflows

import (
	"time"

	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
)

// environment is one to run a workflow in. The SDK calls a workflow that has not yielded for a second stuck: on a busy
// machine it may only wait for a processor.
func environment() *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	return suite.NewTestWorkflowEnvironment().SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute})
}
