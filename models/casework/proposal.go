package casework

// Dual control: a decision that refunds more of an order than one person may alone, credits more, or changes the
// coin's address, is proposed by one person and approved by another. A proposal moves nothing; its approval makes the
// decision or refund, with the approver as its actor, in the same transaction.

// ProposalStatus is the state of a proposal.
type ProposalStatus string

// The statuses of a proposal.
const (
	ProposalOpen      ProposalStatus = "open"
	ProposalApproved  ProposalStatus = "approved"
	ProposalRejected  ProposalStatus = "rejected"
	ProposalWithdrawn ProposalStatus = "withdrawn" // by its proposer
	ProposalExpired   ProposalStatus = "lapsed"    // the order ended, or was sent, before a decision
)
