package reporting

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/chore"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/reporting"
	"github.com/tradepost/tradepost/workflows"
)

// statsInput is how far back the charts reach.
type statsInput struct {
	Span string `query:"span" enum:"day,week,month,quarter" default:"month" doc:"how far back the series goes: a day by its hours, the others by their days"`
}

// GetAdminStats answers GET /api/admin/stats.
func (h *Handlers) GetAdminStats(ctx context.Context, in *statsInput) (*rest.Body[AdminStats], error) {
	st, err := reporting.ReadStatistics(ctx, h.DB, reporting.SeriesSpan(in.Span))
	if err != nil {
		return nil, err
	}
	volume := money.USD.Format(st.Volume.Now)
	margin, before := reporting.Margin(st.Revenue.Now, st.Recognised.Now), reporting.Margin(st.Revenue.Before, st.Recognised.Before)
	out := AdminStats{TotalUsers: st.Users, ActiveTrades: st.ActiveTrades, DailyVolume: volume, PendingKYC: st.PendingKYC, ActiveVouchers: st.ActiveVouchers,
		TotalVolume24h: volume, TotalRevenue30d: money.USD.Format(st.Revenue.Now), AvgMargin: percentText(margin), VerifiedUsers: st.VerifiedUsers,
		TotalOrders: st.Orders, CompletedOrders: st.CompletedOrders, PendingOrders: st.PendingOrders, At: st.At, Series: rest.Mapped(st.Days, statDay), Before: rest.Mapped(st.Before, statDay), Compared: compared(st),
		Changes: StatChanges{
			TotalUsers:      changed(decimal.NewFromInt(int64(st.Users)), decimal.NewFromInt(int64(st.Users-st.NewUsers))),
			TotalVolume24h:  changed(money.USD.Decimal(st.Volume.Now), money.USD.Decimal(st.Volume.Before)),
			TotalRevenue30d: changed(money.USD.Decimal(st.Revenue.Now), money.USD.Decimal(st.Revenue.Before)),
		}}
	if margin != nil && before != nil {
		points := margin.Sub(*before)
		out.Changes.AvgMargin = percentText(&points)
	}
	return &rest.Body[AdminStats]{Body: out}, nil
}

// compared compares what is over of a series with as much of the span before: the
// last step is under way, and a span that began before the platform did is no base.
func compared(st *reporting.Statistics) StatCompare {
	if first := st.Before[0].Day; st.Began == "" || st.Began > first[:len(time.DateOnly)] {
		return StatCompare{Since: &st.Began}
	}
	over := len(st.Days) - 1
	now, before := reporting.Total(st.Days[:over]), reporting.Total(st.Before[:over])
	out := StatCompare{Volume: changed(money.USD.Decimal(now.Volume), money.USD.Decimal(before.Volume)), Revenue: changed(money.USD.Decimal(now.Revenue), money.USD.Decimal(before.Revenue))}
	if margin, was := reporting.Margin(now.Revenue, now.Recognised), reporting.Margin(before.Revenue, before.Recognised); margin != nil && was != nil {
		points := margin.Sub(*was)
		out.Margin = percentText(&points)
	}
	if now.Sent > 0 && before.Sent > 0 {
		out.MinutesSent = changed(secondsEach(now), secondsEach(before))
	}
	return out
}

func secondsEach(d reporting.StatisticsDay) decimal.Decimal {
	seconds, _ := d.SecondsToSent.Int64()
	return decimal.NewFromInt(seconds).DivRound(decimal.NewFromInt(int64(d.Sent)), 6)
}

func percentText(percent *decimal.Decimal) *string {
	if percent == nil {
		return nil
	}
	text := percent.StringFixed(2)
	return &text
}

// changed is by how many percent a figure changed; nil when there was nothing
// before.
func changed(now, before decimal.Decimal) *string {
	if !before.IsPositive() {
		return nil
	}
	text := now.Sub(before).Mul(decimal.NewFromInt(100)).DivRound(before, 1).StringFixed(1)
	return &text
}

