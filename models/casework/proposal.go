package casework

// Dual control: what gives back more of an order's money than one person may alone,
// lets more in, or changes where its coin goes, is proposed by one and approved by another. A proposal moves nothing. Approved,
// it becomes the very decision or refund that it would have been without, taken
// by who approved it, in the transaction that approves.

// ProposalStatus is how a proposal stands.
type ProposalStatus string

// The statuses of a proposal.
const (
	ProposalOpen      ProposalStatus = "open"
	ProposalApproved  ProposalStatus = "approved"
	ProposalRejected  ProposalStatus = "rejected"
	ProposalWithdrawn ProposalStatus = "withdrawn" // by who made it
	ProposalExpired   ProposalStatus = "lapsed"    // the order ended, or was sent, before anybody decided
)
