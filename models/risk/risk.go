package risk

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/lib/pq"

	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/people"
	"github.com/tradepost/tradepost/models/store"
)

// The codes of risk signals. The first needs no rule: an address on a list always does.
const (
	RiskBlocked        = "blocked_address"
	RiskOrdersHour     = "orders_per_hour"
	RiskOrdersDay      = "orders_per_day"
	RiskVolumeHour     = "volume_per_hour"
	RiskVolumeDay      = "volume_per_day"
	RiskNewLarge       = "new_account_large_order"
	RiskSharedAddress  = "shared_address"
	RiskFailedPayments = "failed_payments"
	RiskSharedCard     = "shared_card"
	// riskThreshold is the score from which on an order is reviewed.
	riskThreshold = "threshold"
)

// RiskReasons lists them all, for the contract.
var RiskReasons = []string{RiskBlocked, RiskOrdersHour, RiskOrdersDay, RiskVolumeHour, RiskVolumeDay, RiskNewLarge, RiskSharedAddress, RiskFailedPayments, RiskSharedCard}

// BlockedScore is what an address on a list counts: more than any threshold.
const BlockedScore = 100

// RiskRule is one of the rules, or the threshold.
type RiskRule struct {
	Code      string `gorm:"primaryKey"`
	Enabled   bool
	Most      int64 // a number, or cents: from there on it is a risk signal
	Hours     int   // the period it counts
	Score     int
	Version   int
	ChangedBy *string
	ChangedAt time.Time
}

// Risk is the result of the rules for an order.
type Risk struct {
	Score   int
	Reasons []string
	Review  bool // compliance reviews it before anything is captured or sent
}

// Ruled is a rule that an order ran into.
type Ruled struct {
	Code  string
	Score int
}

// brokenRules finds the enabled rules that an order about to be made runs into, in one query. Each count stops where
// the rule is broken, or at a bound: its cost does not grow with a customer's orders.
const brokenRules = `
	SELECT r.code, r.score FROM risk_rules r CROSS JOIN LATERAL (SELECT clock_now() - make_interval(hours => r.hours) AS since) w
	 WHERE r.enabled AND CASE r.code
	  WHEN 'orders_per_hour' THEN (` + countOrders + `) >= r.most
	  WHEN 'orders_per_day' THEN (` + countOrders + `) >= r.most
	  WHEN 'volume_per_hour' THEN (` + sumOrders + `) + CAST(@total AS numeric) > r.most
	  WHEN 'volume_per_day' THEN (` + sumOrders + `) + CAST(@total AS numeric) > r.most
	  WHEN 'new_account_large_order' THEN CAST(@total AS numeric) >= r.most
	    AND EXISTS (SELECT FROM users u WHERE u.id = @user AND u.created_at > w.since)
	    AND NOT EXISTS (SELECT FROM (SELECT o.paid_at FROM orders o WHERE o.user_id = @user ORDER BY o.created_at DESC LIMIT 100) b WHERE b.paid_at IS NOT NULL)
	  WHEN 'shared_address' THEN (` + countOthers + `) >= r.most
	  WHEN 'failed_payments' THEN (` + countDeclines + `) >= r.most
	  ELSE false END
	 ORDER BY r.code`

const (
	countOrders = `SELECT count(*) FROM (SELECT FROM orders o WHERE o.user_id = @user AND o.created_at > w.since AND o.id <> @order LIMIT r.most) n`
	// What was made or paid in that time: late money counts when the order is paid.
	sumOrders = `SELECT coalesce(sum(n.total) FILTER (WHERE n.created_at > w.since OR n.paid_at > w.since), 0)
		FROM (SELECT o.total, o.created_at, o.paid_at FROM orders o WHERE o.user_id = @user AND o.id <> @order ORDER BY o.created_at DESC LIMIT 500) n`
	countOthers = `SELECT count(DISTINCT s.user_id) FROM (SELECT o.user_id FROM orders o WHERE o.dest_address = @address AND o.network = @network
		AND o.created_at > w.since ORDER BY o.created_at DESC LIMIT 500) s WHERE s.user_id <> @user`
	countDeclines = `SELECT coalesce(sum(n.declines), 0) FROM (SELECT p.declines FROM payments p WHERE p.user_id = @user AND p.created_at > w.since ORDER BY p.created_at DESC LIMIT 200) n`
)

// BrokenByCard finds the rules about cards that an order runs into when its card
// is known.
const BrokenByCard = `
	SELECT r.code, r.score FROM risk_rules r CROSS JOIN LATERAL (SELECT clock_now() - make_interval(hours => r.hours) AS since) w
	 WHERE r.enabled AND CASE r.code
	  WHEN 'shared_card' THEN (SELECT count(DISTINCT s.user_id) FROM (SELECT p.user_id FROM payments p WHERE p.card_fingerprint = @card
	    AND p.created_at > w.since ORDER BY p.created_at DESC LIMIT 500) s WHERE s.user_id <> @user) >= r.most
	  WHEN 'failed_payments' THEN (` + countDeclines + `) >= r.most
	  ELSE false END
	 ORDER BY r.code`

