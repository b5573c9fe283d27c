package kyc

import (
	"time"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
)

// Limits is what a customer may still buy. Amounts are US dollars.
type Limits struct {
	KYCLevel string            `json:"kycLevel" enum:"none,standard,enhanced"`
	Verified bool              `json:"verified"`
	MinOrder map[string]string `json:"minOrder" doc:"smallest order by payment method"`
	MaxOrder map[string]string `json:"maxOrder" doc:"largest order by payment method; missing means no limit"`
	Methods  []BuyMethod       `json:"methods" doc:"the buy flow's payment methods, in order"`
	Single   Allowance         `json:"single"`
	Day      Allowance         `json:"day"`
	Month    Allowance         `json:"month"`
	Refused  *string           `json:"refused" prose:"yes" doc:"why nothing can be bought at the moment"`
	Assets   []BuyAsset        `json:"assets" doc:"what can be bought"`
}

// BuyAsset is one asset of the buy flow.
type BuyAsset struct {
	Asset    string  `json:"asset"`
	Paused   *string `json:"paused" prose:"yes" doc:"why it cannot be bought at the moment"`
	Smallest string  `json:"smallest,omitempty" doc:"the exchange's smallest order, in the coin"`
	// NetworkFee is missing where nothing was sent lately.
	NetworkFee string `json:"networkFee,omitempty" doc:"US dollars; what sending it costs; the balance pays for no less than this and the smallest order"`
}

// BuyMethod is one payment method of the buy flow.
type BuyMethod struct {
	Method         string  `json:"method"`
	Description    string  `json:"description"`
	Timing         string  `json:"timing"`
	IsEnabled      bool    `json:"isEnabled" doc:"it is enabled, and offered in this customer's country"`
	Paused         *string `json:"paused" prose:"yes" doc:"why it is not taken at the moment"`
	Margin         string  `json:"margin" doc:"this customer's, in percent, before the volume discount"`
	VolumeDiscount string  `json:"volumeDiscount" doc:"this customer's, in percent of the same price as the margin"`
	ProcessingFee  string  `json:"processingFee" doc:"US dollars"`
	MinAmount      string  `json:"minAmount"`
	MaxAmount      *string `json:"maxAmount"`
	WindowMinutes  int     `json:"windowMinutes" doc:"how long the price is locked while payment is awaited"`
}

// Allowance is a limit and what remains of it; null means unlimited.
type Allowance struct {
	Limit     *string `json:"limit"`
	Remaining *string `json:"remaining"`
}

// KYCStatus is a customer's identity verification.
type KYCStatus struct {
	Status    string      `json:"status" enum:"not_started,pending,approved,rejected"`
	Level     string      `json:"level" enum:"none,standard,enhanced" doc:"the level in force"`
	Verified  bool        `json:"verified"`
	CanRetry  bool        `json:"canRetry"`
	Reason    *string     `json:"reason" doc:"what the reviewer asks the customer to change"`
	MoreAsked bool        `json:"moreAsked" doc:"the reviewer waits for something from the customer"`
	OnHold    bool        `json:"onHold" doc:"a person looks at it, which takes longer"`
	Preparing bool        `json:"preparing" doc:"a new start is being prepared; it can begin in a moment"`
	Ended     *string     `json:"ended" enum:"refused,reset,deleted,deactivated,staff,expired" doc:"why a level that was in force is so no more"`
	ExpiresAt *time.Time  `json:"expiresAt" doc:"when the level in force ends"`
	Renewable bool        `json:"renewable" doc:"documents can be shown again now, before the level ends"`
	Attempt   *KYCAttempt `json:"attempt" doc:"what a verified customer applies for besides: a higher level, or a renewal"`
}

// KYCAttempt is what a verified customer applies for while their level is in force.
type KYCAttempt struct {
	Level   string `json:"level" enum:"standard,enhanced"`
	Renewal bool   `json:"renewal"`
	Status  string `json:"status" enum:"not_started,pending,rejected"`
}

// KYCToken opens the identity provider's widget.
type KYCToken struct {
	Token  string `json:"token"`
	UserID string `json:"userId"`
}

// KYCLevel is what a verification level allows; no limit means unlimited.
type KYCLevel struct {
	Level     string  `json:"level" enum:"none,standard,enhanced"`
	Single    *string `json:"single" doc:"US dollars per purchase"`
	Day       *string `json:"day"`
	Month     *string `json:"month"`
	Available bool    `json:"available" doc:"the customer can apply for it now"`
}

