// Package workercomponent would run the workflows that start workers; without
// compute providers there are none.
package workercomponent

import "go.uber.org/fx"

// Module adds nothing to the server's own worker.
var Module = fx.Options()