// BrokenByAddress finds the rules about addresses that an order runs into when its coin's address changes.
const BrokenByAddress = `
	SELECT r.code, r.score FROM risk_rules r CROSS JOIN LATERAL (SELECT clock_now() - make_interval(hours => r.hours) AS since) w
	 WHERE r.enabled AND r.code = 'shared_address' AND (` + countOthers + `) >= r.most`

// RiskQuestion is what an order is assessed by. OrderID is empty for one that is about
// to be made; an order that is assessed again does not count beside itself.
type RiskQuestion struct {
	UserID, OrderID              string
	Total                        money.Units
	Network, Address, AddressKey string
}

// Assess checks the risk rules for an order about to be made, in its transaction: its customer's lock is held, so
// that two tabs count each other.
func Assess(ctx context.Context, db *store.DB, in RiskQuestion) (Risk, error) {
	found, err := Checks(ctx, db, in)
	if err != nil {
		return Risk{}, err
	}
	return RiskOf(ctx, db, found)
}

// checked is what is found of an order about to be made: what lists say of its address,
// The rules that it runs into, and what its customer has spent by the day.
type checked struct {
	Listed string
	Codes  pq.StringArray
	Scores pq.Int64Array
	Days   pq.StringArray
	Sums   pq.StringArray // cents
}

// Checks reads them in one query.
func Checks(ctx context.Context, db *store.DB, in RiskQuestion) (found checked, err error) {
	err = db.ORM(ctx).Raw(`WITH broken AS (`+brokenRules+`), spent AS (SELECT facet, sum(amount) AS amount FROM (
		SELECT facet, amount FROM tallies WHERE list = 'spent' AND owner = @user
		UNION ALL SELECT facet, amount FROM tally_changes WHERE list = 'spent' AND owner = @user) t GROUP BY facet)
		SELECT coalesce((SELECT kind FROM (`+ListQuery("@network", "@key")+`) l), '') AS listed,
		  ARRAY(SELECT code FROM broken ORDER BY code) AS codes, ARRAY(SELECT score FROM broken ORDER BY code) AS scores,
		  ARRAY(SELECT facet FROM spent ORDER BY facet) AS days, ARRAY(SELECT amount::text FROM spent ORDER BY facet) AS sums`,
		map[string]any{"user": in.UserID, "total": in.Total, "address": in.Address, "network": in.Network, "key": in.AddressKey, "order": in.exceptOrder()}).
		Row().Scan(&found.Listed, &found.Codes, &found.Scores, &found.Days, &found.Sums)
	if err != nil {
		return checked{}, fmt.Errorf("ask what speaks against an order: %w", err)
	}
	return found, nil
}

// Spent is what the customer has spent, by the day.
func (c checked) Spent() []store.Tallied {
	var rows []store.Tallied
	for i, day := range c.Days {
		row := store.Tallied{Facet: day}
		_ = row.Amount.Scan(c.Sums[i]) // Postgres wrote it
		rows = append(rows, row)
	}
	return rows
}

// RiskOf weighs what was found.
func RiskOf(ctx context.Context, db *store.DB, found checked) (Risk, error) {
	var risk Risk
	if found.Listed == AddressBlocked {
		risk.Add(Ruled{RiskBlocked, BlockedScore})
	}
	var broken []Ruled
	for i, code := range found.Codes {
		broken = append(broken, Ruled{code, int(found.Scores[i])})
	}
	return risk, Weigh(ctx, db, &risk, broken)
}

// exceptOrder is the order that does not count; of a new one it is no order's.
func (q RiskQuestion) exceptOrder() string {
	return cmp.Or(q.OrderID, "00000000-0000-0000-0000-000000000000")
}

// Add counts a rule that an order ran into, once.
func (r *Risk) Add(broken Ruled) {
	if slices.Contains(r.Reasons, broken.Code) {
		return
	}
	r.Reasons = append(r.Reasons, broken.Code)
	r.Score += broken.Score
}

// Broken are the rules that a query finds broken.
func Broken(ctx context.Context, db *store.DB, query string, of map[string]any) (broken []Ruled, err error) {
	if err := db.ORM(ctx).Raw(query, of).Scan(&broken).Error; err != nil {
		return nil, fmt.Errorf("ask the risk rules: %w", err)
	}
	return broken, nil
}

// AddBroken adds the rules that a query finds broken.
func AddBroken(ctx context.Context, db *store.DB, risk *Risk, query string, of map[string]any) error {
	broken, err := Broken(ctx, db, query, of)
	if err != nil {
		return err
	}
	return Weigh(ctx, db, risk, broken)
}

