package referral

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/referral"
)

// Programme are the rewards for signing up and for referrals, in cents; zero is none.
// Revocable is how long a reward can be revoked.
type Programme struct {
	Bonus, Reward money.Units
	Revocable     time.Duration
}

// ReferralCookie keeps the code of the link that brought a visitor here until they sign up:
// it survives their way through the identity provider.
const (
	ReferralCookie = "ref"
	referralLife   = 30 * 24 * time.Hour
)

// RememberReferral keeps the code of a referral link. The last link counts.
func (h *Handlers) RememberReferral(c *gin.Context) {
	if code, ok := referral.ReferralCode(rest.Once(c, "ref")); ok {
		cookie := h.Cookie(ReferralCookie, code, referralLife)
		http.SetCookie(c.Writer, &cookie)
	}
}

// Arrival is how a person reached the site, as the sign-in recorded it.
func (h *Handlers) Arrival(ctx context.Context) referral.Arrival {
	a := referral.Arrival{Code: h.CookieOf(ctx, ReferralCookie), Bonus: h.Programme.Bonus, Reward: h.Programme.Reward, Revocable: h.Programme.Revocable}
	if asked := h.Languages.Asked(rest.RequestOf(ctx).In); asked != h.Languages[0] {
		a.Language = asked
	}
	if before := h.CookieOf(ctx, rest.SessionCookie); before != "" {
		a.BrowserOf = rest.HashToken(before)
	}
	// A private or local address does not identify a person.
	address, _, _ := strings.Cut(rest.RequestOf(ctx).IP, "/")
	if ip, err := netip.ParseAddr(address); err == nil && ip.IsGlobalUnicast() && !ip.IsPrivate() {
		a.IP = rest.RequestOf(ctx).IP
	}
	return a
}

// promised is an amount as it is shown, or empty.
func promised(amount money.Units) *string {
	if amount.Sign() <= 0 {
		return nil
	}
	return rest.Dollars(&amount)
}

// GetReferralCode answers GET /api/referrals/my-code.
func (h *Handlers) GetReferralCode(ctx context.Context, _ *rest.Nothing) (*rest.Body[ReferralCode], error) {
	code, err := referral.CodeOf(ctx, h.DB, rest.PrincipalOf(ctx).UserID)
	if err != nil {
		return nil, err
	}
	return &rest.Body[ReferralCode]{Body: ReferralCode{ReferralURL: h.PublicURL + "/?ref=" + url.QueryEscape(code), ReferralCode: code,
		Reward: promised(h.Programme.Reward), Bonus: promised(h.Programme.Bonus)}}, nil
}

type referralsInput struct{ rest.Paging }

type referralsPage struct {
	Link string `header:"Link" doc:"the next page of referrals, rel=\"next\""`
	Body ReferralStats
}

// GetReferralStats answers GET /api/referrals/stats.
func (h *Handlers) GetReferralStats(ctx context.Context, in *referralsInput) (*referralsPage, error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	userID := rest.PrincipalOf(ctx).UserID
	rows, next, err := referral.Referrals(ctx, h.DB, userID, wanted)
	if err != nil {
		return nil, err
	}
	n, err := referral.CountReferrals(ctx, h.DB, userID)
	if err != nil {
		return nil, err
	}
	// Who is verified stays active when the reward is checked or credited.
	active := n.ByStatus[referral.RewardActive] + n.ByStatus[referral.RewardHeld] + n.ByStatus[referral.RewardRewarded]
	pending := n.Sums[referral.RewardRegistered].Add(n.Sums[referral.RewardActive]).Add(n.Sums[referral.RewardHeld])
	return &referralsPage{Link: rest.LinkTo(ctx, next, in.Limit), Body: ReferralStats{TotalReferrals: n.Total, ActiveReferrals: active,
		PendingRewards: money.USD.Format(pending), TotalRewards: money.USD.Format(n.Sums[referral.RewardRewarded]), Referrals: rest.Mapped(rows, referralLine)}}, nil
}

// referralLine discloses of a friend the first name and the last name's initial alone.
func referralLine(r *referral.Referred) ReferralLine {
	name := strings.TrimSpace(r.FirstName)
	if r.LastName != "" {
		name = strings.TrimSpace(name + " " + r.LastName + ".")
	}
	if name == "" {
		name = "A friend"
	}
	return ReferralLine{ID: r.ID, Name: name, CreatedAt: r.CreatedAt, Status: string(r.Status), Reward: money.USD.Format(r.Amount)}
}
