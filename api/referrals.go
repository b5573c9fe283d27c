package api

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/referral"
)

// Programme is what signing up and bringing friends is worth, in cents; zero is
// nothing. Revocable is how long a reward can be taken back.
type Programme struct {
	Bonus, Reward money.Units
	Revocable     time.Duration
}

// referralCookie keeps the code of the link that brought a visitor here until
// they sign up: it comes back with them from the identity provider.
const (
	referralCookie = "ref"
	referralLife   = 30 * 24 * time.Hour
)

// rememberReferral keeps the code of a referral link. The last link counts.
func (s *Server) rememberReferral(c *gin.Context) {
	if code, ok := referral.ReferralCode(c.Query("ref")); ok {
		cookie := s.cookie(referralCookie, code, referralLife)
		http.SetCookie(c.Writer, &cookie)
	}
}

// arrival is what a sign-in says of how somebody came here.
func (s *Server) arrival(ctx context.Context) referral.Arrival {
	a := referral.Arrival{Code: s.cookieOf(ctx, referralCookie), Bonus: s.Programme.Bonus, Reward: s.Programme.Reward, Revocable: s.Programme.Revocable}
	if offered := s.languages(); offered.asked(requestOf(ctx).in) != offered[0] {
		a.Language = offered.asked(requestOf(ctx).in)
	}
	if before := s.cookieOf(ctx, sessionCookie); before != "" {
		a.BrowserOf = hashToken(before)
	}
	// Behind an address that is no place on the internet there can be anybody.
	address, _, _ := strings.Cut(requestOf(ctx).ip, "/")
	if ip, err := netip.ParseAddr(address); err == nil && ip.IsGlobalUnicast() && !ip.IsPrivate() {
		a.IP = requestOf(ctx).ip
	}
	return a
}

// promised is an amount as it is told, or nothing.
func promised(amount money.Units) *string {
	if amount.Sign() <= 0 {
		return nil
	}
	return dollars(&amount)
}

func (s *Server) getReferralCode(ctx context.Context, _ *nothing) (*body[ReferralCode], error) {
	code, err := referral.CodeOf(ctx, s.DB, principalOf(ctx).UserID)
	if err != nil {
		return nil, err
	}
	return &body[ReferralCode]{ReferralCode{ReferralURL: s.PublicURL + "/?ref=" + url.QueryEscape(code), ReferralCode: code,
		Reward: promised(s.Programme.Reward), Bonus: promised(s.Programme.Bonus)}}, nil
}

type referralsInput struct{ Paging }

type referralsPage struct {
	Link string `header:"Link" doc:"the next page of referrals, rel=\"next\""`
	Body ReferralStats
}

func (s *Server) getReferralStats(ctx context.Context, in *referralsInput) (*referralsPage, error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	userID := principalOf(ctx).UserID
	rows, next, err := referral.Referrals(ctx, s.DB, userID, wanted)
	if err != nil {
		return nil, err
	}
	n, err := referral.CountReferrals(ctx, s.DB, userID)
	if err != nil {
		return nil, err
	}
	pending := n.Sums[referral.RewardRegistered].Add(n.Sums[referral.RewardActive]).Add(n.Sums[referral.RewardHeld])
	return &referralsPage{Link: linkTo(ctx, next, in.Limit), Body: ReferralStats{TotalReferrals: n.Total, ActiveReferrals: n.ByStatus[referral.RewardActive],
		PendingRewards: money.USD.Format(pending), TotalRewards: money.USD.Format(n.Sums[referral.RewardRewarded]), Referrals: mapped(rows, referralLine)}}, nil
}

// referralLine tells of a friend no more than they would of themselves.
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
