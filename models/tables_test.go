package models_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// owns maps each domain to the tables of the database that it writes. A table that only triggers write is listed with
// the table that they follow.
var owns = map[string]string{
	"store":          "clock idempotency_keys polls rate_limits restores tallies tally_changes",
	"people":         "customer_search user_roles users",
	"chore":          "chores",
	"audit":          "audit_log audit_seals",
	"ledger":         "account_rollups accounts balance_entries customer_balances ledger_snapshot_balances ledger_snapshots postings providers stranded_credits",
	"dualcontrol":    "attestations",
	"casework":       "alert_calls customer_notes mailed_links mails matter_decisions matter_events order_notes ticket_notes",
	"webhook":        "webhook_inbox",
	"kyc":            "kyc_events kyc_proposals kyc_records",
	"pricing":        "country_pricing daily_prices kyc_pricing markets payment_methods price_points pricing_state pricing_versions switches volume_tiers",
	"risk":           "address_lists blocked_addresses risk_loosenings risk_reviews risk_rules",
	"execution":      "exchange_orders withdrawals",
	"referral":       "earned_rewards referral_codes rewards",
	"order":          "coin_offers confirmed_addresses decisions disputes evidence held_addresses histories histories_due order_events order_proposals order_search orders payments recalls receipt_returns receipts refunds surpluses unplaced_money",
	"voucher":        "redemption_search voucher_batches voucher_redemptions vouchers",
	"giftcard":       "gift_card_claims gift_card_decisions gift_card_events gift_card_images gift_card_search gift_cards",
	"payout":         "payouts",
	"support":        "ticket_messages tickets",
	"account":        "backup_codes consents devices login_attempts pending_grants preferences second_factors sessions two_factor_recoveries",
	"team":           "role_proposals",
	"correction":     "money_documents money_proposals",
	"privacy":        "account_closures data_exports",
	"treasury":       "treasury_history treasury_move_events treasury_moves treasury_readings",
	"reconciliation": "reconciled_effects reconciliation_breaks reconciliation_progress statement_lines statement_rests",
	"reporting":      "alerts provider_answers",
}

// unnamed are the functions that write a table, or a row, which a variable gives, with
// what keeps it their own.
var unnamed = map[string]string{
	"store.Statement.AddEvents":        "the tables that rows of events name (EventRow)",
	"store.StoreChanged":               "the rows of its callers, each of which is looked at",
	"store.SaveChanged":                "likewise",
	"order.OrderChange.Save":           "likewise",
	"store.Orphans":                    "the tables of its callers (OrphanTable)",
	"store.DB.Prune":                   "likewise (Pruned)",
	"store.SealedFiles.MarkSealed":     "likewise (SealedFiles)",
	"casework.Timeline.eventRow":       "the timelines, which their owners name (Timeline)",
	"casework.OrphanCases":             "the tables of the cases, which their owners list (CaseRules)",
	"casework.CaseStarted":             "likewise",
	"casework.Decisions.Store":         "the tables of decisions, which their owners name (Decisions)",
	"casework.Decisions.Resolve":       "likewise",
	"casework.Decisions.MarkDelivered": "likewise",
	"casework.notes.Add":               "the notes that casework declares",
	"casework.outbox.Claim":            "the outboxes that casework declares",
	"casework.outbox.Failed":           "likewise",
	"casework.outbox.Noting":           "likewise",
}

// foreign are the writes of a domain to another one's table that are left, with the reason.
var foreign = map[string]string{}

// top is the domain that a package belongs to: a package below a domain writes the domain's tables.
func top(domain string) string {
	name, _, _ := strings.Cut(domain, "/")
	return name
}

// owner is the domain that writes a table.
func owner(table string) string {
	for domain, tables := range owns {
		if slices.Contains(strings.Fields(tables), table) {
			return domain
		}
	}
	return ""
}

// Each table of the database, and each view, is one domain's.
func TestEachTableHasOneOwner(t *testing.T) {
	s := openShop(t)
	rows, err := s.db.Pool().Query(t.Context(), `SELECT table_name FROM information_schema.tables
		WHERE table_schema = 'public' AND table_name <> 'goose_db_version'`)
	require.NoError(t, err)
	var tables []string
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		tables = append(tables, name)
	}
	require.NoError(t, rows.Err())
	var owned []string
	for domain, names := range owns {
		require.DirExists(t, domain)
		owned = append(owned, strings.Fields(names)...)
	}
	require.ElementsMatch(t, tables, owned, "a table without an owner, with two, or an owner of none")
}