// AdminKYC is a customer's verification as staff see it.
type AdminKYC struct {
	ID            string                `json:"id" format:"uuid" doc:"the customer's"`
	CustomerName  string                `json:"customerName"`
	CustomerEmail string                `json:"customerEmail"`
	Country       string                `json:"country"`
	Standing      string                `json:"standing" enum:"on_hold,pending,retry,rejected,approved,not_started"`
	Status        string                `json:"status" enum:"not_started,pending,approved,rejected"`
	Level         string                `json:"level" enum:"none,standard,enhanced" doc:"the level in force"`
	ReviewLevel   string                `json:"reviewLevel" enum:"standard,enhanced" doc:"the level the attempt is for"`
	Held          bool                  `json:"held" doc:"by staff: nothing is granted for now"`
	ExpiresAt     *time.Time            `json:"expiresAt"`
	PolledAt      *time.Time            `json:"polledAt" doc:"when the provider was last asked"`
	WaitingSince  *time.Time            `json:"waitingSince" doc:"since when it has waited for a review; null where it does not"`
	Actions       []string              `json:"actions" doc:"decisions the signed-in person can take now"`
	Decision      *caseworkapi.Decision `json:"decision" doc:"the one that is being carried out"`
	Final         *FinalRejection       `json:"final" doc:"the final rejection that no approval has followed: two people approve"`
	Proposal      *KYCProposal          `json:"proposal" doc:"the approval that waits for a second person"`
	WorkflowURL   *string               `json:"workflowUrl"`
	CreatedAt     time.Time             `json:"createdAt"`
	UpdatedAt     time.Time             `json:"updatedAt"`
}

// FinalRejection is a final rejection of an identity.
type FinalRejection struct {
	At     time.Time `json:"at"`
	By     string    `json:"by" enum:"provider,staff"`
	Labels []string  `json:"labels" doc:"the provider's codes of what was wrong"`
}

// KYCProposal is the approval of a finally rejected identity that waits for a second person.
type KYCProposal struct {
	ID        string    `json:"id" format:"uuid"`
	Level     string    `json:"level" enum:"standard,enhanced"`
	Version   int       `json:"version" doc:"of the verification as it was proposed; an answer names it"`
	Reason    string    `json:"reason"`
	Proposer  string    `json:"proposer" doc:"e-mail address of who proposed it"`
	Actions   []string  `json:"actions" doc:"what the signed-in person can do with it: approve and reject, or withdraw"`
	CreatedAt time.Time `json:"createdAt"`
}

// KYCProposalChoice names the proposal that was reviewed, and its version.
type KYCProposalChoice struct {
	ProposalID string `json:"proposalId" format:"uuid" maxLength:"36"`
	Version    int    `json:"version" minimum:"1"`
}

// KYCProposalRejection is why a proposal is rejected, or withdrawn.
type KYCProposalRejection struct {
	KYCProposalChoice
	Reason string `json:"reason" minLength:"1" maxLength:"500"`
}

// AdminKYCDetail is one case with its timeline.
type AdminKYCDetail struct {
	AdminKYC
	CanRetry      bool                        `json:"canRetry"`
	Ended         *string                     `json:"ended" enum:"refused,reset,deleted,deactivated,staff,expired"`
	ProviderState string                      `json:"providerState" doc:"the provider's own word"`
	Labels        []string                    `json:"labels" doc:"the provider's codes of what was wrong"`
	Reason        string                      `json:"reason" doc:"what the customer reads"`
	ProviderURL   *string                     `json:"providerUrl" doc:"the case in the provider's dashboard"`
	ReviewedAt    *time.Time                  `json:"reviewedAt" doc:"when the provider decided"`
	DecidedAt     *time.Time                  `json:"decidedAt" doc:"since when staff's verdict stands"`
	Renewing      bool                        `json:"renewing"`
	Preparing     bool                        `json:"preparing"`
	Events        []KYCEvent                  `json:"events"`
	Decisions     []caseworkapi.TakenDecision `json:"decisions"`
}

// KYCEvent is one line of a verification's timeline.
type KYCEvent struct {
	ID       int64          `json:"id"`
	At       time.Time      `json:"at"`
	Kind     string         `json:"kind"`
	Actor    string         `json:"actor" enum:"system,customer,staff,provider"`
	Internal bool           `json:"internal,omitempty" doc:"for staff only"`
	Data     map[string]any `json:"data"`
}

// KYCSummary counts the queue.
type KYCSummary struct {
	Total           int            `json:"total"`
	ByStanding      map[string]int `json:"byStanding"`
	MatchingFilters int            `json:"matchingFilters"`
}

// KYCApproval approves a case regardless of the provider's decision.
type KYCApproval struct {
	Level  string `json:"level" enum:"standard,enhanced"`
	Reason string `json:"reason" maxLength:"500"`
}

// KYCRejection refuses an attempt.
type KYCRejection struct {
	CanRetry bool   `json:"canRetry" doc:"the customer may try again"`
	Reason   string `json:"reason" maxLength:"500" doc:"for the record; the customer does not read it"`
}

// KYCReason is a decision that needs a reason only.
type KYCReason struct {
	Reason string `json:"reason" maxLength:"500"`
}