func statDay(d *reporting.StatisticsDay) StatDay {
	out := StatDay{Day: d.Day, Volume: money.USD.Format(d.Volume), Revenue: money.USD.Format(d.Revenue), Margin: percentText(reporting.Margin(d.Revenue, d.Recognised)), Sent: d.Sent}
	if d.Sent > 0 {
		seconds, _ := d.SecondsToSent.Int64()
		minutes := decimal.NewFromInt(seconds).DivRound(decimal.NewFromInt(int64(d.Sent)*60), 1).StringFixed(1)
		out.MinutesSent = &minutes
	}
	return out
}

// activityShown is how many of the newest events the dashboard shows.
const activityShown = 20

// ListRecentActivity answers GET /api/admin/recent-activity.
func (h *Handlers) ListRecentActivity(ctx context.Context, _ *rest.Nothing) (*rest.Body[[]ActivityItem], error) {
	rows, err := reporting.RecentActivity(ctx, h.DB, activityShown)
	if err != nil {
		return nil, err
	}
	return &rest.Body[[]ActivityItem]{Body: rest.Mapped(rows, activityItem)}, nil
}

// activityStatus are the stored statuses that the dashboard names differently.
var activityStatus = map[string]string{
	"sent": "completed", "approved": "completed", "realised": "completed", "paid": "completed",
	"received": "pending", "requested": "pending", "accepted": "pending", "on_hold": "pending", "offered": "pending",
	"declined": "failed", "rejected": "failed", "retry": "failed", "returned": "failed",
}

func activityItem(a *reporting.Activity) ActivityItem {
	out := ActivityItem{ID: a.Kind + ":" + a.ID, SubjectID: a.ID, Type: a.Kind, Timestamp: a.At, Status: a.Status, CustomerID: a.UserID, Customer: a.CustomerName()}
	if known, ok := activityStatus[a.Status]; ok && (a.Kind != "payout" || a.Status != "approved") {
		out.Status = known
	}
	if a.Amount != nil {
		text := money.USD.Format(*a.Amount)
		out.Amount = &text
	}
	switch a.Kind {
	case "order":
		out.Description = fmt.Sprintf("Order %s: %s %s", a.Reference, a.Asset.Format(*a.Coins), *a.Asset)
	case "gift_card":
		out.Description = fmt.Sprintf("Gift card %s: %s", a.Reference, a.Label)
	case "voucher":
		out.Description = fmt.Sprintf("Voucher %s: %s %s", a.Reference, a.Asset.Format(*a.Coins), *a.Asset)
	case "payout":
		out.Description = "Payout " + a.Reference
	case "kyc":
		out.Description = "Identity verification"
	default:
		out.Description = "New account"
	}
	return out
}

// taskQueues are the workers' queues, with the provider whose key each holds.
var taskQueues = []struct{ queue, provider string }{
	{workflows.PaymentsQueue, "Stripe"}, {workflows.ExchangeQueue, "Kraken"}, {workflows.CustodyQueue, "BitGo"}, {workflows.CoreQueue, "Sumsub"},
}

// queuesUsed are the queues of what is offered: without cards that of payments has
// nothing to do.
func (h *Handlers) queuesUsed() []string {
	var names []string
	for _, q := range taskQueues {
		if q.queue != workflows.PaymentsQueue || h.Offer.Takes(pricing.MethodCard) {
			names = append(names, q.queue)
		}
	}
	return names
}

// pollersWait is how long the dashboard waits for Temporal's list of pollers.
const pollersWait = 2 * time.Second