// No domain writes the table of another: it calls what the owner exports.
func TestEachTableIsWrittenByItsOwner(t *testing.T) {
	all := readDomains(t, nil).writes()
	require.Greater(t, len(all), 250, "the parser finds them")
	wrong, met := wrongWrites(all)
	require.Empty(t, wrong, "%s", strings.Join(wrong, "\n"))
	for _, name := range slices.Concat(slices.Collect(maps.Keys(unnamed)), slices.Collect(maps.Keys(foreign))) {
		require.True(t, met[name], "%s is an exception that nothing needs", name)
	}
}

// wrongWrites says which writes are not their owner's, and which exceptions are met.
func wrongWrites(all []write) (wrong []string, met map[string]bool) {
	met = map[string]bool{}
	for _, w := range all {
		known := w.domain + " " + w.table
		switch {
		case w.table == "":
			if met[w.within] = true; unnamed[w.within] == "" {
				wrong = append(wrong, w.at+": "+w.within+" writes what the source does not name: list it in unnamed with what keeps it its own")
			}
		case foreign[known] != "":
			met[known] = true
		case owner(w.table) == "":
			wrong = append(wrong, w.at+": "+w.table+" is no table that owns lists")
		case owner(w.table) != top(w.domain):
			wrong = append(wrong, w.at+": "+w.domain+" writes "+w.table+" of "+owner(w.table))
		}
	}
	return wrong, met
}

// Each way to write another's table is found, and similar text is not.
func TestForeignWritesAreFound(t *testing.T) {
	lines := map[string]string{
		"db.Exec(ctx, `WITH gone AS (DELETE FROM payouts RETURNING 1) SELECT`)": "payouts",
		`db.Exec(ctx, "UPDATE "+table+" SET x = 1")`:                            "payouts",
		`db.Exec(ctx, "UPDATE "+given+" SET x = 1")`:                            "",
		`query := "INSERT INTO "; query += given; db.Exec(ctx, query)`:          "",
		`db.Exec(ctx, fmt.Sprintf("DELETE FROM %s", given))`:                    "",
		`db.ORM(ctx).Create(&order.Order{})`:                                    "orders",
		`db.ORM(ctx).Select("x").Updates(rows[0])`:                              "order_proposals",
		`db.ORM(ctx).Model(&order.Proposal{}).Update("x", 1)`:                   "order_proposals",
		`open := db.ORM(ctx).Table("orders"); open.Update("x", 1)`:              "orders",
		`store.SaveChanged(ctx, db, rows[0], rows[1], nil)`:                     "order_proposals",
		`db.Later(ctx, store.Write{Table: "mails", Query: given})`:              "mails",
		`_ = casework.CaseRules{Table: "payouts"}`:                              "payouts",
		`_ = casework.Decisions[order.Decision]{Table: "payouts"}`:              "payouts",
		`_ = store.EventRow{Into: "order_events (order_id)"}`:                   "order_events",
	}
	source := "package probe\n"
	for _, path := range []string{"store", "order", "casework"} {
		source += "import " + strconv.Quote(ownPath+path) + "\n"
	}
	names := slices.Sorted(maps.Keys(lines))
	for i, line := range names {
		source += fmt.Sprintf(`func f%d(ctx context.Context, db *store.DB, given string, rows []*order.Proposal) {
	const table = "payouts"
	db.Exec(ctx, "SELECT FROM orders FOR NO KEY UPDATE OF orders")
	_ = "ON CONFLICT DO UPDATE SET name = ''"
	%s
}
`, i, line)
	}
	all := readDomains(t, map[string]string{"probe/probe.go": source}).writes()
	for i, line := range names {
		found := slices.DeleteFunc(slices.Clone(all), func(w write) bool { return w.within != fmt.Sprintf("probe.f%d", i) })
		require.Len(t, found, 1, "%s: %v", line, found)
		require.Equal(t, lines[line], found[0].table, line)
		require.Equal(t, fmt.Sprintf("models/probe/probe.go:%d", 9+6*i), found[0].at)
		wrong, _ := wrongWrites(found)
		require.Len(t, wrong, 1, line)
	}
}