// Weigh adds what an order runs into, and says whether it is reviewed.
func Weigh(ctx context.Context, db *store.DB, risk *Risk, broken []Ruled) error {
	for _, b := range broken {
		risk.Add(b)
	}
	if risk.Score == 0 {
		return nil
	}
	var threshold RiskRule
	if err := db.ORM(ctx).Where("code = ?", riskThreshold).Take(&threshold).Error; err != nil {
		return fmt.Errorf("read the risk threshold: %w", err)
	}
	risk.Review = slices.Contains(risk.Reasons, RiskBlocked) || threshold.Enabled && risk.Score >= threshold.Score
	return nil
}

// RiskRuleView is a rule with who changed it last.
type RiskRuleView struct {
	RiskRule   `gorm:"embedded"`
	ActorEmail *string
}

// RiskRules are all rules, the threshold among them.
func RiskRules(ctx context.Context, db *store.DB) ([]RiskRuleView, error) {
	var rows []RiskRuleView
	err := db.ORM(ctx).Raw("SELECT r.*, u.email AS actor_email FROM risk_rules r LEFT JOIN users u ON u.id = r.changed_by ORDER BY r.code").Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read risk rules: %w", err)
	}
	return rows, nil
}

// RiskRuleChange is a requested rule, and the version that was read.
type RiskRuleChange struct {
	Code    string
	Enabled bool
	Most    int64
	Hours   int
	Score   int
	Version int
}

// ChangeRiskRule changes a rule: row and audit in one transaction. It counts from the next order on. Loosening one
// needs two people.
func ChangeRiskRule(ctx context.Context, db *store.DB, in RiskRuleChange, by store.Actor) error {
	if err := in.Check(by.Reason); err != nil {
		return err
	}
	waits := false
	err := db.Tx(ctx, func(tx *store.DB) error {
		var rows []RiskRule
		if err := tx.ORM(ctx).Raw("SELECT * FROM risk_rules WHERE code = ? FOR UPDATE", in.Code).Scan(&rows).Error; err != nil {
			return fmt.Errorf("read risk rule: %w", err)
		}
		if len(rows) == 0 {
			return store.NotFound("Rule")
		}
		if rows[0].Version != in.Version {
			return ruleChanged(ctx, tx, rows[0])
		}
		if in.loosens(rows[0]) {
			agreed, err := agreed(ctx, tx, loosening{"rule " + in.Code, fmt.Sprint(in), by})
			if waits = !agreed; waits || err != nil {
				return err
			}
		}
		return changeRule(ctx, tx, rows[0], in, by)
	})
	if err == nil && waits {
		err = errLoosens
	}
	return err
}

func changeRule(ctx context.Context, db *store.DB, was RiskRule, in RiskRuleChange, by store.Actor) error {
	err := db.ORM(ctx).Exec(`UPDATE risk_rules SET enabled = ?, most = ?, hours = ?, score = ?, version = version + 1, changed_by = ?, changed_at = clock_now()
		WHERE code = ?`, in.Enabled, in.Most, in.Hours, in.Score, by.ActorID, in.Code).Error
	if err != nil {
		return fmt.Errorf("change risk rule: %w", err)
	}
	if err := changed(ctx, db, "rule "+in.Code); err != nil {
		return err
	}
	return audit.Audit(ctx, db, audit.AuditEntry{ActorID: by.ActorID, ActorRole: by.ActorRole, Action: "risk_rule.change", ObjectKind: "risk_rule", ObjectID: in.Code,
		Before: ruleState(was.Enabled, was.Most, was.Hours, was.Score, was.Version),
		After:  ruleState(in.Enabled, in.Most, in.Hours, in.Score, in.Version+1), Reason: by.Reason, RequestID: by.RequestID})
}

func ruleState(enabled bool, most int64, hours, score, version int) map[string]any {
	return map[string]any{"enabled": enabled, "most": most, "hours": hours, "score": score, "version": version}
}

// Check refuses values out of range, and a change without a reason.
func (in *RiskRuleChange) Check(reason string) error {
	switch {
	case reason == "":
		return store.Invalid("reason", "required", "Enter a reason")
	case in.Score < 1 || in.Score > 100:
		return store.Invalid("score", "out_of_range", "Enter a score between 1 and 100")
	case in.Code == riskThreshold:
		return nil
	case in.Most < 1 || in.Most > 1_000_000_000:
		return store.Invalid("most", "out_of_range", "Enter a limit above zero")
	case in.Hours < 1 || in.Hours > 8760:
		return store.Invalid("hours", "out_of_range", "Enter a window between an hour and a year")
	}
	return nil
}

// ruleChanged refuses a change of what another person has changed meanwhile.
func ruleChanged(ctx context.Context, db *store.DB, rule RiskRule) error {
	who := "Somebody"
	if rule.ChangedBy != nil {
		var err error
		if who, err = people.UserName(ctx, db, *rule.ChangedBy); err != nil {
			return err
		}
	}
	return store.Conflict("changed_meanwhile", who+" changed this rule. Refresh the page.")
}
