package referral

import (
	"time"
)

// ReferralCode is what a customer shares.
type ReferralCode struct {
	ReferralURL  string  `json:"referralUrl"`
	ReferralCode string  `json:"referralCode" doc:"Crockford's base 32"`
	Reward       *string `json:"reward" doc:"US dollars for each friend; null while none is paid"`
	Bonus        *string `json:"bonus" doc:"US dollars the friend gets; null while none is paid"`
}

// ReferralStats are a customer's referrals. Amounts are US dollars.
type ReferralStats struct {
	TotalReferrals  int            `json:"totalReferrals"`
	ActiveReferrals int            `json:"activeReferrals" doc:"friends who are verified and have not completed their first order"`
	PendingRewards  string         `json:"pendingRewards" doc:"promised for friends who can still earn it"`
	TotalRewards    string         `json:"totalRewards" doc:"paid and kept"`
	Referrals       []ReferralLine `json:"referrals" doc:"newest first, a page at a time"`
}

// ReferralLine is one friend.
type ReferralLine struct {
	ID        string    `json:"id" format:"uuid"`
	Name      string    `json:"name" prose:"yes" doc:"first name and an initial"`
	CreatedAt time.Time `json:"createdAt"`
	Status    string    `json:"status" enum:"registered,active,held,rewarded,refused,clawed_back"`
	Reward    string    `json:"reward" doc:"US dollars"`
}

// AdminReward is a reward that was earned, as staff see it.
type AdminReward struct {
	ID             string     `json:"id" format:"uuid"`
	Reference      string     `json:"reference"`
	Kind           string     `json:"kind" enum:"referral,signup_bonus"`
	Status         string     `json:"status" enum:"active,held,rewarded,refused,clawed_back"`
	Amount         string     `json:"amount" doc:"US dollars"`
	PayeeID        string     `json:"payeeId" format:"uuid"`
	PayeeEmail     string     `json:"payeeEmail"`
	FriendID       string     `json:"friendId" format:"uuid"`
	FriendEmail    string     `json:"friendEmail"`
	OrderID        string     `json:"orderId" format:"uuid"`
	OrderReference string     `json:"orderReference"`
	Signals        []string   `json:"signals" doc:"why a person looks at it: same_browser, same_network, same_wallet, same_card, account_restricted"`
	Actions        []string   `json:"actions" doc:"what the signed-in person can do: approve, refuse"`
	Deciding       bool       `json:"deciding" doc:"a decision is being carried out"`
	DecidedBy      *string    `json:"decidedBy" doc:"who decided last"`
	Reason         *string    `json:"reason" doc:"and why"`
	WorkflowURL    *string    `json:"workflowUrl"`
	CreatedAt      time.Time  `json:"createdAt"`
	RewardedAt     *time.Time `json:"rewardedAt"`
}

// RewardsSummary counts the rewards that were earned.
type RewardsSummary struct {
	Total           int            `json:"total"`
	ByStatus        map[string]int `json:"byStatus"`
	MatchingFilters int            `json:"matchingFilters"`
	Paid            string         `json:"paid" doc:"US dollars paid and kept"`
}

// RewardDecision is why a reward is approved or refused.
type RewardDecision struct {
	Reason string `json:"reason" maxLength:"500"`
}
