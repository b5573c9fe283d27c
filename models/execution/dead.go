package execution

import (
	"github.com/tradepost/tradepost/models/store"
)

// ErrNotRemoved refuses to call a transfer dead that custody does not call removed.
var ErrNotRemoved = store.Conflict("transfer_not_removed", "The custodian doesn't say that this transfer was removed. Refresh the page.")