// waitingQueues are the queues that the caller can open, the longest wait first. An order
// is counted once, however many reasons it waits for.
func (h *Handlers) waitingQueues(ctx context.Context) ([]reporting.WaitingQueue, error) {
	waiting, err := reporting.WaitingQueues(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	roles := rest.RolesOf(rest.PrincipalOf(ctx))
	counted := []reporting.WaitingQueue{}
	orders := false
	for _, q := range waiting {
		needs, guarded := queueNeeds[q.Name]
		switch {
		case guarded && !h.Policy.Allows(roles, needs), orders && slices.Contains(orderQueues, q.Name):
			continue
		case slices.Contains(orderQueues, q.Name):
			found, err := order.CountOrders(ctx, h.DB, order.OrderFilter{Actionable: true})
			if err != nil {
				return nil, err
			}
			orders, q.Name, q.Count = true, "actionable_orders", found.Total
		}
		counted = append(counted, q)
	}
	return counted, nil
}

// queueNeeds are the permissions of the queues that not all staff can open.
var queueNeeds = map[string]policy.Permission{"team": policy.GrantRoles, "recoveries": policy.LiftFactors}

// orderQueues are the queues in which one order can appear more than once.
var orderQueues = []string{"orders", "attention", "failed", "proposals"}

// ListQueues is what the sidebar counts: the queues alone, without a call to any provider
// or worker.
func (h *Handlers) ListQueues(ctx context.Context, _ *rest.Nothing) (*rest.Body[[]PlatformQueue], error) {
	waiting, err := h.waitingQueues(ctx)
	if err != nil {
		return nil, err
	}
	approvals, err := h.approvalsQueue(ctx)
	if err != nil {
		return nil, err
	}
	return &rest.Body[[]PlatformQueue]{Body: append(rest.Mapped(waiting, platformQueue), approvals...)}, nil
}

// GetPlatform answers GET /api/admin/platform.
func (h *Handlers) GetPlatform(ctx context.Context, _ *rest.Nothing) (*rest.Body[Platform], error) {
	answers, now, err := reporting.ProviderAnswers(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	markets, err := pricing.Markets(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	waiting, err := h.waitingQueues(ctx)
	if err != nil {
		return nil, err
	}
	alerts, err := reporting.OpenAlerts(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	alerts = slices.DeleteFunc(alerts, func(a reporting.Alert) bool { return a.GoneAt != nil })
	chores, err := chore.Chores(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	retrying, since, err := order.Retrying(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	health := condition{now: now, retrying: retrying, since: since, answers: answers, markets: markets, polled: h.polledQueues(ctx), used: h.queuesUsed(), offer: h.Offer}
	out := Platform{Services: health.services(), Providers: health.providers(), Queues: rest.Mapped(waiting, platformQueue), Alerts: rest.Mapped(alerts, platformAlert), Chores: rest.Mapped(chores, platformChore), PricesAt: health.pricesAt(), At: now}
	return &rest.Body[Platform]{Body: out}, nil
}

// polledQueues are the queues with running workers; nil while Temporal does not answer.
func (h *Handlers) polledQueues(ctx context.Context) map[string]bool {
	ctx, cancel := context.WithTimeout(ctx, pollersWait)
	defer cancel()
	var names []string
	for _, q := range taskQueues {
		names = append(names, q.queue)
	}
	polled, err := h.Workflows.Pollers(ctx, names)
	if err != nil {
		h.Log.WarnContext(ctx, "cannot ask which workers run", "error", err)
		return nil
	}
	return polled
}

func platformQueue(q *reporting.WaitingQueue) PlatformQueue {
	return PlatformQueue{Name: q.Name, Count: q.Count, Oldest: q.Oldest.UTC()}
}

func platformChore(c *chore.Chore) PlatformChore {
	return PlatformChore{Name: c.Name, LastSuccess: c.LastDoneAt, Error: c.LastError, Progress: c.Progress}
}

func platformAlert(a *reporting.Alert) PlatformAlert {
	return PlatformAlert{ID: a.ID, Kind: string(a.Kind), Subject: a.Subject, Text: a.Text(), Page: a.Page(), Since: a.Since.UTC(), OpenedAt: a.OpenedAt.UTC(), AcknowledgedAt: a.AcknowledgedAt}
}

// condition is the input of the platform's health.
type condition struct {
	now     time.Time
	answers map[string]reporting.ProviderAnswer
	markets map[money.Currency]*pricing.Market
	polled  map[string]bool
	used    []string // queues
	offer   money.Offer

	retrying int        // orders whose step keeps failing
	since    *time.Time // for which the first of them has not moved
}

// services lists each service with its limitation and the cause, if any.
func (h condition) services() []PlatformService {
	return []PlatformService{
		service("payment_processing", h.problem(workflows.CoreQueue, false), h.problem(workflows.PaymentsQueue, true)),
		service("kyc_verification", h.problem(workflows.CoreQueue, true)),
		service("crypto_orders", h.problem(workflows.CoreQueue, false), h.problem(workflows.ExchangeQueue, true), h.problem(workflows.CustodyQueue, true), h.prices(), h.retries()),
		service("p2p_integration", "Trades between customers are not offered."),
	}
}

func service(name string, problems ...string) PlatformService {
	for _, current := range problems {
		if current != "" {
			return PlatformService{Name: name, Status: "limited", Reason: current}
		}
	}
	return PlatformService{Name: name, Status: "operational"}
}

// problem is the problem of a worker, or of its provider when that is needed too; empty
// without one.
func (h condition) problem(queue string, provider bool) string {
	if !slices.Contains(h.used, queue) {
		return ""
	}
	if h.polled == nil {
		return "Temporal doesn't respond."
	}
	if !h.polled[queue] {
		return fmt.Sprintf("The %s worker isn't running.", queue)
	}
	if a := h.answers[queue]; provider && a.FailedAt != nil && (a.AnsweredAt == nil || a.FailedAt.After(*a.AnsweredAt)) {
		return fmt.Sprintf("%s did not answer when it was last asked.", providerOf(queue))
	}
	return ""
}

func providerOf(queue string) string {
	for _, q := range taskQueues {
		if q.queue == queue {
			return q.provider
		}
	}
	return queue
}

// retries counts the orders with repeated attempts.
func (h condition) retries() string {
	switch {
	case h.since == nil:
		return ""
	case h.retrying == 1:
		return fmt.Sprintf("1 order is being retried since %s.", h.since.UTC().Format("15:04 UTC"))
	}
	return fmt.Sprintf("%d orders are being retried, the first since %s.", h.retrying, h.since.UTC().Format("15:04 UTC"))
}

// prices names the coins that cannot be quoted.
func (h condition) prices() string {
	for _, asset := range h.offer.Coins() {
		if m, known := h.markets[asset]; known && m.Quotable(h.now) != nil {
			return fmt.Sprintf("The price of %s is out of date, or the exchange doesn't sell it right now.", asset)
		}
	}
	if len(h.markets) == 0 {
		return "No prices yet."
	}
	return ""
}

func (h condition) pricesAt() *time.Time {
	var oldest *time.Time
	for asset, m := range h.markets {
		if !h.offer.Sells(asset) {
			continue
		}
		if m.PricedAt == nil {
			return nil
		}
		if oldest == nil || m.PricedAt.Before(*oldest) {
			oldest = m.PricedAt
		}
	}
	return oldest
}

func (h condition) providers() []PlatformProvider {
	var out []PlatformProvider
	for _, q := range taskQueues {
		if !slices.Contains(h.used, q.queue) {
			continue
		}
		p := PlatformProvider{Name: q.provider, LastSuccess: h.answers[q.queue].AnsweredAt, LastFailure: h.answers[q.queue].FailedAt}
		if h.polled != nil {
			runs := h.polled[q.queue]
			p.Polled = &runs
		}
		out = append(out, p)
	}
	return out
}
